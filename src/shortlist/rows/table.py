"""Tables out: parquet, csv or jsonl, written frame by frame and atomically."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import polars as pl

from shortlist.archive import atomic
from shortlist.errors import BadFile
from shortlist.registry import ROW_FORMATS, TABLE_FORMATS
from shortlist.wording import did_you_mean, either


def table_format(path: str | os.PathLike[str]) -> str:
    """The format of a table by the name of its file."""
    suffix = Path(path).suffix.lower()
    kind = ROW_FORMATS.get(suffix)
    if kind not in TABLE_FORMATS:
        endings = either([f".{name}" for name in TABLE_FORMATS])
        raise BadFile(f"{path} should end in {endings}.{did_you_mean(suffix.lstrip('.'), TABLE_FORMATS)}")
    return kind


def write_table(
    path: str | os.PathLike[str], frames: Iterable[pl.DataFrame], schema: Mapping[str, pl.DataType | type[pl.DataType]]
) -> Path:
    """Write frames of one schema as one file. The bytes do not depend on how the rows are cut into frames."""
    kind = table_format(path)
    _check_columns(path, kind, schema)
    write = {"parquet": _write_parquet, "csv": _write_csv, "jsonl": _write_jsonl}[kind]
    errors: list[Exception] = []  # of the frames, as they are: polars would put them in its own words

    def source() -> Iterator[pl.DataFrame]:
        try:
            yield from frames
        except Exception as error:
            errors.append(error)
            raise

    try:
        with atomic(path) as file:
            write(file, source(), schema)
    except BadFile as error:
        if errors:
            raise errors[0] from error
        raise
    return Path(path)


def _check_columns(path: str | os.PathLike[str], kind: str, schema: Mapping[str, Any]) -> None:
    """Raise where a file of that kind cannot hold a column."""
    for name, dtype in schema.items():
        nested = kind == "csv" and dtype.is_nested() and dtype != pl.List(pl.String)
        if kind != "parquet" and (dtype == pl.Binary or nested):
            raise BadFile(
                f"cannot be written: column {name!r} holds {dtype}, which {kind} cannot hold. Write parquet",
                file=str(path),
                column=name,
            )


def _write_parquet(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:
    from polars.io.plugins import register_io_source

    def source(*_asked: Any) -> Iterator[pl.DataFrame]:
        yield from frames

    table = register_io_source(source, schema=pl.Schema(schema))
    table.sink_parquet(file, maintain_order=True, row_group_size=65_536, compression="zstd")


def _write_csv(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:
    names = pl.DataFrame({"name": list(schema)}).select(_harmless(pl.col("name")))["name"]
    pl.DataFrame(schema=dict.fromkeys(names, pl.String)).write_csv(file)
    for frame in frames:
        joined = frame.with_columns(pl.col(pl.List(pl.String)).list.eval(_in_list()).list.join("|"))
        joined.with_columns(_harmless(pl.col(pl.String))).write_csv(file, include_header=False)


def _in_list() -> pl.Expr:
    """A name of a list, whose names are joined by |: in quotation marks where needed, as `wording.listed` writes it."""
    name = pl.element()
    quoted = pl.concat_str(pl.lit('"'), name.str.replace_all('"', '""'), pl.lit('"'))
    return pl.when(name.str.contains(r'^"|\||^\s|\s$|^$')).then(quoted).otherwise(name)


def _harmless(column: pl.Expr) -> pl.Expr:
    """Texts that a spreadsheet would take for a formula, with a ' before them. Numbers are left as they are."""
    formula = column.str.contains(r"^[=+\-@\t\r]") & ~column.str.contains(r"^[+\-]?[0-9][0-9.,eE+\-]*$")
    return pl.when(formula).then("'" + column).otherwise(column).name.keep()


def _write_jsonl(file: IO[bytes], frames: Iterator[pl.DataFrame], schema: Mapping[str, Any]) -> None:  # noqa: ARG001
    for frame in frames:
        frame.write_ndjson(file)
