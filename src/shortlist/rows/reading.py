"""Reading: rows of any make, cut into chunks, found by number, or read as texts.

Rows come in as a list, a table of any make (polars, pandas, pyarrow, a Hugging Face dataset, a mapping of
columns), a numpy array or any iterable. Tables become polars here. Streams are cut into chunks and never held whole.
"""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.errors import BadRows
from shortlist.labelspace import is_missing
from shortlist.rows.chunk import Chunk, cell, no_column, texts_of

CHUNK = 262_144  # rows of the largest chunk, where chunks grow
BATCH = 32_768  # rows of a chunk of a source that is read in equal batches
FIRST = 512  # rows of the first chunk
QUICK = 0.25  # seconds: a chunk that took less is followed by one of twice its size
FALLING = 0.75  # so is one whose time per row is less than this part of the time per row of the one before
SPAN = 65_536  # rows that are read at a time to take some of them


class RowStore(ABC):
    """Rows that are kept in files, of which any can be read by number."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    @abstractmethod
    def take(self, numbers: Sequence[int], columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows of these numbers, in the order of the numbers; all columns, or some."""


# -- chunks ----------------------------------------------------------------------------------------------


def chunks(rows: Any, size: int | None = None, workers: int = 1, first: int = 0) -> tuple[Iterator[Chunk], int | None]:
    """(the rows in chunks, the number of rows or None for a stream).

    size      rows of every chunk; without it, chunks grow for as long as they are quick
    workers   number of workers that share the chunks
    first     the number of the first row
    """
    parts, total = _parts(rows, size, workers)
    return _numbered(parts, first), total


def _numbered(parts: Iterable[Any], start: int) -> Iterator[Chunk]:
    for part in parts:
        yield Chunk(start, part)
        start += len(part)


def _parts(rows: Any, size: int | None, workers: int) -> tuple[Iterator[Any], int | None]:
    if isinstance(rows, (str, bytes)):
        raise BadRows("rows is a single string; put it in a list")
    if isinstance(rows, pl.LazyFrame):
        largest = size or _largest(None, workers, BATCH)
        return rows.collect_batches(chunk_size=largest, maintain_order=True), None
    table = as_frame(rows)
    if table is not None:
        return _cut(table, _sizes(size, len(table), workers)), len(table)
    if hasattr(rows, "to_polars"):  # a Hugging Face dataset, kept on disk
        largest = size or _largest(len(rows), workers, BATCH)
        return rows.to_polars(batched=True, batch_size=largest), len(rows)
    if hasattr(rows, "to_pylist"):  # a column of pyarrow, whose values are not Python's
        rows = rows.to_pylist()
    if not isinstance(rows, Iterable):
        raise BadRows(f"rows is a {type(rows).__name__}; give a list, a table or any iterable of rows")
    total = _length(rows)
    return _drawn(rows, _sizes(size, total, workers)), total


def _cut(table: pl.DataFrame, sizes: Iterator[int]) -> Iterator[pl.DataFrame]:
    start = 0
    while start < len(table):
        part = table[start : start + next(sizes)]
        yield part
        start += len(part)


def _drawn(rows: Iterable[Any], sizes: Iterator[int]) -> Iterator[list[Any]]:
    source = iter(rows)
    while part := list(itertools.islice(source, next(sizes))):
        yield part


def _length(rows: Iterable[Any]) -> int | None:
    """Number of rows, or None: the len() of some streams and sparse matrices raises."""
    try:
        return len(rows) if isinstance(rows, Sized) else None
    except TypeError:
        return None


def _sizes(size: int | None, total: int | None, workers: int) -> Iterator[int]:
    """Rows of each chunk: always `size`, or growing from `FIRST`, so that a progress bar moves from the start.

    They also grow where labelers are slow, as long as the time per row falls.
    """
    if size is not None:
        yield from itertools.repeat(size)
    largest = _largest(total, workers, CHUNK)
    size, before = min(FIRST, largest), float("inf")
    while True:
        began = time.perf_counter()
        yield size
        took = time.perf_counter() - began  # the next one is asked for when this one is done
        grows = took < QUICK or took / size < FALLING * before
        size, before = min(2 * size, largest) if grows else size, took / size


