"""Tables out: the same bytes however the rows are cut, and never half a file."""

import polars as pl
import pytest

from shortlist.errors import BadFile
from shortlist.rows import table_format, write_table

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
