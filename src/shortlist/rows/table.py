"""Tables out: parquet, csv or jsonl, written frame by frame and atomically."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import polars as pl

from shortlist.archive import atomic
from shortlist.errors import BadFile
from shortlist.wording import did_you_mean

FORMATS = ("parquet", "csv", "jsonl")
GROUP = 65_536  # rows of a row group
FORMULA = r"^[=+\-@\t\r]"  # how a text begins that a spreadsheet takes for a formula
NUMBER = r"^[+\-]?[0-9][0-9.,eE+\-]*$"
SEPARATOR = "|"  # between the names of a list in a csv file, which has no lists
QUOTED = r'^"|\||^\s|\s$|^$'  # names that stand in quotation marks there


def table_format(path: str | os.PathLike[str]) -> str:
    """The format that the name of a file asks for."""
    suffix = Path(path).suffix.lower().lstrip(".")
    found = {"ndjson": "jsonl", "pq": "parquet"}.get(suffix, suffix)
    if found not in FORMATS:
        raise BadFile(f"{path} should end in .parquet, .csv or .jsonl.{did_you_mean(found, FORMATS)}")
    return found


def write_table(
    path: str | os.PathLike[str], frames: Iterable[pl.DataFrame], schema: Mapping[str, pl.DataType | type[pl.DataType]]
) -> Path:
    """Write frames of one schema as one file. The bytes do not depend on how the rows are cut into frames."""
    kind = table_format(path)
    _check_columns(path, kind, schema)
    write = {"parquet": _parquet, "csv": _csv, "jsonl": _jsonl}[kind]
    source = _Source(frames)
    try:
        with atomic(path) as file:
            write(file, iter(source), schema)
    except BadFile as error:
        if source.error is not None:
            raise source.error from error
        raise
    return Path(path)


class _Source:
    """Frames to write. An error of those who make them is kept, since polars would tell it in its own words."""

    def __init__(self, frames: Iterable[pl.DataFrame]) -> None:
        self.frames = frames
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[pl.DataFrame]:
        try:
            yield from self.frames
        except Exception as error:
            self.error = error
            raise


def _check_columns(path: str | os.PathLike[str], kind: str, schema: Mapping[str, Any]) -> None:
    """Raise where a file of that kind cannot hold a column."""
    for name, dtype in schema.items():
        bare = dtype == pl.Binary if kind == "jsonl" else dtype == pl.Binary or _nested(dtype)
        if kind != "parquet" and bare:
            raise BadFile(
                f"cannot be written: column {name!r} holds {dtype}, which {kind} cannot hold. Write parquet",
                file=str(path),
                column=name,
            )


def _nested(dtype: Any) -> bool:
    """Whether a column holds lists or tables; a list of names is written with a sign between."""
    return bool(dtype.is_nested()) and dtype != pl.List(pl.String)


def _parquet(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:
    from polars.io.plugins import register_io_source

    def source(*_asked: Any) -> Iterator[pl.DataFrame]:
        yield from frames

    table = register_io_source(source, schema=pl.Schema(schema))
    table.sink_parquet(file, maintain_order=True, row_group_size=GROUP, compression="zstd")


def _csv(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:
    header = {harmless(name): pl.String for name in schema}
    pl.DataFrame(schema=header).write_csv(file)
    for frame in frames:
        joined = frame.with_columns(pl.col(pl.List(pl.String)).list.eval(_in_list()).list.join(SEPARATOR))
        joined.with_columns(_harmless(pl.col(pl.String))).write_csv(file, include_header=False)


def _in_list() -> pl.Expr:
    """A name between the signs: one that holds the sign stands in quotation marks, as `wording.listed` writes it."""
    name = pl.element()
    quoted = pl.concat_str(pl.lit('"'), name.str.replace_all('"', '""'), pl.lit('"'))
    return pl.when(name.str.contains(QUOTED)).then(quoted).otherwise(name)


def _harmless(column: pl.Expr) -> pl.Expr:
    """Texts that a spreadsheet would take for a formula, with a ' before them. Numbers are left as they are."""
    formula = column.str.contains(FORMULA) & ~column.str.contains(NUMBER)
    return pl.when(formula).then("'" + column).otherwise(column).name.keep()


def harmless(text: str) -> str:
    """One text, so that no spreadsheet takes it for a formula."""
    return f"'{text}" if re.search(FORMULA, text) and not re.search(NUMBER, text) else text


def _jsonl(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:  # noqa: ARG001
    for frame in frames:
        frame.write_ndjson(file)
