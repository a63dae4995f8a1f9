"""Search: whether texts match an expression, a whole column at a time, and where the column comes from."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.arrays import Positions
from shortlist.errors import BadRows
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.features import Columns, Feature, FeatureFailed
from shortlist.labelers.regex import Linear, disputed_characters


def find(python: re.Pattern[str], linear: Linear | None, column: pl.Series) -> npt.NDArray[np.int8]:
    """(rows,): 1 found, 0 not found, −1 no text; by the linear-time engine where it can express the pattern.

    The meaning is Python's. Rows on which the two engines may differ are looked at by Python.
    """
    if linear is None:
        return by_row(python, column)
    found = by_column(linear.pattern, column)
    if linear.boundaries:
        rows = disputed_rows(column)
        found[rows] = by_row(python, column.gather(rows))
    return found


def column_text(on: str | None, columns: Columns, ballot: Ballot) -> pl.Series:
    """A column of the rows as text; where errors do not end all, a row that holds none fails, and abstains."""
    try:
        return columns.chunk.text(on)
    except BadRows:
        if columns.raise_errors:
            raise
        return pl.Series(ballot.row_by_row(columns.chunk, lambda row: row.text(on)[0]), dtype=pl.String)


def feature_text(feature: Feature, columns: Columns, ballot: Ballot) -> pl.Series:
    """A feature's column as text; where the feature failed the labeler fails too, and abstains."""
    values = list(columns.column(feature))
    for a, value in enumerate(values):
        if isinstance(value, FeatureFailed):
            ballot.fail(value.error)
            values[a] = None
        elif value is not None and not isinstance(value, str):
            kind, row = type(value).__name__, columns.chunk.start + a
            error = BadRows(f"feature {feature.name!r} is {kind} on row {row}, not text", feature=feature.name, row=row)
            if columns.raise_errors:
                raise error
            ballot.fail(error)
            values[a] = None
    return pl.Series(values, dtype=pl.String)


def by_column(pattern: str, column: pl.Series) -> npt.NDArray[np.int8]:
    """Whether each text matches, by the linear-time engine: 1, 0, or −1 for no text."""
    return column.str.contains(pattern).cast(pl.Int8).fill_null(-1).to_numpy(writable=True)


def by_row(regex: re.Pattern[str], column: pl.Series) -> npt.NDArray[np.int8]:
    """The same by Python's `re`."""
    search = regex.search
    return np.fromiter((-1 if t is None else search(t) is not None for t in column), np.int8, len(column))


def disputed_rows(column: pl.Series) -> Positions:
    """The rows on which the two engines may differ about where words begin and end."""
    if (column.str.len_bytes() == column.str.len_chars()).all():
        return np.zeros(0, np.int64)
    characters = disputed_characters()
    if characters is None:
        return np.zeros(0, np.int64)
    return column.str.contains(characters).fill_null(False).arg_true().to_numpy().astype(np.int64)
