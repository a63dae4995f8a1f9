"""Known classes: what a column that holds them says about the classes."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shortlist.errors import ShortlistError
from shortlist.rows import RowFile
from shortlist.wording import some_of

MANY = 50  # more different values than this are not classes


def known_classes(file: RowFile, gold: str) -> list[str]:
    """The classes that a column of known ones holds, in alphabetical order."""
    file.need(gold)
    found = [value for value in _values(file, gold) if value]
    if len(found) > MANY:
        raise ShortlistError(f"column {gold!r} holds {len(found)} different values: give the classes yourself")
    return found


def fitting(file: RowFile, gold: str | None, classes: Sequence[str]) -> str | None:
    """A column that seems to hold known classes, unless it holds none of those that are given."""
    if gold is None or not classes or set(_values(file, gold)) & set(classes):
        return gold
    return None


def _values(file: RowFile, column: str) -> list[str]:
    """The different values of a column, as text."""
    values: list[str] = file.read([column])[column].cast(pl.String).drop_nulls().unique().sort().to_list()
    return values


def check_gold(file: RowFile, gold: str, classes: Sequence[str]) -> None:
    """Raise where a column of known classes holds none of the classes."""
    found = _values(file, gold)
    if found and not set(found) & set(classes):
        raise ShortlistError(
            f"column {gold!r} should hold known classes, but none of its values is one: {some_of(found)}. "
            f"Classes: {', '.join(classes)}"
        )


def not_classes(file: RowFile, gold: str, classes: Sequence[str]) -> dict[str, int]:
    """What a column of known classes holds besides the classes, and on how many rows; the most frequent first."""
    column = file.read([gold])[gold].cast(pl.String)
    counts = column.drop_nulls().value_counts(sort=True)
    return {value: rows for value, rows in counts.iter_rows() if value and value not in classes}
