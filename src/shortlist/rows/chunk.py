"""Chunk: some rows, as Python values for functions and as columns for labelers that are data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import polars as pl

from shortlist.arrays import Floats
from shortlist.errors import BadRows
from shortlist.rows.cells import cell, no_column, texts_of
from shortlist.wording import did_you_mean


class ColumnKeyError(KeyError):
    """A row was asked for a column that it does not have. The message is a sentence, which KeyError would quote."""

    def __str__(self) -> str:
        return str(self.args[0])


class Row(dict[str, Any]):
    """A row of a table: a dict whose keys can also be written as attributes, `row.text`.

    Several labelers read it, so it cannot be changed: what one did would change the votes of the others.
    """

    __slots__ = ()

    def __missing__(self, name: Any) -> NoReturn:
        raise ColumnKeyError(f"the row has no column {name!r}.{did_you_mean(name, map(str, self))}")

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as missing:
            raise AttributeError(str(missing)) from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Row, (dict(self),)

    def _unchangeable(self, *_given: Any, **_named: Any) -> NoReturn:
        raise TypeError("a row cannot be changed, since other labelers read it too: change a copy, dict(row)")

    __setitem__ = __delitem__ = __ior__ = _unchangeable
    clear = pop = popitem = setdefault = update = _unchangeable


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
        """The rows as Python values: what a function is called with. A missing text of a table is an empty one."""
        if self._list is not None:
            return [Row(row) if row.__class__ is dict else row for row in self._list]
        return list(self.each())

    def each(self) -> Iterator[Row]:
        """The rows of a table, one by one."""
        assert self.frame is not None
        names = self.frame.columns
        filled = self.frame.with_columns(pl.col(pl.String).fill_null(""))
        return (Row(zip(names, values, strict=True)) for values in filled.iter_rows())

    @property
    def columns(self) -> list[str]:
        """The columns of a table, or the keys of the first row where rows are dicts; none of other rows."""
        if self.frame is not None:
            return self.frame.columns
        first = self._list[0] if self._list else None
        return [name for name in first if isinstance(name, str)] if isinstance(first, Mapping) else []

    def row(self, at: int) -> Any:
        """One row; that of a table is a dict."""
        return self.frame.row(at, named=True) if self.frame is not None else self.rows[at]

    def singles(self) -> Iterator[Chunk]:
        """Each row as a chunk of its own."""
        return self.cut(1)

    def cut(self, size: int) -> Iterator[Chunk]:
        """The same rows as chunks of at most `size` rows."""
        rows = self._list if self.frame is None else self.frame
        assert rows is not None
        return (Chunk(self.start + a, rows[a : a + size]) for a in range(0, len(self), size))

    def values(self, on: str | None) -> Sequence[Any]:
        """One column as Python values, or the rows themselves. A missing text of a table is an empty one."""
        if on is None:
            return self.rows
        if self.frame is not None:
            column = self._frame_column(on)
            return (column.fill_null("") if column.dtype == pl.String else column).to_list()
        return [cell(row, on, a) for a, row in enumerate(self._list or (), self.start)]

    def text(self, on: str | None) -> pl.Series:
        """One column of text (null where there is none), or the rows themselves where they are text."""
        if on not in self._columns:
            self._columns[on] = self._frame_text(on) if self.frame is not None else self._list_text(on)
        return self._columns[on]

    def numbers(self, on: str) -> Floats:
        """One column of numbers or truth values, NaN where there is none."""
        try:
            series = pl.Series(self.values(on), strict=False) if self.frame is None else self._frame_column(on)
            return series.cast(pl.Float64, strict=True).fill_null(float("nan")).to_numpy()
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise BadRows(f"column {on!r} holds something that is not a number ({error})", column=on) from error

    def _frame_column(self, on: str) -> pl.Series:
        assert self.frame is not None
        if on not in self.frame.columns:
            raise no_column(on, self.frame.columns)
        return self.frame[on]

    def _frame_text(self, on: str | None) -> pl.Series:
        on = self._text_column() if on is None else on
        series = self._frame_column(on)
        if series.dtype == pl.Object:  # a column of mixed kinds: the row that is not text is named
            return self._list_text(on)
        if series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            return series.cast(pl.String)
        raise BadRows(f"column {on!r} holds {series.dtype}, not text", column=on)

    def _text_column(self) -> str:
        """The only column of text."""
        assert self.frame is not None
        texts = [name for name, kind in self.frame.schema.items() if kind == pl.String]
        if len(texts) != 1:
            listed = ", ".join(texts) or "none"
            raise BadRows(f"say which column to read with on=…: the table has {len(texts)} columns of text ({listed})")
        return texts[0]

    def _list_text(self, on: str | None) -> pl.Series:
        values = texts_of(self.values(on), on, self.start)
        try:
            return pl.Series(values, dtype=pl.String)
        except (UnicodeEncodeError, pl.exceptions.PolarsError, TypeError) as error:
            raise BadRows(f"a row from {self.start} on holds text that is not valid Unicode ({error})") from error
