"""RowFile: a csv, jsonl or parquet file of rows, read in batches so that it may be larger than memory."""

from __future__ import annotations

import codecs
import glob
import gzip
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shortlist.archive import atomic
from shortlist.arrays import Positions
from shortlist.errors import BadFile, MissingPackage, ShortlistError, require
from shortlist.rows.reading import RowStore, by_batches, by_slices, distinct
from shortlist.wording import did_you_mean

KINDS = {
    ".xlsx": "xlsx",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
PACKED = (".gz", ".zst")
TYPES: dict[str, type[pl.DataType]] = {
    "text": pl.String,
    "number": pl.Float64,
    "integer": pl.Int64,
    "boolean": pl.Boolean,
}
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "|"}
BATCH = 65_536  # rows
INFERRED = 100_000  # rows that are looked at to find out what a column holds
GROUP = 4_096  # rows of a row group of a copy: what is read to find one row
MANY = 10_000  # rows: to take more than this, all of a file is read and no copy is made
SMALL = 1 << 22  # bytes: a file below this is read in milliseconds, and never copied
UNPACKED = 8  # times as large a packed file may become


class RowFile(RowStore):
    """One file of rows.

    path    a csv, tsv, jsonl or parquet file, packed by gzip or zstd or not; or the first sheet of an xlsx file
    types   what columns hold ("text", "number", "integer", "boolean") where the first rows mislead
    separator, encoding   of a csv file, where they are not found out as they should be
    copy    where a copy in parquet may be kept, so that rows are found by number without reading all of them
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        types: Mapping[str, str] | None = None,
        copy: Path | None = None,
        *,
        separator: str | None = None,
        encoding: str | None = None,
    ) -> None:
        self.path = Path(path)
        self.kind = file_kind(self.path)
        self.types = dict(types or {})
        self.copy = copy
        if not self.path.exists():
            raise BadFile("does not exist", file=str(path))
        if self.path.is_dir():
            raise BadFile("is a folder, not a file of rows", file=str(path))
        self.given = separator, encoding
        self._frame: pl.DataFrame | None = None  # of files that have to be read as a whole
        self._schema: dict[str, pl.DataType] | None = None
        self.stamp = stamp(self.path)  # of the version that is read

    def __repr__(self) -> str:
        return f"RowFile({str(self.path)!r})"

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Column → what it holds."""
        if self._schema is None:
            with explained(self.path):
                self._schema = dict(self._scan().collect_schema())
        return self._schema

    @property
    def columns(self) -> list[str]:
        return list(self.schema)

    def need(self, *columns: str) -> None:
        """Raise where a column is not there."""
        for name in columns:
            if name not in self.schema:
                raise self.missing_column(name)

    def missing_column(self, name: str) -> BadFile:
        """The error that it has no such column, and what may be the matter."""
        header = self.columns[0] if len(self.columns) == 1 and self.kind in ("csv", "tsv") else ""
        if wrong := next((sign for sign in SEPARATORS if sign in header), None):
            hint = f"Its fields seem to be separated by {SEPARATORS[wrong]}. {other_sign(wrong)}"
        else:
            hint = f"{did_you_mean(name, self.columns)} Columns: {', '.join(self.columns)}".strip()
        return BadFile(f"has no column {name!r}. {hint}", file=str(self.path), column=name)

    def check_unchanged(self) -> None:
        """Raise where the file was written to since it was first looked at: what was read may be of either version."""
        if stamp(self.path) != self.stamp:
            raise BadFile("changed while it was read: run again", file=self.path.name)

    def __len__(self) -> int:
        if self.copy is not None and self.copy.exists():
            with suppress(pl.exceptions.PolarsError, OSError):
                return _count(pl.scan_parquet(self.copy, glob=False))
        with explained(self.path):
            return _count(self._scan())

    def batches(
        self, columns: Sequence[str] | None = None, size: int = BATCH, among: tuple[int, int] | None = None
    ) -> Iterator[pl.DataFrame]:
        """The rows in order, `size` at a time: all of them, or `among` = (first, count) rows as `slice` reads them."""
        if columns is not None:
            self.need(*columns)
        with explained(self.path):
            table = _some(self._scan(), columns)
            chosen = table if among is None else table.slice(*among)
            yield from chosen.collect_batches(chunk_size=size, maintain_order=True)

    def slice(self, first: int, count: int, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Some rows that follow one another. Only a parquet file is read from there; any other from its beginning."""
        if columns is not None:
            self.need(*columns)
        with explained(self.path):
            return _some(self._scan(), columns).slice(first, count).collect()

    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All rows at once."""
        parts = list(self.batches(columns))
        return pl.concat(parts) if parts else self._empty(columns)

    def head(self, n: int) -> pl.DataFrame:
        """The first rows."""
        with explained(self.path):
            return self._scan().head(n).collect()

    def take(self, numbers: Sequence[int] | Positions, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows of these numbers, in the order of the numbers.

        Of a parquet file, only the row groups that hold them are read. Any other file is read from its beginning, or
        copied to parquet the first time (where there is a place for that, and it is worth it).
        """
        wanted, places = distinct(numbers)
        if columns is not None:
            self.need(*columns)
        with explained(self.path):
            if self.kind == "parquet":
                found: pl.DataFrame | None = by_slices(_some(self._scan(), columns), wanted, near=BATCH)
            else:
                found = self._take_from_copy(wanted, columns)
                found = by_batches(self.batches(columns), wanted) if found is None else found
        return self._empty(columns) if found is None else found[places]

    def _take_from_copy(self, wanted: Positions, columns: Sequence[str] | None) -> pl.DataFrame | None:
        """None where there is no copy, and none should be made."""
        if self.copy is None or not (self.copy.exists() or (len(wanted) <= MANY and self._copied(self.copy))):
            return None
        try:
            return by_slices(_some(pl.scan_parquet(self.copy, glob=False), columns), wanted, near=GROUP // 8)
        except (pl.exceptions.PolarsError, OSError):  # damaged: it is made again the next time
            self.copy.unlink(missing_ok=True)
            return None

    def _copied(self, copy: Path) -> bool:
        """Write the rows as parquet, where that is worth it and the disk has room."""
        size = self.path.stat().st_size * (UNPACKED if self.path.suffix in PACKED else 1)
        if size < SMALL:
            return False
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(copy.parent).free < 2 * size:
                return False
            with atomic(copy) as file:
                self._scan().sink_parquet(file, compression="uncompressed", row_group_size=GROUP, statistics=False)
                self.check_unchanged()
        except (BadFile, OSError) as error:  # a full disk is no reason to fail; a file that cannot be read is one, and
            if isinstance(error, BadFile) and error.file != str(copy):  # tells so when it is read itself
                raise
            return False
        return True

    def _empty(self, columns: Sequence[str] | None) -> pl.DataFrame:
        return pl.DataFrame(schema={name: self.schema[name] for name in columns or self.columns})

    def _scan(self) -> pl.LazyFrame:
        if self.kind == "parquet":
            return self._cast(pl.scan_parquet(self.path, glob=False))
        wanted = {name: TYPES[kind] for name, kind in self.types.items()}
        if self.kind == "jsonl":
            name = glob.escape(str(self.path))  # [ and * in the name of a file are what they are
            return pl.scan_ndjson(name, schema_overrides=wanted or None, infer_schema_length=INFERRED)
        if self.kind == "xlsx":
            return self._cast(self._whole().lazy())
        how: dict[str, Any] = {"separator": self.dialect.separator, "infer_schema_length": INFERRED}
        if self.dialect.encoding != "utf-8":
            return self._cast(self._whole(**how, schema_overrides=wanted or None).lazy())
        return pl.scan_csv(self.path, schema_overrides=wanted or None, glob=False, **how)

    @cached_property
    def dialect(self) -> Dialect:
        """The separator and the encoding of a csv file."""
        with explained(self.path):
            return find_dialect(self.path, *self.given, usual="\t" if self.kind == "tsv" else ",")

    def _whole(self, **how: Any) -> pl.DataFrame:
        """All rows of a file that cannot be read piece by piece: a sheet, or text that is not in UTF-8."""
        if self._frame is None:
            self._frame = read_sheet(self.path) if self.kind == "xlsx" else self._recoded(**how)
        return self._frame

    def _recoded(self, **how: Any) -> pl.DataFrame:
        try:
            text = text_of(self.path, self.dialect.encoding)
        except UnicodeError as error:
            what = f"it is not in {self.dialect.encoding}. {other_encoding()}"
            raise BadFile(f"cannot be read: {what}", file=str(self.path)) from error
        return pl.read_csv(text.encode("utf-8"), **how)

    def _cast(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Parquet says itself what columns hold, unless it is asked otherwise."""
        there = frame.collect_schema()
        wanted = {name: TYPES[kind] for name, kind in self.types.items() if name in there}
        return frame.cast({name: kind for name, kind in wanted.items() if there[name] != kind})


def _count(table: pl.LazyFrame) -> int:
    return int(table.select(pl.len()).collect(engine="streaming").item())


def _some(table: pl.LazyFrame, columns: Sequence[str] | None) -> pl.LazyFrame:
    return table if columns is None else table.select(columns)


def file_kind(path: Path) -> str:
    """csv, tsv, jsonl or parquet, by the name of the file."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    kind = KINDS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        known = ", ".join(KINDS)
        raise BadFile(f"is of no kind that can be read: its name should end in one of {known}", file=str(path))
    return kind


def stamp(path: Path) -> tuple[int, int, int]:
    """What changes when a file is written to."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino


# -- csv dialects ----------------------------------------------------------------------------------------


LINE_END = re.compile(r"\r\n|\r|\n")
SAMPLE = 1 << 20  # bytes that are looked at
RECORDS = 100  # of the sample, to count fields
BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
LATIN = "cp1252"  # what Windows writes in Western Europe; all of Latin-1 that people write is the same in it


class Dialect(NamedTuple):
    """The sign between fields, and the encoding as Python calls it."""

    separator: str
    encoding: str


def find_dialect(path: Path, separator: str | None, encoding: str | None, usual: str) -> Dialect:
    """What is given, and else what the beginning of the file shows; `usual` where nothing speaks against it."""
    sample = _beginning(path)
    found = codecs.lookup(encoding).name if encoding else _encoding(sample)
    return Dialect(separator or _separator(sample.decode(found, "replace"), usual), found)


def text_of(path: Path, encoding: str) -> str:
    """All of a file as text."""
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode(encoding)


def _beginning(path: Path) -> bytes:
    if path.suffix == ".zst":
        return b""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return bytes(file.read(SAMPLE))


def _encoding(sample: bytes) -> str:
    for mark, encoding in BOMS.items():
        if sample.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # a character may be cut at the end of the sample
    except UnicodeDecodeError:
        return LATIN
    return "utf-8"


def _separator(text: str, usual: str) -> str:
    """The usual sign where the header has it; else the sign that cuts all records into as many fields as the header."""
    header = text.lstrip("\ufeff").split("\n", 1)[0]
    if usual in header and _fields(text, usual):
        return usual
    counts = {sign: _fields(text, sign) for sign in SEPARATORS if sign in header}
    best = max(counts, key=lambda sign: counts[sign], default=usual)
    return best if counts.get(best, 0) > 1 else usual


def _fields(text: str, sign: str) -> int:
    """How many fields every record has; 0 where they differ. The last record of a sample may be cut."""
    lines = (line for line in LINE_END.split(_unquoted(text, sign)) if line)
    records = [line.count(sign) + 1 for line in islice(lines, RECORDS + 1)]
    whole = records[:-1] if len(records) > 1 and len(text) >= SAMPLE // 4 else records
    return whole[0] if whole and len(set(whole)) == 1 else 0


def _unquoted(text: str, sign: str) -> str:
    """The text without what stands between quotation marks at the beginning of a field, of any length.

    The csv module is not asked: it refuses fields above a limit, which is the same for the whole process.
    """
    quoted = rf'(^|[\r\n{re.escape(sign)}])"(?:[^"]+|"")*+(?:"|\Z)'
    return re.sub(quoted, r"\1-", text.lstrip("\ufeff"))


# -- Excel sheets ----------------------------------------------------------------------------------------


def read_sheet(path: Path) -> pl.DataFrame:
    """All rows of the first sheet. openpyxl reads it; formulas come as the values that Excel saved."""
    openpyxl = require("openpyxl", extra="excel")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        lines = list(book.worksheets[0].iter_rows(values_only=True))
        book.close()
    except MissingPackage:
        raise
    except Exception as error:  # a damaged file can trip zipfile, xml and openpyxl in any way
        raise BadFile(f"cannot be read: it is no Excel file ({type(error).__name__})", file=str(path)) from error
    if not lines or not any(lines[0]):
        raise BadFile("cannot be read: its first sheet is empty", file=str(path))
    names = [str(name) for name in lines[0] if name is not None]
    columns = zip(*(line[: len(names)] for line in lines[1:]), strict=True) if lines[1:] else [[]] * len(names)
    return pl.DataFrame([_column(name, list(values)) for name, values in zip(names, columns, strict=True)])


def _column(name: str, values: list[object]) -> pl.Series:
    """A column of one kind; of several kinds, as text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        values = [None if value is None else str(value) for value in values]
    return pl.Series(name, values, strict=False)


# -- errors of files that cannot be read -----------------------------------------------------------------


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """The errors of polars about a file as ours."""
    try:
        yield
    except ShortlistError:
        raise
    except (pl.exceptions.PolarsError, OSError) as error:
        line = bad_line(path) if path.suffix in (".jsonl", ".ndjson") else None
        what = explain(str(error)) if line is None else f"line {line} is not a JSON object"
        raise BadFile(f"cannot be read: {what}", file=str(path), line=line) from error


def bad_line(path: Path) -> int | None:
    """The first line of a jsonl file that holds no JSON object."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return number
            except ValueError:
                return number
    return None


def other_sign(sign: str) -> str:
    """How to name the sign between fields, in a project and before there is one."""
    option = "tab" if sign == "\t" else f"'{sign}'"
    return f"Name the sign between fields: separator = {json.dumps(sign)} under [data], or `init --separator {option}`"


def other_encoding(encoding: str = "latin-1") -> str:
    """How to name the encoding, in a project and before there is one."""
    return f'Name its encoding: encoding = "{encoding}" under [data], or `init --encoding {encoding}`'


def explain(message: str) -> str:
    """What polars says about a file; polars has no other way to say it than in words."""
    value = re.search(r"could not parse `(.*?)` as dtype `(\w+)` at column '(.*?)'", message, re.DOTALL)
    if value and "not properly escaped" in message:
        return f"a quotation mark in column {value[3]!r} is opened and never closed"
    if value:
        return (
            f"column {value[3]!r} holds {value[1]!r} where the first {INFERRED:,} rows hold numbers; say what it holds "
            f'under [data.types], for example {value[3]} = "text"'
        )
    if "empty CSV" in message:
        return "it is empty"
    if "more fields than defined" in message:
        return f"a line has more fields than the header names. Correct it, or is the sign another? {other_sign(';')}"
    if "invalid utf-8" in message:
        return f"it is not in UTF-8. {other_encoding()}"
    return " ".join(message.split())[:300]