def _largest(total: int | None, workers: int, most: int) -> int:
    """Rows of the largest chunk: each of several workers gets several chunks, of at most 2,048 rows of a stream."""
    if workers == 1:
        return most
    return min(most, 2_048 if total is None else max(1, total // (8 * workers)))


def as_frame(rows: Any) -> pl.DataFrame | None:
    """A table in memory as polars, or None where it is not one."""
    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, Mapping):
        if not all(isinstance(v, (Sequence, np.ndarray, pl.Series)) and not isinstance(v, str) for v in rows.values()):
            raise BadRows("rows is a mapping, but not of columns; for a set of splits, choose one: rows['train']")
        try:
            return pl.DataFrame(dict(rows), strict=False)
        except pl.exceptions.ShapeError as error:
            raise BadRows(f"rows is a mapping of columns, but they differ in length: {error}") from error
    package = type(rows).__module__.split(".")[0]
    if package == "pandas" and hasattr(rows, "columns"):
        return _from_pandas(rows)
    return pl.DataFrame(rows) if package == "pyarrow" and hasattr(rows, "column_names") else None


def _from_pandas(table: Any) -> pl.DataFrame:
    """pandas → polars; a column polars cannot hold (mixed or foreign objects) stays as Python objects."""
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise BadRows(f"two columns are called {twice!r}: give each its own name")
    try:
        return pl.from_pandas(table)
    except (pl.exceptions.PolarsError, TypeError, ValueError, ImportError, OverflowError):
        return pl.DataFrame([_object_series(str(name), table[name].tolist()) for name in table.columns])


def _object_series(name: str, values: list[Any]) -> pl.Series:
    try:
        return pl.Series(name, [None if is_missing(value) else value for value in values], strict=True)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        return pl.Series(name, values, dtype=pl.Object)


# -- rows by number ----------------------------------------------------------------------------------------


def rows_at(rows: Any, numbers: Iterable[int], m: int) -> dict[int, Any]:
    """Some of m rows of any make, by number. Rows of a table are dicts."""
    wanted = sorted(set(numbers))
    if isinstance(rows, RowStore):
        _check_count(len(rows), m)
        return dict(zip(wanted, rows.take(wanted).iter_rows(named=True), strict=True))
    pieces, total = chunks(rows)
    if total is not None:
        _check_count(total, m)
    by_number: dict[int, Any] = {}
    count = 0
    for chunk in pieces:
        count += len(chunk)
        by_number |= {a: chunk.row(a - chunk.start) for a in wanted if chunk.start <= a < count}
    _check_count(count, m)
    return by_number


def _check_count(count: int, m: int) -> None:
    if count != m:
        raise BadRows(f"the votes are about {m:,} rows, and {count:,} rows were given")


def distinct(numbers: Sequence[int] | Positions) -> tuple[Positions, Positions]:
    """The numbers in ascending order, each once, and the place of each number among them."""
    wanted, places = np.unique(np.asarray(numbers, np.int64), return_inverse=True)
    return wanted, places


def check_numbers(wanted: Positions, m: int) -> None:
    """Raise where a number is not that of a row."""
    if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < m:
        row = int(wanted[0] if wanted[0] < 0 else wanted[-1])
        raise BadRows(f"there is no row {row}: there are {m:,} rows, numbered from 0", row=row)


def take_slices(table: pl.LazyFrame, wanted: Positions) -> pl.DataFrame:
    """Ascending rows of a table that can be read from anywhere, as parquet can: those of each span together."""
    check_numbers(wanted, table.select(pl.len()).collect().item())
    runs = np.split(wanted, np.flatnonzero(np.diff(wanted // SPAN)) + 1) if len(wanted) else []
    parts = [table.slice(int(run[0]), int(run[-1] - run[0]) + 1).collect()[run - run[0]] for run in runs]
    return pl.concat(parts) if parts else table.head(0).collect()


def take_batches(batches: Iterable[pl.DataFrame], wanted: Positions) -> pl.DataFrame | None:
    """Ascending rows of a table that comes batch by batch; None where there is no batch."""
    parts, start = [], 0
    for batch in batches:
        first, last = np.searchsorted(wanted, [start, start + len(batch)])
        parts.append(batch[wanted[first:last] - start])
        start += len(batch)
        if len(wanted) and wanted[-1] < start:
            break
    check_numbers(wanted, start)
    return pl.concat(parts) if parts else None


# -- texts for classifiers ---------------------------------------------------------------------------------


def read_texts(rows: Any, on: str | Sequence[str] | None = None) -> list[str] | None:
    """The rows as strings, or None where they are features: a column of a table, of dicts, or the rows themselves.

    Several columns are joined by ". ", in the order of `on`. A missing text is an empty one.
    """
    if isinstance(rows, (str, bytes)):
        raise BadRows("rows is a single string; put it in a list")
    if not isinstance(on, (list, Hashable)):
        raise BadRows(f"on is the name of a column, or a list of names, not a {type(on).__name__}: list(…) makes one")
    if hasattr(rows, "nnz"):  # a sparse matrix; some are dicts
        return None
    table = as_frame(rows)
    values = _listed(rows) if table is None else []
    if table is None and not (values and isinstance(values[0], Mapping)):
        first = next((value for value in values if not is_missing(value)), None)
        return [text or "" for text in texts_of(values)] if isinstance(first, str) else None
    if on is None and (on := _only_text(table)) is None:
        return None
    names = list(on) if isinstance(on, (list, tuple)) else [on]
    if not names:
        raise BadRows("on is an empty list: name the columns to read")
    columns = [texts_of(_column(values if table is None else table, name), name) for name in names]
    return [". ".join(filter(None, texts)) for texts in zip(*columns, strict=True)]


def _listed(rows: Any) -> list[Any]:
    """Rows in a list; none of a matrix of features."""
    if not hasattr(rows, "__len__") and hasattr(rows, "__iter__"):
        return list(rows)
    if not hasattr(rows, "__getitem__"):
        return []
    if isinstance(rows, np.ndarray):
        return list(rows.tolist()) if rows.ndim == 1 and rows.dtype.kind in "OUT" else []
    return list(rows)


def _only_text(table: pl.DataFrame | None) -> str | None:
    """The only column of text, or None where there is none."""
    if table is None:
        raise BadRows("rows are dicts; say which entry to read with on=…")
    texts = [name for name in table.columns if isinstance(next(iter(table[name].drop_nulls()), None), str)]
    if len(texts) > 1:
        raise BadRows(
            f"say which column to read with on=…, or which in a list: the text columns are {', '.join(texts)}"
        )
    return texts[0] if texts else None


def _column(rows: pl.DataFrame | list[Any], name: Any) -> list[Any]:
    if isinstance(rows, list):
        return [cell(row, name, a) for a, row in enumerate(rows)]
    if str(name) not in rows.columns:
        raise no_column(name, rows.columns)
    return rows[str(name)].to_list()
