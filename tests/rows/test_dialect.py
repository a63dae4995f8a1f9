"""Files as people have them: semicolons, tabs, Latin-1, UTF-16, Excel."""

import csv
import gzip
import io
import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadFile
from shortlist.rows import RowFile
from shortlist.rows.dialect import _fields

ROWS = [(1, "Grüße; an, alle"), (2, "naïve | café"), (3, "plain")]


def written(sign, encoding):
    lines = [f"id{sign}text", *(f'{a}{sign}"{text}"' for a, text in ROWS)]
    return ("\r\n".join(lines) + "\r\n").encode(encoding)


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz"])
def test_separator_and_encoding_are_found(tmp_path, sign, encoding, name):
    content = written(sign, encoding)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    file = RowFile(tmp_path / name)
    assert file.read().rows() == ROWS
    assert (file.columns, len(file)) == (["id", "text"], 3)
    assert file.take([2, 0], ["id"])["id"].to_list() == [3, 1]


def test_what_is_given_counts(tmp_path):
    (tmp_path / "x.csv").write_bytes("a;b,c\n1;2,é\n".encode("latin-1"))
    assert RowFile(tmp_path / "x.csv").columns == ["a;b", "c"]
    named = RowFile(tmp_path / "x.csv", separator=";", encoding="latin-1")
    assert named.read().rows() == [(1, "2,é")]


@pytest.mark.parametrize("content", ["text\none, two\nthree\n", "text\n"])
def test_one_column_is_one_column(tmp_path, content):
    (tmp_path / "x.csv").write_text(content)
    assert RowFile(tmp_path / "x.csv", {"text": "text"}).dialect.separator == ","


def test_a_sheet_is_a_table(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in [("id", "text", "mixed"), (1, "Grüße", "x"), (2, None, 3)]:
        book.active.append(line)
    book.save(tmp_path / "x.xlsx")
    file = RowFile(tmp_path / "x.xlsx")
    assert file.read().rows() == [(1, "Grüße", "x"), (2, None, "3")]
    assert file.schema == {"id": pl.Int64, "text": pl.String, "mixed": pl.String}


def test_what_is_no_sheet_is_told(tmp_path):
    (tmp_path / "x.xlsx").write_bytes(b"PK no")
    with pytest.raises(BadFile, match=r"x\.xlsx cannot be read: it is no Excel file"):
        RowFile(tmp_path / "x.xlsx").read()


def test_a_field_may_be_longer_than_the_csv_module_takes(tmp_path):
    """128 KB is its limit: the separator was not found, and the file seemed to have one column."""
    pl.DataFrame({"text": ["word " * 30_000, "a; b"], "k": [1, 2]}).write_csv(tmp_path / "x.csv", separator=";")
    assert RowFile(tmp_path / "x.csv").columns == ["text", "k"]
    assert RowFile(tmp_path / "x.csv").read()["text"][1] == "a; b"


@given(st.text(st.sampled_from('ab;,"\n\r '), min_size=1, max_size=14), st.sampled_from(",;"))
def test_fields_are_counted_as_the_csv_module_does(text, sign):
    counts = {len(record) for record in csv.reader(io.StringIO(text, newline=""), delimiter=sign) if record}
    assert _fields(text, sign) == (counts.pop() if len(counts) == 1 else 0)


@pytest.mark.parametrize(("sign", "option"), [(";", "';'"), ("\t", "tab")])
def test_a_sign_that_is_not_found_out_can_be_named(tmp_path, sign, option):
    (tmp_path / "x.csv").write_text(f"text{sign}k\na{sign}1\nb{sign}2{sign}3\n")
    with pytest.raises(BadFile) as error:
        RowFile(tmp_path / "x.csv").need("text")
    assert f"separator = {json.dumps(sign)} under [data], or `init --separator {option}`" in str(error.value)
