"""Search: whether texts match an expression, a whole column at a time, and where the column comes from."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadRows
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.failure import FeatureFailed
from shortlist.labelers.features import Columns, Feature
from shortlist.labelers.regex.linear import Linear
from shortlist.labelers.regex.marks import disputed, marked, not_ascii
from shortlist.labelers.regex.patience import patient_search


def find(python: re.Pattern[str], linear: Linear | None, column: pl.Series, most_late: int = 1) -> npt.NDArray[np.int8]:
    """(rows,): 1 found, 0 not found, −1 no text, LATE given up; by the linear-time engine where it can be.

    The meaning is Python's. A search of Python's own ends after a limit of time. After `most_late` such rows, the
    rest of the rows are LATE too.
    """
    if linear is None:
        return patient_search(python, column, most_late)
    found = by_column(linear.pattern, column)
    if linear.wider is not None:
        rows = not_ascii(column)
        found[rows.to_numpy()] = by_column(linear.wider, column.gather(rows))
    if linear.marked is not None:
        rows = disputed(column)
        found[rows.to_numpy()] = by_column(linear.marked, marked(column.gather(rows)))
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
