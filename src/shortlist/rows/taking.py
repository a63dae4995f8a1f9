"""Taking: some rows by number, out of a table on disk or out of a stream of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.errors import BadRows

SPAN = 65_536  # rows: not more than this are held at a time


def distinct(numbers: Sequence[int] | Positions) -> tuple[Positions, Positions]:
    """The numbers in ascending order, each once, and the place of each number among them."""
    wanted, places = np.unique(np.asarray(numbers, np.int64), return_inverse=True)
    return wanted, places


def check_numbers(wanted: Positions, m: int) -> None:
    """Raise where a number is not that of a row."""
    if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < m:
        row = int(wanted[0] if wanted[0] < 0 else wanted[-1])
        raise BadRows(f"there is no row {row}: there are {m:,} rows, numbered from 0", row=row)


def by_slices(table: pl.LazyFrame, wanted: Positions, near: int) -> pl.DataFrame:
    """Ascending rows of a table that can be read from anywhere, as parquet can.

    Numbers that are not further apart than `near` are read in one go. That should be about as many rows as are read to
    find one: with less, some are read several times; with more, some are read that nobody asked for.
    """
    check_numbers(wanted, table.select(pl.len()).collect().item())
    runs = _runs(wanted, near)
    parts = [table.slice(int(run[0]), int(run[-1] - run[0]) + 1).collect()[run - run[0]] for run in runs]
    return pl.concat(parts) if parts else table.head(0).collect()


def by_batches(batches: Iterable[pl.DataFrame], wanted: Positions) -> pl.DataFrame | None:
    """Ascending rows of a table that comes batch by batch; None where there is no batch."""
    parts, start = [], 0
    for batch in batches:
        first, last = np.searchsorted(wanted, [start, start + len(batch)])
        parts.append(batch[wanted[first:last] - start])
        start += len(batch)
    check_numbers(wanted, start)
    return pl.concat(parts) if parts else None


def _runs(wanted: Positions, near: int) -> Iterator[Positions]:
    """The numbers in groups that are read in one go."""
    first = 0
    for a in range(1, len(wanted) + 1):
        end = a == len(wanted)
        if end or wanted[a] - wanted[a - 1] > near or wanted[a] - wanted[first] >= SPAN:
            yield wanted[first:a]
            first = a
