"""Chunk: some rows, as Python values for functions and as columns for declarative labelers.

Rows come in as a list, a table of any make (polars, pandas, pyarrow, a Hugging Face dataset, a mapping of
columns), a numpy array or any iterable; tables become polars here, and streams are cut into chunks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadRows
from shortlist.wording import did_you_mean

CHUNK = 32_768  # rows: large enough that a call per labeler costs nothing, small enough to stream
FIRST = 1_024  # rows of the first chunk; each is twice the one before, so that a progress bar moves from the start
SHARED = 2_048  # rows of a chunk of a stream that several workers share


class Row(dict[str, Any]):
    """A row of a table: a dict whose keys can also be written as attributes, `row.text`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the row has no column {name!r}.{did_you_mean(name, self)}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Row, (dict(self),)


class Chunk:
    """Rows `start`, `start + 1`, … of the whole."""

    def __init__(self, start: int, rows: Sequence[Any] | pl.DataFrame) -> None:
        self.start = start
        self.frame = rows if isinstance(rows, pl.DataFrame) else None
        self._list = None if isinstance(rows, pl.DataFrame) else rows
        self._columns: dict[str | None, pl.Series] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Chunk, (self.start, self._list if self.frame is None else self.frame)

    def __len__(self) -> int:
        return len(self._list) if self._list is not None else len(self.frame)  # type: ignore[arg-type]

    @cached_property
    def rows(self) -> Sequence[Any]:
        """The rows as Python values: what a function is called with."""
        if self._list is not None:
            return self._list
        assert self.frame is not None
        names = self.frame.columns
        return [Row(zip(names, values, strict=True)) for values in self.frame.iter_rows()]

    def singles(self) -> Iterator[Chunk]:
        """Each row as a chunk of its own."""
        rows = self._list if self.frame is None else self.frame
        assert rows is not None
        return (Chunk(self.start + a, rows[a : a + 1]) for a in range(len(self)))

    def values(self, on: str | None) -> Sequence[Any]:
        """One column as Python values, or the rows themselves."""
        if on is None:
            return self.rows
        if self.frame is not None:
            return self._frame_column(on).to_list()
        return [self._cell(row, on, a) for a, row in enumerate(self._list or (), self.start)]

    def text(self, on: str | None) -> pl.Series:
        """One column of text (null where there is none), or the rows themselves where they are text."""
        if on not in self._columns:
            self._columns[on] = self._frame_text(on) if self.frame is not None else self._list_text(on)
        return self._columns[on]

    def numbers(self, on: str) -> npt.NDArray[np.float64]:
        """One column of numbers or truth values, NaN where there is none."""
        try:
            series = pl.Series(self.values(on), strict=False) if self.frame is None else self._frame_column(on)
            return series.cast(pl.Float64, strict=True).fill_null(float("nan")).to_numpy()
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise BadRows(f"column {on!r} holds something that is not a number ({error})") from error

    def _frame_column(self, on: str) -> pl.Series:
        assert self.frame is not None
        if on not in self.frame.columns:
            names = self.frame.columns
            raise BadRows(f"no column is called {on!r}.{did_you_mean(on, names)} Columns: {', '.join(names)}")
        return self.frame[on]

    def _frame_text(self, on: str | None) -> pl.Series:
        assert self.frame is not None
        if on is None:
            texts = [name for name, kind in self.frame.schema.items() if kind == pl.String]
            if len(texts) != 1:
                raise BadRows(
                    f"say which column to read with on=…: the table has {len(texts)} columns of text "
                    f"({', '.join(texts) or 'none'})"
                )
            on = texts[0]
        series = self._frame_column(on)
        if series.dtype == pl.Object:  # a column of mixed kinds: the row that is not text is named
            return self._list_text(on)
        if series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            return series.cast(pl.String)
        raise BadRows(f"column {on!r} holds {series.dtype}, not text")

    def _list_text(self, on: str | None) -> pl.Series:
        values = self.values(on)
        if not all(value.__class__ is str for value in values):
            values = [self._checked_text(value, on, a) for a, value in enumerate(values, self.start)]
        try:
            return pl.Series(values, dtype=pl.String)
        except (UnicodeEncodeError, pl.exceptions.PolarsError, TypeError) as error:
            raise BadRows(f"a row from {self.start} on holds text that is not valid Unicode ({error})") from error

    @staticmethod
    def _checked_text(value: Any, on: str | None, a: int) -> str | None:
        if isinstance(value, str):
            return value
        if _missing(value):
            return None
        what = f"column {on!r} of row {a}" if on is not None else f"row {a}"
        hint = "; say which column to read with on=…" if isinstance(value, Mapping) else ""
        raise BadRows(f"{what} holds {type(value).__name__}, not text{hint}")

    @staticmethod
    def _cell(row: Any, on: str, a: int) -> Any:
        try:
            return row[on]
        except (KeyError, TypeError, IndexError):
            if isinstance(row, Mapping):
                hint = f"{did_you_mean(on, map(str, row))} It has {', '.join(map(str, row))}"
            else:
                hint = f" It is a {type(row).__name__}, not a mapping"
            raise BadRows(f"row {a} has no {on!r}.{hint}") from None


