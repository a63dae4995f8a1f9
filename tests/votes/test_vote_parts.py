"""Votes in parts and in parquet files: what was written is read back, and what is damaged is told."""

import json

import numpy as np
import polars as pl
import pytest

from shortlist import Votes
from shortlist.errors import BadFile
from shortlist.votes import Failure
from shortlist.votes.vote_parts import VotePart, VoteParts

SPACE = ["a", "b", "c"]


def some(m=10, **options):
    codes = np.random.default_rng(0).integers(0, 3, (m, 2))
    return Votes(codes, [["a", "b"], ["c", {"a", "b"}]], SPACE, ["one", "row id"], **options)


@pytest.mark.parametrize("ids", [None, list(range(10)), [f"doc{a}" for a in range(10)]])
def test_parquet_there_and_back(ids, tmp_path):
    votes = some(ids=ids, failures=[Failure(3, "a trace"), None])
    votes.save(tmp_path / "votes.parquet")
    assert Votes.load(tmp_path / "votes.parquet") == votes


def test_no_rows_and_no_labelers(tmp_path):
    for number, votes in enumerate((some(0), Votes(np.zeros((4, 0)), [], SPACE))):
        votes.save(tmp_path / f"{number}.parquet")
        assert Votes.load(tmp_path / f"{number}.parquet") == votes


def test_other_tools_read_the_codes(tmp_path):
    votes = some()
    votes.save(tmp_path / "votes.parquet")
    assert pl.read_parquet(tmp_path / "votes.parquet")["one"].to_list() == votes.codes[:, 0].tolist()


def test_a_labeler_that_knows_one_answer_takes_a_bit_a_row(tmp_path):
    says = [["a"], ["a", "b"], ["a"], []]  # the third says the complement, which nobody expects
    votes = Votes([[1, 2, 2, 0], [0, 0, 1, 0]], says, SPACE, ["one", "two", "strange", "silent"])
    votes.save(tmp_path / "votes.parquet")
    found = pl.read_parquet(tmp_path / "votes.parquet")
    assert found.dtypes == [pl.Boolean, pl.UInt8, pl.UInt8, pl.Boolean]
    assert found.rows() == [(True, 2, 2, False), (False, 0, 1, False)]
    assert Votes.load(tmp_path / "votes.parquet") == votes


def test_files_of_a_later_format_are_refused(tmp_path):
    header = {"kind": "votes", "version": 3}
    pl.DataFrame({"one": [1, 0]}).write_parquet(tmp_path / "votes.parquet", metadata={"shortlist": json.dumps(header)})
    with pytest.raises(BadFile, match=r"newer shortlist \(format 3; this one reads up to 1\)"):
        Votes.load(tmp_path / "votes.parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 100])
def test_a_damaged_file_is_told(content, tmp_path):
    (tmp_path / "votes.parquet").write_bytes(content)
    with pytest.raises(BadFile, match=r"votes.parquet is truncated or not a shortlist file"):
        Votes.load(tmp_path / "votes.parquet")


def test_a_foreign_and_a_missing_file(tmp_path):
    pl.DataFrame({"one": [1]}).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(BadFile, match="was not written by shortlist"):
        Votes.load(tmp_path / "votes.parquet")
    with pytest.raises(BadFile, match="does not exist"):
        Votes.load(tmp_path / "nowhere.parquet")


def test_parts_with_inferred_codomains_are_read_in_the_codes_of_all(tmp_path):
    """Each part knows only what was said in it."""
    first = Votes([[1], [0]], [_inferred(["a"])], SPACE, ["one"])
    second = Votes([[2], [1]], [_inferred(["b", "c"])], SPACE, ["one"])
    files = []
    (tmp_path / "votes").mkdir()
    for number, part in enumerate((first, second)):
        part.save(tmp_path / "votes" / f"{number}.parquet")
        files.append(VotePart(f"votes/{number}.parquet", 2, int(part.covered.sum()), ""))
    parts = VoteParts(tmp_path, Votes.concat([first[:0], second[:0]]), tuple(files))
    parts.save(tmp_path / "votes.json")
    again = VoteParts.open(tmp_path / "votes.json")
    assert len(again) == 4
    assert again.covered == 3
    assert again.whole() == Votes.concat([first, second])
    assert [again.whole().said(a) for a in range(4)] == [{"one": ("a",)}, {}, {"one": ("c",)}, {"one": ("b",)}]


def _inferred(says):
    from shortlist.labelspace import LabelSpace
    from shortlist.votes.codomain import Codomain

    return Codomain.declare(says, LabelSpace(SPACE), inferred=True)


def test_a_list_that_is_none(tmp_path):
    (tmp_path / "votes.json").write_text('{"kind": "something else"}')
    with pytest.raises(BadFile, match="holds 'something else', not 'votes in parts'"):
        VoteParts.open(tmp_path / "votes.json")
    (tmp_path / "votes.json").write_text('{"kind": "votes in parts", "version": 1}')
    with pytest.raises(BadFile, match="truncated"):
        VoteParts.open(tmp_path / "votes.json")
    with pytest.raises(BadFile, match="does not exist"):
        VoteParts.open(tmp_path / "nowhere.json")


def test_some_rows_are_taken_from_the_parts_that_hold_them(tmp_path):
    votes = some(10)
    files = []
    for number, (start, end) in enumerate([(0, 3), (3, 6), (6, 10)]):
        votes[start:end].save(tmp_path / f"{number}.parquet")
        files.append(VotePart(f"{number}.parquet", end - start, 0, ""))
    parts = VoteParts(tmp_path, votes[:0], tuple(files))
    (tmp_path / "1.parquet").unlink()  # it is not needed
    chosen = np.array([0, 2, 6, 9])
    assert (parts.take(chosen).codes == votes.codes[chosen]).all()
    assert len(parts.take(chosen[:0])) == 0
