"""Labels: joined to rows by their votes, the same whoever works them out, and in the order of the rows."""

import json
from hashlib import sha256

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shortlist import Votes
from shortlist.beliefs import LabelTable
from shortlist.labelmodel import MajorityVote
from shortlist.project.labels import KnownLabels, WorkedOutLabels, counts_of, label_frame
from tests.project.news import rows
from tests.project.part_files import make

SPACE = ["a", "b", "c"]


def drawn(m, n, says, seed=0):
    codes = np.random.default_rng(seed).integers(0, len(says) + 1, (m, n))
    return Votes(codes, [says] * n, SPACE)


def model_and_table(votes):
    model = MajorityVote().fit(votes)
    return model, LabelTable(votes.space, ("row", pl.UInt32()), balance=model.class_balance_, held=0.9)


@pytest.mark.parametrize(("n", "says"), [(4, ["a", "b"]), (45, ["a", {"b", "c"}, "c"])])  # 45: two words of 64 bits
def test_labels_by_votes_are_those_of_each_row(n, says):
    votes = drawn(400, n, says)
    model, table = model_and_table(votes)
    row_by_row = label_frame(votes, model, table)
    patterns = Votes(votes.patterns().codes, votes.codomains, votes.space, votes.names)
    for labels in (KnownLabels(patterns, model, table), WorkedOutLabels(model, table)):
        assert_frame_equal(labels.of(votes, None, None), row_by_row, rel_tol=0, abs_tol=1e-9)


def test_the_class_of_a_row_without_votes_is_open():
    votes = Votes([[1, 1], [0, 0]], [["a", "b"], ["a", "c"]], SPACE)
    model, table = model_and_table(votes)
    assert label_frame(votes, model, table)["class"].to_list() == ["a", None]


def test_rows_are_counted_by_class_and_source():
    frame = pl.DataFrame({"class": ["a", None, "b", "a"], "source": ["gold", None, "votes", "votes"]})
    assert counts_of(frame) == {"class": {"a": 2, "b": 1}, "source": {"gold": 1, "votes": 2}}


def test_one_file_has_a_row_for_each_row_in_order_however_they_are_cut(tmp_path):
    tables = []
    for number, cut in enumerate([{}, {"files": 7}, {"files": 2, "part_rows": 13}]):
        project = make(tmp_path / str(number), **cut)
        project.run()
        tables.append((project.folder / "out" / "labels.parquet").read_bytes())
    assert tables[0] == tables[1] == tables[2]
    assert pl.read_parquet(project.folder / "out" / "labels.parquet")["id"].equals(rows()["id"])


def test_a_file_a_part_holds_the_same_rows_and_is_listed_with_its_digest(tmp_path):
    whole, cut = make(tmp_path / "whole"), make(tmp_path / "cut", files=3, part_rows=40)
    toml = cut.folder / "shortlist.toml"
    toml.write_text(toml.read_text().replace("[output]", "[output]\npartitioned = true"))
    whole.run()
    (cut.folder / "out" / "labels").mkdir(parents=True)
    (cut.folder / "out" / "labels" / "part-00099.parquet").touch()  # of an earlier run, with more rows
    cut.run()
    listed = json.loads((cut.folder / "out" / "labels.json").read_text())["parts"]
    paths = [cut.folder / "out" / part["file"] for part in listed]
    assert sorted(paths) == sorted((cut.folder / "out" / "labels").iterdir())
    assert [part["rows"] for part in listed] == [40, 40, 20] * 3
    assert [part["digest"] for part in listed] == [sha256(path.read_bytes()).hexdigest() for path in paths]
    together = pl.concat(pl.read_parquet(path) for path in paths)
    assert together.equals(pl.read_parquet(whole.folder / "out" / "labels.parquet"))
