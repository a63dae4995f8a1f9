"""Voting: parts that were seen are not read again; nothing is mixed up, lost or cached wrongly, here and elsewhere."""

import os
import threading

import numpy as np
import polars as pl
import pytest

from shortlist.engines import Local
from shortlist.errors import BadFile
from shortlist.labelers.apply import Asker
from shortlist.project.parts import PartReader
from shortlist.project.rows import Rows
from shortlist.project.voting import vote
from tests.project.news import rows
from tests.project.part_files import Elsewhere, codes, make

CODE = """from shortlist import labeler


@labeler(says=["sports"])
def goal(text):
    return "sports" if "goal" in text else None
"""


def run(project, engine):
    project.run(["vote"], engine=engine)
    return project.session.votes


def voted_on(engine):
    """The parts of each piece that was voted on."""
    return [tuple(piece) for piece in engine.pieces if isinstance(piece, dict)]


def test_parts_are_read_while_others_are_searched(tmp_path, monkeypatch):
    project, engine = make(tmp_path / "p", files=30), Elsewhere()
    third = threading.Event()
    frames, ask = PartReader.frames, Asker.__call__

    def read(self, parts, columns=None):
        for place, frame in enumerate(frames(self, parts, columns)):
            if place == 2:
                third.set()
            yield frame

    def wait(self, chunk):
        assert third.wait(60), "the third part is not read before the first was searched"
        return ask(self, chunk)

    monkeypatch.setattr(PartReader, "frames", read)
    monkeypatch.setattr(Asker, "__call__", wait)
    assert (run(project, engine).codes == codes(rows())).all()
    assert [len(parts) for parts in voted_on(engine)] == [30]


def test_labelers_that_are_code_are_asked_one_part_after_the_other(tmp_path, monkeypatch):
    project, engine = make(tmp_path / "p", files=30, part_rows=20), Elsewhere()
    (project.folder / "labelers.py").write_text(CODE)
    threads, ask = set(), Asker.__call__

    def noted(self, chunk):
        threads.add(threading.current_thread())
        return ask(self, chunk)

    monkeypatch.setattr(Asker, "__call__", noted)
    found = run(project, engine)
    assert (found.codes[:, found.names.index("goal")] > 0).tolist() == ["goal" in body for body in rows()["body"]]
    assert threads == {threading.main_thread()}
    assert [len(parts) for parts in voted_on(engine)] == [2] * 15  # ten rows each: as many as a part may have


