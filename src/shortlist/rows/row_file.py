"""RowFile: a csv, jsonl, parquet or Excel file of rows, read in batches so that it may be larger than memory."""

from __future__ import annotations

import codecs
import glob
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from shortlist.arrays import Positions
from shortlist.errors import BadFile, ShortlistError, require
from shortlist.registry import ROW_FORMATS
from shortlist.rows.reading import RowStore, distinct, take_batches, take_slices
from shortlist.wording import did_you_mean

PACKED = (".gz", ".zst")
BATCH = 65_536  # rows
INFERRED = 100_000  # rows that the type of a column is inferred from
SAMPLE = 1 << 20  # bytes that the separator and the encoding are inferred from
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "|"}
SET_ENCODING = 'Set encoding = "latin-1" under [data], or `init --encoding latin-1`'
TYPES = {"text": pl.String, "number": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean}


class RowFile(RowStore):
    """One file of rows.

    path    a csv, tsv, jsonl or parquet file, packed by gzip or zstd or not; or the first sheet of an xlsx file
    types   types of columns ("text", "number", "integer", "boolean") where the first rows mislead
    separator, encoding   of a csv file, where they are not inferred as they should be
    comment   beginning of lines of a csv file that are left out, such as "#"
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        types: Mapping[str, str] | None = None,
        *,
        separator: str | None = None,
        encoding: str | None = None,
        comment: str | None = None,
    ) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise BadFile("is a folder, not a file of rows", file=str(path))
        self.kind = file_kind(self.path)
        self.types = dict(types or {})
        if not self.path.exists():
            store = ". Files of a store are named in shortlist.toml, under [data]" if ":/" in str(path) else ""
            hint = did_you_mean(self.path.name, (one.name for one in self.path.parent.glob("*.*")))
            raise BadFile(f"does not exist{store}{'.' * bool(hint)}{hint}", file=str(path))
        self.dialect_options = {"separator": separator, "encoding": encoding, "comment": comment}
        status = self.path.stat()
        self.stamp = status.st_size, status.st_mtime_ns  # of the version that is read

    @cached_property
    def schema(self) -> dict[str, pl.DataType]:
        """Column → its type."""
        with _explained(self.path):
            return dict(self._scan().collect_schema())

    @property
    def columns(self) -> list[str]:
        return list(self.schema)

    def need(self, *columns: str) -> None:
        """Raise where a column is missing."""
        for name in columns:
            if name not in self.schema:
                raise self.missing_column(name)

    def missing_column(self, name: str) -> BadFile:
        """The error that there is no such column, with a likely reason."""
        header = self.columns[0] if len(self.columns) == 1 and self.kind in ("csv", "tsv") else ""
        if wrong := next((sign for sign in SEPARATORS if sign in header), None):
            hint = f"Its fields seem to be separated by {SEPARATORS[wrong]}. {_set_separator(wrong)}"
        else:
            hint = f"{did_you_mean(name, self.columns)} Columns: {', '.join(self.columns)}".strip()
        return BadFile(f"has no column {name!r}. {hint}", file=str(self.path), column=name)

    def __len__(self) -> int:
        with _explained(self.path):
            return int(self._scan().select(pl.len()).collect(engine="streaming").item())

    def batches(
        self, columns: Sequence[str] | None = None, size: int = BATCH, among: tuple[int, int] | None = None
    ) -> Iterator[pl.DataFrame]:
        """The rows in order, `size` at a time: all of them, or `among` = (first, count) rows as `slice` reads them."""
        with _explained(self.path):
            table = self._select(columns)
            chosen = table if among is None else table.slice(*among)
            yield from chosen.collect_batches(chunk_size=size, maintain_order=True)

    def slice(self, first: int, count: int, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Consecutive rows. Only a parquet file is read from there; any other from its beginning."""
        with _explained(self.path):
            return self._select(columns).slice(first, count).collect()

    def head(self, n: int) -> pl.DataFrame:
        """The first rows."""
        return self.slice(0, n)

    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All rows at once."""
        parts = list(self.batches(columns))
        return pl.concat(parts) if parts else self._empty(columns)

    def take(self, numbers: Sequence[int] | Positions, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows of these numbers, in the order of the numbers.

        Of a parquet file, only the row groups that hold them are read. Any other file is read from its beginning.
        """
        wanted, places = distinct(numbers)
        with _explained(self.path):
            if self.kind == "parquet":
                taken: pl.DataFrame | None = take_slices(self._select(columns), wanted)
            else:
                taken = take_batches(self.batches(columns), wanted)
        return self._empty(columns) if taken is None else taken[places]

    def _empty(self, columns: Sequence[str] | None) -> pl.DataFrame:
        return pl.DataFrame(schema={name: self.schema[name] for name in columns or self.columns})

    def _select(self, columns: Sequence[str] | None) -> pl.LazyFrame:
        if columns is None:
            return self._scan()
        self.need(*columns)
        return self._scan().select(columns)

    def _scan(self) -> pl.LazyFrame:
        if self.kind == "parquet":
            return self._cast(pl.scan_parquet(self.path, glob=False))
        if self.kind == "xlsx" or self.dialect.encoding != "utf-8":
            return self._cast(self._whole.lazy())
        if self.kind == "jsonl":
            name = glob.escape(str(self.path))  # no wildcards: [ and * are part of the name
            return self._cast(pl.scan_ndjson(name, **self._options))
        return self._without_blanks(pl.scan_csv(self.path, glob=False, **self._options))

    @property
    def _options(self) -> dict[str, Any]:
        """The options by which polars reads a csv or jsonl file."""
        wanted = {name: TYPES[kind] for name, kind in self.types.items()} or None
        options: dict[str, Any] = {"schema_overrides": wanted, "infer_schema_length": INFERRED}
        csv = {"separator": self.dialect.separator, "eol_char": self.dialect.end}
        return options if self.kind == "jsonl" else options | csv | {"comment_prefix": self.dialect_options["comment"]}

    @cached_property
    def dialect(self) -> Dialect:
        """The separator, the encoding and the ends of lines of a csv file; of jsonl, only the encoding."""
        with _explained(self.path):
            if self.kind == "jsonl":
                head = _beginning(self.path, 3)
                wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
                encoding = "utf-16" if wide else "utf-8-sig" if head == codecs.BOM_UTF8 else "utf-8"
                return Dialect("", encoding, "\n", False)
            return _find_dialect(self.path, **self.dialect_options, usual="\t" if self.kind == "tsv" else ",")

    @cached_property
    def _whole(self) -> pl.DataFrame:
        """All rows of a file that cannot be read piece by piece: a sheet, or text that is not in UTF-8."""
        if self.kind == "xlsx":
            return _read_sheet(self.path)
        content, encoding = self.path.read_bytes(), self.dialect.encoding
        try:
            text = (gzip.decompress(content) if self.path.suffix == ".gz" else content).decode(encoding)
        except UnicodeError as error:
            message = f"cannot be read: it is not in {encoding}. {SET_ENCODING}"
            raise BadFile(message, file=str(self.path)) from error
        if self.kind == "jsonl":
            return pl.read_ndjson(text.encode("utf-8"), **self._options)
        return self._without_blanks(pl.read_csv(text.encode("utf-8"), **self._options).lazy()).collect()

    def _without_blanks(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Leave out blank lines, which polars reads as rows; of a single column, they are rows without a value."""
        if not self.dialect.blanks or len(frame.collect_schema()) == 1:
            return frame
        return frame.filter(~pl.all_horizontal(pl.all().is_null()))

    def _cast(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Change the types of columns of a file that has its own, where the user asks for that.

        Numbers of more than 64 bits, which few functions of polars take, become text.
        """
        schema = frame.collect_schema()
        wanted: dict[str, type[pl.DataType]] = {name: pl.String for name, kind in schema.items() if kind == pl.Int128}
        wanted |= {name: TYPES[kind] for name, kind in self.types.items() if name in schema}
        return frame.cast({name: kind for name, kind in wanted.items() if schema[name] != kind})


def file_kind(path: Path) -> str:
    """The format of a file of rows, by its name."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    kind = ROW_FORMATS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        endings = ", ".join(ROW_FORMATS)
        raise BadFile(f"cannot be read: its name should end in one of {endings}", file=str(path))
    return kind


def _read_sheet(path: Path) -> pl.DataFrame:
    """All rows of the first sheet. openpyxl reads it; formulas come as the values that Excel saved."""
    require("openpyxl", extra="excel")
    try:
        return pl.read_excel(path, engine="openpyxl", drop_empty_rows=False, drop_empty_cols=False)
    except pl.exceptions.NoDataError as error:
        raise BadFile("cannot be read: its first sheet is empty", file=str(path)) from error
    except Exception as error:  # a damaged file can trip zipfile, xml and openpyxl in any way
        raise BadFile(f"cannot be read: it is no Excel file ({type(error).__name__})", file=str(path)) from error


# -- csv dialects ------------------------------------------------------------------------------------------


class Dialect(NamedTuple):
    """The separator of a csv file, its encoding as Python calls it, the end of a line, and whether lines are blank."""

    separator: str
    encoding: str
    end: str
    blanks: bool


def _find_dialect(path: Path, separator: str | None, encoding: str | None, comment: str | None, usual: str) -> Dialect:
    """The dialect that the user asks for, or that the beginning of the file shows; the usual separator in doubt."""
    sample = _beginning(path, SAMPLE)
    name = codecs.lookup(encoding).name if encoding else _encoding(sample)
    text = sample.decode(name, "replace")
    if comment:
        text = re.sub(rf"(?m)^{re.escape(comment)}.*(\r?\n|\r|\Z)", "", text)
    end = re.search(r"\r?\n|\r", _unquoted(text[:65_536], separator or usual))
    separator = separator or _separator(text, usual)
    blanks = re.search(r"\n\r?\n|\r\r", _unquoted(text, separator)) is not None
    return Dialect(
        separator, name, "\r" if end and end[0] == "\r" else "\n", blanks
    )  # \r: of old Macs, and Excel there


def _beginning(path: Path, size: int) -> bytes:
    """The first bytes of a file, unpacked."""
    if path.suffix == ".zst":
        return b""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return bytes(file.read(size))


def _encoding(sample: bytes) -> str:
    if sample.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # a character may be cut at the end of the sample
    except UnicodeDecodeError:
        return "cp1252"  # that of Windows in Western Europe, which agrees with Latin-1 on all that people write
    return "utf-8"


def _separator(text: str, usual: str) -> str:
    """The usual separator where the header has it; else the one that cuts all records into as many fields."""
    header = re.split(r"[\r\n]", text.lstrip("\ufeff"), maxsplit=1)[0]
    if usual in header and _fields(text, usual):
        return usual
    counts = {sign: _fields(text, sign) for sign in SEPARATORS if sign in header}
    best = max(counts, key=lambda sign: counts[sign], default=usual)
    return best if counts.get(best, 0) > 1 else usual


def _fields(text: str, sign: str) -> int:
    """Number of fields of each of the first 100 records; 0 where they differ. The last of a sample may be cut."""
    lines = (line for line in re.split(r"\r\n|\r|\n", _unquoted(text, sign)) if line)
    records = [line.count(sign) + 1 for line in islice(lines, 101)]
    whole = records[:-1] if len(records) > 1 and len(text) >= SAMPLE // 4 else records
    return whole[0] if whole and len(set(whole)) == 1 else 0


def _unquoted(text: str, sign: str) -> str:
    """The text without quoted fields, of any length. (The csv module has a limit, for the whole process.)"""
    quoted = rf'(^|[\r\n{re.escape(sign)}])"(?:[^"]+|"")*+(?:"|\Z)'
    return re.sub(quoted, r"\1-", text.lstrip("\ufeff"))


# -- errors of files that cannot be read -------------------------------------------------------------------


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Raise errors of polars about a file as a BadFile."""
    try:
        yield
    except ShortlistError:
        raise
    except (pl.exceptions.PolarsError, OSError, EOFError, zlib.error) as error:
        line = _bad_line(path) if path.suffix in (".jsonl", ".ndjson") else None
        reason = _explanation(str(error), path) if line is None else f"line {line} is not a JSON object"
        raise BadFile(f"cannot be read: {reason}", file=str(path), line=line) from error


def _bad_line(path: Path) -> int | None:
    """The first line of a jsonl file that holds no JSON object."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return number
            except (ValueError, RecursionError):
                return number
    return None


def _set_separator(sign: str) -> str:
    option = "tab" if sign == "\t" else f"'{sign}'"
    return f"Wrong separator? Set separator = {json.dumps(sign)} under [data], or `init --separator {option}`"


def _explanation(message: str, path: Path) -> str:
    """An error of polars in words for users. (polars has no codes for its errors, only messages.)"""
    value = re.search(r"could not parse `(.*?)` as dtype `(\w+)` at column '(.*?)'", message, re.DOTALL)
    if value and "not properly escaped" in message:
        return f"a quotation mark in column {value[3]!r} is opened and never closed"
    if value:
        how = f'say what it holds under [data.types], for example {value[3]} = "text"'
        return f"column {value[3]!r} holds {value[1]!r} where the first {INFERRED:,} rows hold numbers; {how}"
    if "empty CSV" in message:
        return "it is empty"
    if "more fields than defined" in message and _beginning(path, 1) == b"#":
        how = "Set comment = \"#\" under [data], or `init --comment '#'`"
        return f"its first line begins with # and has fewer fields than others. Is it a comment? {how}"
    if "more fields than defined" in message:
        return f"a line has more fields than the header. {_set_separator(';')}"
    if "invalid utf-8" in message:
        return f"it is not in UTF-8. {SET_ENCODING}"
    return " ".join(message.split())[:300]
