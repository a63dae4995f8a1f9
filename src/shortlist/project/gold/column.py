"""Gold columns: known classes as a column of the data writes them.

pandas writes the whole number 1 as 1.0 where some value of the column is missing. It is read as 1, unless 1.0 is a
class.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

WHOLE = re.compile(r"(-?\d+)(\.0)?")


def as_classes(column: pl.Series, classes: Sequence[str]) -> pl.Series:
    """The column as text, null where it is empty. A value that is no class stays as it is written."""
    given = column.cast(pl.String).replace({"": None})
    strange = [word for word in given.unique() if word is not None and word not in classes]
    meant = {word: _whole(word) for word in strange if _whole(word) in classes}
    return given.replace(meant) if meant else given


def classes_in(column: pl.Series) -> list[str]:
    """The classes that a column holds, in alphabetical order. Where all are whole numbers, none is written with .0."""
    words = [word for word in column.cast(pl.String).unique() if word]
    return sorted(set(map(_whole, words)) if all(map(WHOLE.fullmatch, words)) else words)


def _whole(word: str) -> str:
    """A whole number without its .0; any other word as it is."""
    found = WHOLE.fullmatch(word)
    return found[1] if found else word
