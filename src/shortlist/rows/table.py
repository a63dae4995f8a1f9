"""Tables out: parquet, csv or jsonl, written frame by frame and atomically."""

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


# -- plain column names ----------------------------------------------------------------------------------


_LATIN = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "þ": "th"})
LONGEST = 63  # bytes of a name; PostgreSQL cuts what is longer

# Words that SQLite, PostgreSQL or MySQL keep for themselves
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
RESERVED = frozenset(_RESERVED.split())


def plain_names(names: Iterable[str]) -> list[str]:
    """Small letters without accents, figures and _, none twice and no word of SQL, in the order of the names.

    >>> plain_names(["id", "belief_Middle East", "belief_middle-east", "2024", "Order"])
    ['id', 'belief_middle_east', 'belief_middle_east_2', '_2024', 'order_']
    """
    found: dict[str, None] = {}
    for name in names:
        base, number = plain_name(name), 1
        plain = base
        while plain in found:
            number += 1
            plain = _cut(base, LONGEST - len(f"_{number}")) + f"_{number}"
        found[plain] = None
    return list(found)


def plain_name(name: str) -> str:
    """One name. Latin letters lose their accents; letters of other scripts stay."""
    known = _plain_letters(unicodedata.normalize("NFKC", name).casefold())
    plain = _cut(re.sub(r"\W+", "_", known), LONGEST - 1).rstrip("_") or "column_"
    if plain in RESERVED:
        return f"{plain}_"
    return plain if plain[0].isalpha() or plain[0] == "_" else f"_{plain}"


def _plain_letters(text: str) -> str:
    apart = re.sub("([a-z])[\u0300-\u036f]+", r"\1", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", apart).translate(_LATIN)


def _cut(name: str, size: int) -> str:
    """The name, no longer than so many bytes."""
    return name.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore")
