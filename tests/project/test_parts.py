"""Part: workers read the rows that they are told, each file once, and notice when it changes."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadFile
from shortlist.project.parts import bundles
from shortlist.rows import RowFile
from tests.project.news import rows
from tests.project.part_files import make


@pytest.fixture
def session(tmp_path):
    """300 rows in two files, in parts of 40: four of each file, the last of 30 rows."""
    with make(tmp_path / "p", files=2, part_rows=40).open() as session:
        yield session


@pytest.mark.parametrize("places", [[0], [3], [0, 1, 2, 3], [1, 3], [2, 3, 4], [0, 2, 5, 7]])
@pytest.mark.parametrize("columns", [None, ["id"]])
def test_the_rows_of_any_parts(session, places, columns):
    parts = [session.rows.parts[place] for place in places]
    frames = list(session.rows.reader.frames(parts, columns))
    table = rows() if columns is None else rows().select(columns)
    assert [frame.rows() for frame in frames] == [table[part.start : part.start + part.rows].rows() for part in parts]


def test_a_file_is_read_once_for_all_parts_of_a_piece(session, monkeypatch):
    scans, scan = [], RowFile._scan

    def watched(file):
        scans.append(file.path.name)
        return scan(file)

    parts, reader = session.rows.parts, session.rows.reader
    monkeypatch.setattr(RowFile, "_scan", watched)
    assert len(list(reader.frames(parts))) == 8
    assert scans == ["00.parquet", "01.parquet"]


def test_a_piece_has_as_many_rows_as_a_part_unless_more_are_asked_for(session):
    assert [len(piece) for piece in session.rows.pieces()] == [1] * 8
    assert [len(piece) for piece in session.rows.pieces(150)] == [4, 4]


def test_a_file_that_was_written_to_after_its_digest_was_taken(session):
    session.rows  # noqa: B018  takes the digests
    os.utime(session.rows.paths[1], ns=(1, 1))
    reader = session.rows.reader
    first, *_, last = session.rows.parts
    assert len(list(reader.frames([first]))) == 1
    with pytest.raises(BadFile, match=r"01.parquet changed while it was read: run again"):
        list(reader.frames([last]))


def test_a_file_that_has_become_shorter(session):
    parts, reader = session.rows.parts, session.rows.reader
    rows(100).write_parquet(session.rows.paths[0])
    with pytest.raises(BadFile, match=r"00.parquet changed while it was read: run again"):
        list(reader.frames(parts[:4]))


def test_small_things_go_together_and_groups_are_not_torn():
    groups = [(30,), (50,), (25, 10), (100, 20), (5,), (5,)]
    assert list(bundles(groups, lambda weight: weight, 100)) == [(30, 50), (25, 10), (100, 20), (5, 5)]


@given(st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=3)), st.integers(1, 100))
def test_every_thing_is_in_one_bundle_in_order(groups, most):
    made = list(bundles(groups, lambda weight: weight, most))
    assert [thing for bundle in made for thing in bundle] == [thing for group in groups for thing in group]
    heaviest = max(map(sum, groups), default=0)
    assert all(sum(bundle) <= max(most, heaviest) for bundle in made)
