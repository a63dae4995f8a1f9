"""Unseen: whole parts are asked about while others are read and written; nothing is mixed up, lost or kept wrongly."""

import os

import numpy as np
import polars as pl
import pytest

from shortlist.engines import Local
from shortlist.errors import BadFile
from shortlist.labelers.apply import Asker
from shortlist.project.parts.voting import vote
from shortlist.project.rows import Rows
from tests.project.news import rows
from tests.project.parts.elsewhere import Elsewhere
from tests.project.parts.files import codes, make


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
    segments = Rows.segments

    def watched(self, columns=None, *, files=None):
        read.append(files)
        return segments(self, columns, files=files)

    monkeypatch.setattr(Rows, "segments", watched)
    project.run(["vote"])
    assert [files for files in read if files is not None] == [[3]]
    assert np.isin(project.session.votes.ids[-40:], ["xdoc" + str(a) for a in range(40)]).all()


def test_what_all_parts_have_in_common_is_held_once(tmp_path):
    project = make(tmp_path / "p", files=5, part_rows=20)
    with project.open() as session:
        how = session.roster, session.rows, session.columns
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