def _missing(value: Any) -> bool:
    """None, or what pandas writes where there is nothing: NaN, NA, NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def chunks(rows: Any, size: int | None = None, workers: int = 1) -> tuple[Iterator[Chunk], int | None]:
    """The rows in chunks (of one size where it is given), and how many rows there are where that is known."""
    if isinstance(rows, (str, bytes)):
        raise BadRows("rows is a single string; put it in a list")
    if hasattr(rows, "iter_slices"):  # a polars DataFrame
        return _cut_frame(rows, _sizes(size, len(rows), workers)), len(rows)
    if isinstance(rows, pl.LazyFrame):
        largest = size or _largest(None, workers)
        return _cut_frames(rows.collect_batches(chunk_size=largest, maintain_order=True)), None
    table = _as_frame(rows)
    if table is not None:
        return _cut_frame(table, _sizes(size, len(table), workers)), len(table)
    if hasattr(rows, "to_polars"):  # a Hugging Face dataset, kept on disk
        largest = size or _largest(len(rows), workers)
        return _cut_frames(rows.to_polars(batched=True, batch_size=largest)), len(rows)
    if hasattr(rows, "to_pylist"):  # a column of pyarrow, whose values are not Python's
        rows = rows.to_pylist()
    if not isinstance(rows, Iterable):
        raise BadRows(f"rows is a {type(rows).__name__}; give a list, a table or any iterable of rows")
    total = _length(rows)
    return _cut_iterable(rows, _sizes(size, total, workers)), total


def _length(rows: Iterable[Any]) -> int | None:
    """How many rows there are; some streams and sparse matrices have a length that they refuse to tell."""
    try:
        return len(rows) if isinstance(rows, Sized) else None
    except TypeError:
        return None


def _sizes(size: int | None, total: int | None, workers: int) -> Iterator[int]:
    """How many rows each chunk has: always `size`, or growing from `FIRST`."""
    if size is not None:
        yield from itertools.repeat(size)
    largest = _largest(total, workers)
    growing = min(FIRST, largest)
    while growing < largest:
        yield growing
        growing = min(2 * growing, largest)
    yield from itertools.repeat(largest)


def _largest(total: int | None, workers: int) -> int:
    """The rows of the largest chunk: where workers share them, each gets several chunks."""
    if workers == 1:
        return CHUNK
    return min(CHUNK, SHARED if total is None else max(1, total // (8 * workers)))


def _as_frame(rows: Any) -> pl.DataFrame | None:
    """A table in memory as polars, or None where it is not one (or holds what polars cannot)."""
    module = type(rows).__module__.split(".")[0]
    if isinstance(rows, Mapping):
        if not all(isinstance(v, (Sequence, np.ndarray, pl.Series)) and not isinstance(v, str) for v in rows.values()):
            raise BadRows("rows is a mapping, but not of columns; for a set of splits, choose one: rows['train']")
        try:
            return pl.DataFrame(dict(rows), strict=False)
        except pl.exceptions.ShapeError as error:
            raise BadRows(f"rows is a mapping of columns, but they differ in length: {error}") from error
    if module == "pandas" and hasattr(rows, "columns"):
        return _from_pandas(rows)
    if module == "pyarrow" and hasattr(rows, "column_names"):
        frame = pl.from_arrow(rows)
        assert isinstance(frame, pl.DataFrame)
        return frame
    return None


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
        return pl.Series(name, [None if _missing(value) else value for value in values], strict=True)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        return pl.Series(name, values, dtype=pl.Object)


def _cut_frame(frame: pl.DataFrame, sizes: Iterator[int]) -> Iterator[Chunk]:
    start = 0
    while start < len(frame):
        part = frame[start : start + next(sizes)]
        yield Chunk(start, part)
        start += len(part)


def _cut_frames(frames: Iterable[pl.DataFrame]) -> Iterator[Chunk]:
    start = 0
    for frame in frames:
        yield Chunk(start, frame)
        start += len(frame)


def _cut_iterable(rows: Iterable[Any], sizes: Iterator[int]) -> Iterator[Chunk]:
    source, start = iter(rows), 0
    while part := list(itertools.islice(source, next(sizes))):
        yield Chunk(start, part)
        start += len(part)
