"""Rows in: every format reads the same, in batches, and what cannot be read says why."""

import csv
import gzip
import io
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadFile, BadRows
from shortlist.rows import RowFile, reading, rows_at
from shortlist.rows.reading import distinct, take_slices
from shortlist.rows.row_file import INFERRED, _fields, file_kind

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


def test_a_folder_and_an_address_are_no_files(tmp_path):
    with pytest.raises(BadFile, match="is a folder"):
        RowFile(tmp_path)
    (tmp_path / "packages.csv").write_text("a\n1\n")
    with pytest.raises(BadFile, match=r"package.csv does not exist\. Did you mean 'packages.csv'\?"):
        RowFile(tmp_path / "package.csv")
    with pytest.raises(BadFile, match=r"does not exist\. Files of a store are named in shortlist\.toml"):
        RowFile("s3://bucket/rows.csv")


@pytest.mark.parametrize("name", ["rows.xls", "rows", "rows.gz", ".csv"])
def test_files_of_no_kind(name, tmp_path):
    with pytest.raises(BadFile, match="cannot be read: its name should end in one of"):
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


# -- files as people have them: semicolons, tabs, Latin-1, UTF-16, Excel ---------------------------------


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


# -- rows by number --------------------------------------------------------------------------------------


M = 2_000
LONG = pl.DataFrame({
    "id": range(M),
    "text": [None if a % 7 == 0 else f'"a", {a}\nline' for a in range(M)],
    "x": [a / 3 for a in range(M)],
    "none": [None] * M,
})  # fmt: skip
MANY_ROWS = [1_999, 3, 3, 0, 700, 701, 699]
WRITERS = {
    "rows.csv": lambda frame, path: frame.write_csv(path),
    "rows.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "rows.jsonl": lambda frame, path: frame.write_ndjson(path),
    "rows.csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
    "rows.parquet": lambda frame, path: frame.write_parquet(path, row_group_size=300),
}


@pytest.fixture(params=WRITERS)
def file(request, tmp_path):
    """A file of each kind."""
    WRITERS[request.param](LONG, tmp_path / request.param)
    return RowFile(tmp_path / request.param)


def test_rows_by_number_are_those_of_the_whole(file):
    whole = file.read()
    assert file.take(MANY_ROWS).equals(whole[MANY_ROWS])
    assert file.take(MANY_ROWS, ["x", "id"]).equals(whole[MANY_ROWS].select("x", "id"))
    assert file.take([]).equals(whole.head(0))


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


@given(st.lists(st.integers(0, M - 1), max_size=60), st.integers(1, 300))
def test_however_rows_are_read_together(numbers, span):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "SPAN", span)
        wanted, places = distinct(numbers)
        found = take_slices(LONG.lazy(), wanted)[places]
    assert found.equals(LONG[numbers] if numbers else LONG.head(0))


def test_only_what_is_near_is_read(monkeypatch):
    """Few rows far from one another are not all that lies between them."""
    read = []
    collect = pl.LazyFrame.collect
    monkeypatch.setattr(pl.LazyFrame, "collect", lambda self: read.append(len(collect(self))) or collect(self))
    monkeypatch.setattr(reading, "SPAN", 512)
    take_slices(LONG.lazy(), np.array([0, 400, 1_900]))
    assert read == [1, 401, 1]  # how many rows there are; two that are near; one that is not


def test_no_more_is_read_than_up_to_the_last_row(tmp_path, monkeypatch):
    LONG.write_csv(tmp_path / "rows.csv")
    file, read = RowFile(tmp_path / "rows.csv"), []
    monkeypatch.setattr(
        file, "batches", lambda _columns: (read.append(i) or LONG[i : i + 100] for i in range(0, M, 100))
    )
    assert file.take([150, 7])["id"].to_list() == [150, 7]
    assert read == [0, 100]


