"""Rows in: every format reads the same, in batches, and what cannot be read says why."""

import gzip

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadFile
from shortlist.rows import RowFile
from shortlist.rows.file import file_kind
from shortlist.rows.unreadable import INFERRED

FRAME = pl.DataFrame({"id": [1, 2, 3], "text": ["a, b", 'say "é"\nmore', None], "x": [0.5, None, 2.0]})
WRITE = {
    "csv": lambda frame, path: frame.write_csv(path),
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "jsonl": lambda frame, path: frame.write_ndjson(path),
    "ndjson": lambda frame, path: frame.write_ndjson(path),
    "parquet": lambda frame, path: frame.write_parquet(path),
}


@pytest.mark.parametrize("kind", WRITE)
@pytest.mark.parametrize("name", ["rows", "rows [1] *?"])
def test_every_format_reads_the_same(kind, name, tmp_path):
    path = tmp_path / f"{name}.{kind}"
    WRITE[kind](FRAME, path)
    file = RowFile(path)
    assert file.read().equals(FRAME)
    assert len(file) == 3
    assert file.columns == ["id", "text", "x"]
    assert file.read(["x", "id"]).columns == ["x", "id"]
    assert file.head(1).height == 1


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_batches_put_together_are_the_whole(kind, size, tmp_path):
    frame = pl.DataFrame({"a": range(500), "b": [f"text {a}" for a in range(500)]})
    path = tmp_path / f"rows.{kind}"
    WRITE[kind](frame, path)
    parts = list(RowFile(path).batches(size=size))
    assert [len(part) for part in parts[:-1]] == [size] * (len(parts) - 1)
    assert pl.concat(parts).equals(frame)


def test_packed_files_are_read(tmp_path):
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert RowFile(tmp_path / "rows.csv.gz").read().rows() == [(1, "x")]


def test_types_can_be_told(tmp_path):
    (tmp_path / "rows.csv").write_bytes(b"zip,n\n01234,1\n")
    assert RowFile(tmp_path / "rows.csv").read()["zip"].to_list() == [1234]
    told = RowFile(tmp_path / "rows.csv", {"zip": "text", "n": "number"}).read()
    assert told.rows() == [("01234", 1.0)]
    pl.DataFrame({"n": [1, 2]}).write_parquet(tmp_path / "rows.parquet")
    assert RowFile(tmp_path / "rows.parquet", {"n": "text"}).read()["n"].to_list() == ["1", "2"]


def test_what_comes_late_is_told_with_its_remedy(tmp_path):
    lines = b"n,text\n" + b"1,a\n" * (INFERRED + 10) + b"many,a\n"
    (tmp_path / "rows.csv").write_bytes(lines)
    with pytest.raises(BadFile, match=r"column 'n' holds 'many'.*\[data.types\].*n = \"text\""):
        RowFile(tmp_path / "rows.csv").read()
    assert RowFile(tmp_path / "rows.csv", {"n": "text"}).read()["n"][-1] == "many"


def test_a_column_that_is_not_there(tmp_path):
    FRAME.write_csv(tmp_path / "rows.csv")
    with pytest.raises(BadFile, match=r"no column 'txt'\. Did you mean 'text'"):
        list(RowFile(tmp_path / "rows.csv").batches(["txt"]))


@pytest.mark.parametrize("name", ["rows.xls", "rows", "rows.gz", ".csv"])
def test_files_of_no_kind(name, tmp_path):
    with pytest.raises(BadFile, match="of no kind that can be read"):
        file_kind(tmp_path / name)


@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), min_size=1, max_size=20
    )
)
def test_any_text_survives_a_csv_file(texts, tmp_path_factory):
    """What is written is read, whatever the text; an empty one is none."""
    path = tmp_path_factory.mktemp("csv") / "rows.csv"
    frame = pl.DataFrame({"n": range(len(texts)), "text": texts})
    frame.write_csv(path)
    found = RowFile(path, {"text": "text"}).read()
    assert [text or "" for text in found["text"].to_list()] == texts
