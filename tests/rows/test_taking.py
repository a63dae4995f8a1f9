"""take(): rows by number are those that reading everything gives, from any file, and only what is near them is read."""

import gzip

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadFile, BadRows
from shortlist.rows import RowFile, rows_at, taking
from shortlist.rows import file as file_module
from shortlist.rows.taking import by_slices, distinct

M = 2_000
FRAME = pl.DataFrame({
    "id": range(M),
    "text": [None if a % 7 == 0 else f'"a", {a}\nline' for a in range(M)],
    "x": [a / 3 for a in range(M)],
    "none": [None] * M,
})  # fmt: skip
ROWS = [1_999, 3, 3, 0, 700, 701, 699]
WRITE = {
    "rows.csv": lambda frame, path: frame.write_csv(path),
    "rows.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "rows.jsonl": lambda frame, path: frame.write_ndjson(path),
    "rows.csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
    "rows.parquet": lambda frame, path: frame.write_parquet(path, row_group_size=300),
}


@pytest.fixture(autouse=True)
def any_file_is_worth_a_copy(monkeypatch):
    monkeypatch.setattr(file_module, "SMALL", 0)


@pytest.fixture(params=[(name, copied) for name in WRITE for copied in (False, True)], ids=str)
def file(request, tmp_path):
    """A file of each kind, with a place for a copy and without."""
    name, copied = request.param
    WRITE[name](FRAME, tmp_path / name)
    return RowFile(tmp_path / name, copy=tmp_path / "kept" / "copy.parquet" if copied else None)


def test_rows_by_number_are_those_of_the_whole(file):
    whole = file.read()
    for _ in range(2):  # the second time from the copy
        assert file.take(ROWS).equals(whole[ROWS])
        assert file.take(ROWS, ["x", "id"]).equals(whole[ROWS].select("x", "id"))
        assert file.take([]).equals(whole.head(0))
    assert file.copy is None or file.copy.exists() == (file.kind != "parquet")


@pytest.mark.parametrize("row", [-1, M])
def test_a_row_that_is_not_there(file, row):
    with pytest.raises(BadRows, match=f"there is no row {row}: there are 2,000 rows") as caught:
        file.take([5, row])
    assert caught.value.row == row
    with pytest.raises(BadFile, match="no column 'txt'"):
        file.take([5], ["txt"])


def test_a_file_without_rows(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n")
    file = RowFile(tmp_path / "rows.csv")
    assert file.take([]).columns == ["a", "b"]
    with pytest.raises(BadRows, match="there are 0 rows"):
        file.take([0])


@given(st.lists(st.integers(0, M - 1), max_size=60), st.integers(0, 50), st.integers(1, 300))
def test_however_rows_are_read_together(numbers, near, span):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(taking, "SPAN", span)
        wanted, places = distinct(numbers)
        found = by_slices(FRAME.lazy(), wanted, near)[places]
    assert found.equals(FRAME[numbers] if numbers else FRAME.head(0))


def test_only_what_is_near_is_read(monkeypatch):
    """Few rows far from one another are not all that lies between them."""
    read = []
    collect = pl.LazyFrame.collect
    monkeypatch.setattr(pl.LazyFrame, "collect", lambda self: read.append(len(collect(self))) or collect(self))
    by_slices(FRAME.lazy(), np.array([0, 400, 1_900]), near=512)
    assert read == [1, 401, 1]  # how many rows there are; two that are near; one that is not


@pytest.fixture
def csv(tmp_path):
    FRAME.write_csv(tmp_path / "rows.csv")
    return RowFile(tmp_path / "rows.csv", copy=tmp_path / "copy.parquet")


def test_many_rows_are_read_and_not_copied(csv, monkeypatch):
    monkeypatch.setattr(file_module, "MANY", 3)
    assert csv.take([5, 9, 2, 1], ["id"])["id"].to_list() == [5, 9, 2, 1]
    assert not csv.copy.exists()
    csv.take([5])
    assert csv.copy.exists()


def test_a_copy_is_read_instead_of_the_file(csv):
    csv.take([1])
    FRAME.with_columns(id=-pl.col("id")).write_parquet(csv.copy)
    assert csv.take([7])["id"].to_list() == [-7]


def test_a_damaged_copy_is_made_again(csv):
    csv.copy.write_bytes(b"nonsense")
    assert csv.take([7])["id"].to_list() == [7]
    assert not csv.copy.exists()
    assert csv.take([7])["id"].to_list() == [7]
    assert pl.read_parquet(csv.copy).equals(csv.read())


def test_a_small_file_is_not_copied(csv, monkeypatch):
    monkeypatch.setattr(file_module, "SMALL", csv.path.stat().st_size + 1)
    assert csv.take([7])["id"].to_list() == [7]
    assert not csv.copy.exists()


def test_without_room_on_the_disk_the_file_itself_is_read(csv, monkeypatch):
    monkeypatch.setattr(file_module.shutil, "disk_usage", lambda _: Usage(free=10))
    assert csv.take([7])["id"].to_list() == [7]
    assert not csv.copy.exists()


class Usage:
    def __init__(self, free):
        self.free = free


def test_a_folder_that_cannot_be_written_to(csv, tmp_path):
    (tmp_path / "kept").write_text("a file where the folder should be")
    csv.copy = tmp_path / "kept" / "copy.parquet"
    assert csv.take([7])["id"].to_list() == [7]


def test_a_disk_that_is_full_after_all(csv, tmp_path, monkeypatch):
    def full(_self, file, **_options):
        file.write(b"half")
        raise pl.exceptions.ComputeError("parquet: underlying IO error: No space left on device (os error 28)")

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", full)
    assert csv.take([7])["id"].to_list() == [7]
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_a_file_that_changes_while_it_is_copied(csv, tmp_path):
    FRAME.head(9).write_csv(tmp_path / "rows.csv")
    with pytest.raises(BadFile, match=r"rows.csv changed while it was read: run again"):
        csv.take([7])
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]  # no copy, and nothing half written


def test_rows_of_any_make_by_number(csv):
    """Files by their own way, everything else chunk by chunk."""
    numbers = [700, 3]
    expected = {a: FRAME.row(a, named=True) for a in numbers}
    for rows in (csv, FRAME, FRAME.lazy(), FRAME.to_dicts(), iter(FRAME.to_dicts())):
        found = rows_at(rows, numbers, M)
        assert {a: row["x"] for a, row in found.items()} == {a: row["x"] for a, row in expected.items()}
    for rows in (csv, FRAME, iter(FRAME.to_dicts())):
        with pytest.raises(BadRows, match="about 5 rows, and 2,000 rows"):
            rows_at(rows, [3], 5)