def test_rows_of_any_make_by_number(tmp_path):
    """Files by their own way, everything else chunk by chunk."""
    LONG.write_csv(tmp_path / "rows.csv")
    long_csv, numbers = RowFile(tmp_path / "rows.csv"), [700, 3]
    expected = {a: LONG.row(a, named=True) for a in numbers}
    for rows in (long_csv, LONG, LONG.lazy(), LONG.to_dicts(), iter(LONG.to_dicts())):
        found = rows_at(rows, numbers, M)
        assert {a: row["x"] for a, row in found.items()} == {a: row["x"] for a, row in expected.items()}
    for rows in (long_csv, LONG, iter(LONG.to_dicts())):
        with pytest.raises(BadRows, match="about 5 rows, and 2,000 rows"):
            rows_at(rows, [3], 5)


# -- files as other programs leave them ----------------------------------------------------------------------

TWO = [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]
JSONL = '{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n'
HUGE = 123456789012345678901234567890


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bom.jsonl", JSONL.encode("utf-8-sig")),
        ("bom.jsonl.gz", gzip.compress(JSONL.encode("utf-8-sig"), mtime=0)),
        ("wide.jsonl", JSONL.encode("utf-16")),
        ("cr.csv", b"id,text\r1,a\r2,b\r"),
        ("cr.csv.gz", gzip.compress(b"id,text\r1,a\r2,b\r", mtime=0)),
        ("cr.tsv", b"id\ttext\r1\ta\r2\tb\r"),
        ("cr.csv", b'id,text\r1,"a"\r2,"b"'),
        ("cr-latin.csv", "id,text,é\r1,a,\r2,b,\r".encode("latin-1")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_marks_and_ends_of_lines_of_other_systems(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    file = RowFile(tmp_path / name)
    assert file.read(["id", "text"]).to_dicts() == TWO
    assert (len(file), file.take([1], ["id", "text"]).to_dicts()) == (2, TWO[1:])


def test_a_lone_carriage_return_inside_quotes_ends_no_line(tmp_path):
    (tmp_path / "x.csv").write_bytes(b'id,text\n1,"a\rb"\n')
    assert RowFile(tmp_path / "x.csv").read().to_dicts() == [{"id": 1, "text": "a\rb"}]


def test_numbers_of_more_than_64_bits_are_text(tmp_path):
    (tmp_path / "x.jsonl").write_text(f'{{"id": {HUGE}, "text": "a"}}\n{{"id": 2, "text": "b"}}\n')
    frame = pl.DataFrame({"id": [HUGE, 2]}, schema={"id": pl.Int128}).with_columns(text=pl.Series(["a", "b"]))
    frame.write_parquet(tmp_path / "x.parquet")
    for name in ("x.jsonl", "x.parquet"):
        assert RowFile(tmp_path / name).read()["id"].to_list() == [str(HUGE), "2"]


CSV = "id,text\n" + "".join(f"{i},{i * 7919}\n" for i in range(5_000))


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("cut.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:-500], None),
        ("head.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:12], None),
        ("flipped.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:200] + b"\xff" * 300, None),
        ("cut.jsonl.gz", gzip.compress(JSONL.encode() * 5_000, mtime=0)[:-100], None),
        ("deep.jsonl", JSONL.encode() + b'{"id": 3, "text": ' + b"[" * 5_000 + b"]" * 5_000 + b"}\n", 3),
        ("open.jsonl", b'{"id": 3, "text": ' + b"[" * 50_000 + b"\n", 1),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damaged_files_are_bad_files(name, content, line, tmp_path):
    (tmp_path / name).write_bytes(content)
    for use in (len, RowFile.read, lambda file: file.take([0])):
        with pytest.raises(BadFile) as raised:
            use(RowFile(tmp_path / name))
        assert (raised.value.file, raised.value.line) == (str(tmp_path / name), line)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_blank_lines_are_no_rows(tmp_path, encoding):
    """Six blank lines became six rows. In a text, and in a file of one column, they are kept."""
    path = tmp_path / "rows.csv"
    path.write_text('a,b\n\n1,"x\n\né"\n\n\n2,y\n', encoding)
    file = RowFile(path, encoding=encoding)
    assert file.read().rows() == [(1, "x\n\né"), (2, "y")]
    assert (len(file), file.slice(1, 1).rows(), file.take([1, 0])["a"].to_list()) == (2, [(2, "y")], [2, 1])
    path.write_text("b\nx\n\ny\n", encoding)
    assert RowFile(path, encoding=encoding).read()["b"].to_list() == ["x", None, "y"]