@pytest.mark.parametrize(("m", "workers", "rows_each"), [(300, 1, 30), (300, 3, 10), (2000, 1, 80), (40, 1, 10)])
def test_searches_get_several_parts_at_a_time_and_every_worker_several_pieces(tmp_path, m, workers, rows_each):
    project, engine = make(tmp_path / "p", part_rows=10, m=m), Elsewhere(workers)
    run(project, engine)
    sizes = [sum(part.rows for part in parts) for parts in voted_on(engine)]
    assert sizes[0] == rows_each <= 8 * 10
    assert sum(sizes) == m
    assert len(sizes) >= min(8 * workers, m // 10)


def test_a_part_that_is_known_is_written_and_not_read(tmp_path):
    project = make(tmp_path / "p", files=4)
    before = run(project, Elsewhere())
    kept = sorted((project.folder / ".shortlist" / "votes").glob("*/*.parquet"))
    kept[1].unlink()
    kept[2].write_bytes(b"damaged")
    with project.open() as session:
        done, _asked = vote(session.roster, session.rows, session.vote_cache, Elsewhere())
    assert sum(bool(voted.asked) for voted in done) == 2
    assert [tuple(row) for voted in done for row in voted.votes.codes.tolist()] == [
        tuple(row) for row in before.codes.tolist()
    ]


def test_of_a_file_that_is_written_to_meanwhile_a_worker_keeps_nothing(tmp_path, monkeypatch):
    project = make(tmp_path / "p", files=3)
    ask = Asker.__call__

    def touch(self, chunk):
        os.utime(project.folder / "rows" / "01.parquet", ns=(1, 1))
        return ask(self, chunk)

    monkeypatch.setattr(Asker, "__call__", touch)
    with pytest.raises(BadFile, match=r"01.parquet changed while it was read: run again"):
        project.run(["vote"], engine=Elsewhere())
    kept = {path.name[:24] for path in (project.folder / ".shortlist" / "votes").glob("*/*.parquet")}
    assert project.session.rows.sources[1][:24] not in kept


# -- on this machine --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("files", "part_rows"), [(1, 1000), (1, 7), (13, 1000), (13, 10)])
def test_votes_are_those_of_the_rows_however_they_are_cut(tmp_path, files, part_rows):
    project = make(tmp_path / "p", files=files, part_rows=part_rows)
    project.run(["vote"])
    assert (project.session.votes.codes == codes(rows())).all()


def test_two_workers_write_the_same_files_as_one(tmp_path):
    one, two = (make(tmp_path / name, files=5, part_rows=20) for name in ("one", "two"))
    one.run(["vote"])
    two.run(["vote"], engine=Local(2))
    for path in sorted((one.folder / "out" / "votes").iterdir()):
        assert (two.folder / "out" / "votes" / path.name).read_bytes() == path.read_bytes()


def test_workers_of_this_machine_get_rows_of_the_next_part_before_the_last_one_is_done(tmp_path):
    drawn = []

    class Eager:
        workers = 2

        def map(self, function, pieces):
            drawn.append(list(pieces))
            return ((number, function(piece)) for number, piece in drawn[-1])

    project = make(tmp_path / "p", files=3, part_rows=60)
    assert (run(project, Eager()).codes == codes(rows())).all()
    (pieces,) = drawn
    assert len({part.place for _number, (part, *_) in pieces}) == 6


def test_of_a_file_that_is_written_to_meanwhile_nothing_is_kept(tmp_path, monkeypatch):
    project = make(tmp_path / "p", files=3)
    asked = Asker.__call__

    def ask(self, chunk):
        if chunk.start == 100:  # the first row of the second file
            path = project.folder / "rows" / "01.parquet"
            os.utime(path, ns=(1, 1))
        return asked(self, chunk)

    monkeypatch.setattr(Asker, "__call__", ask)
    with pytest.raises(BadFile, match=r"01.parquet changed while it was read: run again"):
        project.run(["vote"])
    kept = [path.name for path in (project.folder / ".shortlist" / "votes").glob("*/*.parquet")]
    second = project.session.rows.sources[1]
    assert kept
    assert not [name for name in kept if name.startswith(second[:24])]


def test_of_several_files_that_cannot_be_read_the_first_is_told(tmp_path):
    project = make(tmp_path / "p", files=6)
    for number in (2, 4):
        path = project.folder / "rows" / f"{number:02}.parquet"
        content = path.read_bytes()
        path.write_bytes(content[:4] + bytes(400) + content[404:])
    with pytest.raises(BadFile, match=r"02\.parquet"):
        project.run(["vote"])


def test_a_part_that_is_kept_is_not_read_again(tmp_path, monkeypatch):
    project = make(tmp_path / "p", files=3)
    project.run(["vote"])
    rows(40, seed=9).with_columns(id=pl.lit("x") + pl.col("id")).write_parquet(project.folder / "rows" / "03.parquet")
    read = []
    frames = Rows.frames

    def watched(self, parts, columns=None):
        if columns is None:
            read.append([part.file for part in parts])
        return frames(self, parts, columns)

    monkeypatch.setattr(Rows, "frames", watched)
    project.run(["vote"])
    assert read == [[3]]
    assert np.isin(project.session.votes.ids[-40:], ["xdoc" + str(a) for a in range(40)]).all()


def test_what_all_parts_have_in_common_is_held_once(tmp_path):
    project = make(tmp_path / "p", files=5, part_rows=20)
    with project.open() as session:
        how = session.roster, session.rows, session.vote_cache
        for engine in (Local(1), Elsewhere()):
            done, _asked = vote(*how, engine, target=tmp_path / "votes")
            assert len(done) == 15
            assert len({id(voted.like) for voted in done}) == 1


def test_a_second_name_of_kept_votes_survives_when_they_are_pruned(tmp_path):
    project = make(tmp_path / "p", files=2)
    project.run(["vote"])
    before = project.session.votes
    for path in (project.folder / ".shortlist" / "votes").glob("*/*.parquet"):
        path.unlink()
    assert type(project)(project.folder).session.votes == before
