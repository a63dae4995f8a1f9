"""VoteJob: what a worker elsewhere does with a piece: parts overlap where labelers search columns, and only there."""

import os
import threading

import pytest

from shortlist.errors import BadFile
from shortlist.labelers.apply import Asker
from shortlist.project.parts.ballots import PartPiece
from shortlist.project.parts.part import PartReader
from shortlist.project.parts.voting import SHARES, TOGETHER, vote
from tests.project.news import rows
from tests.project.parts.elsewhere import Elsewhere
from tests.project.parts.files import codes, make

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
    return [piece.parts for piece in engine.pieces if isinstance(piece, PartPiece)]


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
    assert sizes[0] == rows_each <= TOGETHER * 10
    assert sum(sizes) == m
    assert len(sizes) >= min(SHARES * workers, m // 10)


def test_a_part_that_is_known_is_written_and_not_read(tmp_path):
    project = make(tmp_path / "p", files=4)
    before = run(project, Elsewhere())
    kept = sorted((project.folder / ".shortlist" / "votes").glob("*/*.parquet"))
    kept[1].unlink()
    kept[2].write_bytes(b"damaged")
    with project.open() as session:
        done, _asked = vote(session.roster, session.rows, session.columns, Elsewhere())
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
    assert project.session.rows.sources[0][:24] in kept
    assert project.session.rows.sources[1][:24] not in kept
