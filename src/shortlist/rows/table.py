"""Tables out: parquet, csv or jsonl, written frame by frame and atomically."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import polars as pl

from shortlist.archive import atomic
from shortlist.errors import BadFile
from shortlist.wording import did_you_mean

FORMATS = ("parquet", "csv", "jsonl")
GROUP = 65_536  # rows of a row group
SEPARATOR = "|"  # between the names of a list in a csv file, which has no lists


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
    write = {"parquet": _parquet, "csv": _csv, "jsonl": _jsonl}[table_format(path)]
    with atomic(path) as file:
        write(file, iter(frames), schema)
    return Path(path)


def _parquet(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:
    from polars.io.plugins import register_io_source

    def source(*_asked: Any) -> Iterator[pl.DataFrame]:
        yield from frames

    table = register_io_source(source, schema=pl.Schema(schema))
    table.sink_parquet(file, maintain_order=True, row_group_size=GROUP, compression="zstd")


def _csv(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:
    pl.DataFrame(schema=dict.fromkeys(schema, pl.String)).write_csv(file)
    lists = [name for name, kind in schema.items() if isinstance(kind, pl.List)]
    for frame in frames:
        frame.with_columns(pl.col(name).list.join(SEPARATOR) for name in lists).write_csv(file, include_header=False)


def _jsonl(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:  # noqa: ARG001
    for frame in frames:
        frame.write_ndjson(file)
