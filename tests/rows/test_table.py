"""Tables out: the same bytes however the rows are cut, and never half a file."""

import csv

import polars as pl
import pytest

from shortlist.errors import BadFile
from shortlist.rows import table_format, write_table
from shortlist.wording import listed, split_names

FRAME = pl.DataFrame({"id": [f"r{a}" for a in range(1000)], "p": [a / 7 for a in range(1000)],
                      "s": [["a", "b"], ["b"]] * 500})  # fmt: skip


def cut(size):
    return (FRAME[a : a + size] for a in range(0, len(FRAME), size))


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_the_bytes_do_not_depend_on_the_cuts(kind, tmp_path):
    files = [write_table(tmp_path / f"{size}.{kind}", cut(size), FRAME.schema) for size in (1, 64, 333, 5000)]
    assert len({path.read_bytes() for path in files}) == 1


def test_what_is_written_is_read(tmp_path):
    assert pl.read_parquet(write_table(tmp_path / "t.parquet", cut(300), FRAME.schema)).equals(FRAME)
    assert pl.read_ndjson(write_table(tmp_path / "t.jsonl", cut(300), FRAME.schema)).equals(FRAME)
    csv = pl.read_csv(write_table(tmp_path / "t.csv", cut(300), FRAME.schema))
    assert csv["s"].to_list() == ["a|b", "b"] * 500
    assert csv["p"].to_list() == FRAME["p"].to_list()


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_a_failure_leaves_the_old_file_alone(kind, tmp_path):
    path = write_table(tmp_path / f"t.{kind}", cut(300), FRAME.schema)
    before = path.read_bytes()

    def broken():
        yield FRAME[:10]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_table(path, broken(), FRAME.schema)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_no_rows_make_a_file_all_the_same(kind, tmp_path):
    assert write_table(tmp_path / f"t.{kind}", iter([]), FRAME.schema).exists()


def test_formats_go_by_the_name():
    assert table_format("a/b.PARQUET") == "parquet"
    assert table_format("b.ndjson") == "jsonl"
    with pytest.raises(BadFile, match=r"end in \.parquet, \.csv or \.jsonl"):
        table_format("labels.xlsx")


@pytest.mark.parametrize("text", ['=cmd|"/c calc"!A1', "+1+cmd", "@SUM(A1)", "-2+3*x", "\t=1"])
def test_csv_holds_nothing_that_a_spreadsheet_takes_for_a_formula(tmp_path, text):
    """Attack, notes: class names and ids that begin with = were written as they are."""
    frame = pl.DataFrame({text: [text, "plain"], "set": [[text, "b"], ["b"]]})
    path = write_table(tmp_path / "x.csv", [frame], frame.schema)
    joined = listed([text, "b"], "|", gap="")  # what stands in quotation marks is no formula
    assert pl.read_csv(path).rows() == [(f"'{text}", joined if joined[0] == '"' else f"'{joined}"), ("plain", "b")]
    with path.open(newline="") as file:
        assert next(csv.reader(file)) == [f"'{text}", "set"]
    exact = write_table(tmp_path / "x.parquet", [frame], frame.schema)
    assert pl.read_parquet(exact).equals(frame)


@pytest.mark.parametrize("text", ["-5", "+4.5e-3", "3-4"])
def test_numbers_are_no_formulas(tmp_path, text):
    frame = pl.DataFrame({"id": [text]})
    assert write_table(tmp_path / "x.csv", [frame], frame.schema).read_text() == f"id\n{text}\n"


def test_a_name_may_hold_the_sign_between_names(tmp_path):
    """`a|b` and `c` were written as a|b|c, which reads as three names."""
    lists = [["a|b", "c"], ["c"], [], ['"q"', "d"], ['say "x"', "e, f"]]
    frame = pl.DataFrame({"set": lists}, schema={"set": pl.List(pl.String)})
    path = write_table(tmp_path / "x.csv", [frame], frame.schema)
    cells = [cell or "" for cell in pl.read_csv(path)["set"].to_list()]
    assert cells[:2] == ['"a|b"|c', "c"]
    assert [split_names(cell, "|") for cell in cells] == lists
    assert [next(csv.reader([cell], delimiter="|"), []) for cell in cells] == lists


@pytest.mark.parametrize("values", [[[1, 2]], [b"x"], [{"a": 1}]])
def test_what_csv_cannot_hold_is_told_before_the_work(tmp_path, values):
    """Attack C4: an error of polars."""
    frame = pl.DataFrame({"id": values})
    with pytest.raises(BadFile, match=r"x\.csv cannot be written: column 'id' holds .* Write parquet"):
        write_table(tmp_path / "x.csv", [frame], frame.schema)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_an_error_of_who_makes_the_rows_is_told_as_it_is(tmp_path, kind):
    def frames():
        yield pl.DataFrame({"id": [1]})
        raise BadFile("changed while it was read", file="rows.csv")

    with pytest.raises(BadFile, match=r"rows\.csv changed"):
        write_table(tmp_path / f"x.{kind}", frames(), {"id": pl.Int64()})
