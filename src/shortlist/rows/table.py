"""Tables out: parquet, csv or jsonl, written frame by frame and atomically; and column names for databases."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import polars as pl

from shortlist.archive import atomic
from shortlist.errors import BadFile
from shortlist.registry import ROW_FORMATS, TABLE_FORMATS
from shortlist.wording import did_you_mean, either

NAME_BYTES = 63  # of a column name; PostgreSQL cuts longer ones


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


# -- column names for databases ------------------------------------------------------------------------


def plain_names(names: Iterable[str]) -> list[str]:
    """Column names that databases take without quotes: small letters without accents, digits and _, none twice.

    >>> plain_names(["id", "belief_Middle East", "belief_middle-east", "2024", "Order"])
    ['id', 'belief_middle_east', 'belief_middle_east_2', '_2024', 'order_']
    """
    plain: dict[str, None] = {}
    for name in names:
        base, number = _plain_name(name), 1
        unique = base
        while unique in plain:
            number += 1
            unique = _cut(base, NAME_BYTES - len(f"_{number}")) + f"_{number}"
        plain[unique] = None
    return list(plain)


def _plain_name(name: str) -> str:
    """One name. Latin letters lose their accents; letters of other scripts stay."""
    letters = _plain_letters(unicodedata.normalize("NFKC", name).casefold())
    plain = _cut(re.sub(r"\W+", "_", letters), NAME_BYTES - 1).rstrip("_") or "column_"
    if plain in _RESERVED.split():
        return f"{plain}_"
    return plain if plain[0].isalpha() or plain[0] == "_" else f"_{plain}"


def _plain_letters(text: str) -> str:
    apart = re.sub("([a-z])[\u0300-\u036f]+", r"\1", unicodedata.normalize("NFKD", text))
    latin = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "þ": "th"})
    return unicodedata.normalize("NFKC", apart).translate(latin)


def _cut(name: str, size: int) -> str:
    """A name of at most so many bytes."""
    return name.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore")


# Reserved words of SQLite, PostgreSQL and MySQL
_RESERVED = """
    add all alter analyse analyze and any array as asc asymmetric authorization autoincrement between binary both by
    call case cast change char character check collate column commit condition constraint convert create cross cube
    current_date current_role current_time current_timestamp current_user cursor database databases dec decimal
    declare default deferrable delete desc describe distinct div do double drop dual each else elseif end escape
    except exists exit explain false fetch float for force foreign freeze from full fulltext function generated get
    grant group grouping groups having if ignore ilike in index initially inner inout insert int integer intersect
    interval into is isnull iterate join key keys kill lag lateral lead leading leave left like limit linear lines load
    localtime localtimestamp lock long loop match mod natural not nothing notnull null numeric of offset on only
    optimize option or order out outer over overlaps partition placing precision primary procedure purge range rank
    read reads real recursive references regexp release rename repeat replace require restrict return returning
    revoke right rlike row row_number rows schema schemas select sensitive separator session_user set show signal
    similar smallint some spatial sql ssl starting stored symmetric system table tablesample terminated then to
    trailing transaction trigger true undo union unique unlock unsigned update usage use user using values varchar
    variadic varying verbose virtual when where while window with write xor zerofill
"""
