"""RowFile: a csv, jsonl or parquet file of rows, read in batches so that it may be larger than memory."""

from __future__ import annotations

import codecs
import glob
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shortlist.errors import BadFile, ShortlistError
from shortlist.wording import did_you_mean

KINDS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet"}
PACKED = (".gz", ".zst")
TYPES: dict[str, type[pl.DataType]] = {
    "text": pl.String,
    "number": pl.Float64,
    "integer": pl.Int64,
    "boolean": pl.Boolean,
}
SEPARATORS = {  # what may stand between the fields of a header that was taken for one name, and what to do then
    "\t": "tabs: let its name end in .tsv",
    ";": "semicolons: save it with commas",
    "|": "|: save it with commas",
    ",": "commas: let its name end in .csv",
}
BATCH = 65_536  # rows
INFERRED = 100_000  # rows that are looked at to find out what a column holds


class RowFile:
    """One file of rows.

    `types` says what columns hold ("text", "number", "integer", "boolean") where that should not be found out from
    the first rows.
    """

    def __init__(self, path: str | os.PathLike[str], types: Mapping[str, str] | None = None) -> None:
        self.path = Path(path)
        self.kind = file_kind(self.path)
        self.types = dict(types or {})
        if not self.path.exists():
            raise BadFile(f"{path} does not exist")
        if self.path.is_dir():
            raise BadFile(f"{path} is a folder, not a file of rows")
        self._schema: dict[str, pl.DataType] | None = None

    def __repr__(self) -> str:
        return f"RowFile({str(self.path)!r})"

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Column → what it holds."""
        if self._schema is None:
            with self._explained():
                self._schema = dict(self._scan().collect_schema())
        return self._schema

    @property
    def columns(self) -> list[str]:
        return list(self.schema)

    def need(self, *columns: str) -> None:
        """Raise where a column is not there."""
        for name in columns:
            if name not in self.schema:
                raise BadFile(f"{self.path} {self.lacks(name)}")

    def lacks(self, name: str) -> str:
        """That it has no such column, and what may be the matter."""
        header = self.columns[0] if len(self.columns) == 1 and self.kind in ("csv", "tsv") else ""
        if wrong := next((sign for sign in SEPARATORS if sign in header), None):
            return f"has no column {name!r}. Its fields seem to be separated by {SEPARATORS[wrong]}"
        return f"has no column {name!r}.{did_you_mean(name, self.columns)} Columns: {', '.join(self.columns)}"

    def __len__(self) -> int:
        with self._explained():
            return int(self._scan().select(pl.len()).collect(engine="streaming").item())

    def batches(self, columns: Sequence[str] | None = None, size: int = BATCH) -> Iterator[pl.DataFrame]:
        """The rows in order, `size` at a time."""
        if columns is not None:
            self.need(*columns)
        with self._explained():
            frame = self._scan()
            chosen = frame if columns is None else frame.select(columns)
            yield from chosen.collect_batches(chunk_size=size, maintain_order=True)

    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All rows at once."""
        parts = list(self.batches(columns))
        if parts:
            return pl.concat(parts)
        return pl.DataFrame(schema={name: self.schema[name] for name in columns or self.columns})

    def head(self, n: int) -> pl.DataFrame:
        """The first rows."""
        with self._explained():
            return self._scan().head(n).collect()

    def _scan(self) -> pl.LazyFrame:
        if self.kind == "parquet":
            return self._cast(pl.scan_parquet(self.path, glob=False))
        wanted = {name: TYPES[kind] for name, kind in self.types.items()}
        if self.kind == "jsonl":
            name = glob.escape(str(self.path))  # [ and * in the name of a file are what they are
            return pl.scan_ndjson(name, schema_overrides=wanted or None, infer_schema_length=INFERRED)
        if utf16(self.path):
            raise BadFile(f"{self.path} cannot be read: it is in UTF-16; save it in UTF-8")
        return pl.scan_csv(
            self.path,
            separator="\t" if self.kind == "tsv" else ",",
            schema_overrides=wanted or None,
            infer_schema_length=INFERRED,
            glob=False,
        )

    def _cast(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Parquet says itself what columns hold, unless it is asked otherwise."""
        there = frame.collect_schema()
        wanted = {name: TYPES[kind] for name, kind in self.types.items() if name in there}
        return frame.cast({name: kind for name, kind in wanted.items() if there[name] != kind})

    def _explained(self) -> Explained:
        return Explained(self.path)


class Explained:
    """Polars' errors about a file as ours, in one line that names the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, (pl.exceptions.PolarsError, OSError)) and not isinstance(error, ShortlistError):
            line = bad_line(self.path) if self.path.suffix in (".jsonl", ".ndjson") else None
            what = explain(str(error)) if line is None else f"line {line} is not a JSON object"
            raise BadFile(f"{self.path} cannot be read: {what}") from error


def file_kind(path: Path) -> str:
    """csv, tsv, jsonl or parquet, by the name of the file."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    kind = KINDS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        known = ", ".join(KINDS)
        raise BadFile(f"{path} is of no kind that can be read: its name should end in one of {known}")
    return kind


def utf16(path: Path) -> bool:
    """Whether a file begins as programs begin those that they write in UTF-16."""
    with path.open("rb") as file:
        return file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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


def explain(message: str) -> str:
    """What polars says about a file, in one line for people."""
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
        return "a line has more fields than the header names"
    if "invalid utf-8" in message:
        return "it is not in UTF-8; save it in that encoding"
    return " ".join(message.split())[:300]
