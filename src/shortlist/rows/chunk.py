"""Chunk: consecutive rows, as Python values for functions and as columns for labelers that are data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import polars as pl

from shortlist.arrays import Floats
from shortlist.errors import BadRows
from shortlist.labelspace import is_missing
from shortlist.wording import did_you_mean


class ColumnKeyError(KeyError):
    """A missing column of a row. The message is a sentence, which KeyError would quote."""

    def __str__(self) -> str:
        return str(self.args[0])


class Row(dict[str, Any]):
    """A row of a table: a dict whose keys can also be written as attributes, `row.text`.

    It cannot be changed: other labelers read it too, and their votes would change.
    """

    __slots__ = ()

    def __missing__(self, name: Any) -> NoReturn:
        raise ColumnKeyError(f"the row has no column {name!r}.{did_you_mean(name, map(str, self))}")

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as missing:
            cure = " To be given the text of a row, name the parameter text." if hasattr(str, name) else ""
            raise AttributeError(f"{missing}{cure}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Row, (dict(self),)

    def _unchangeable(self, *_values: Any, **_named: Any) -> NoReturn:
        raise TypeError("a row cannot be changed, since other labelers read it too: change a copy, dict(row)")

    __setitem__ = __delitem__ = __ior__ = _unchangeable
    clear = pop = popitem = setdefault = update = _unchangeable


class Chunk:
    """Rows `start`, `start + 1`, … of the whole."""

    def __init__(self, start: int, rows: Sequence[Any] | pl.DataFrame) -> None:
        self.start = start
        self.frame = rows if isinstance(rows, pl.DataFrame) else None
        self._data = rows
        self._texts: dict[str | None, pl.Series] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Chunk, (self.start, self._data)

    def __len__(self) -> int:
        return len(self._data)

    @cached_property
    def rows(self) -> Sequence[Any]:
        """The rows as Python values, which functions are called with. A missing text of a table is an empty one."""
        if self.frame is None:
            return [Row(row) if row.__class__ is dict else row for row in self._data]
        names, filled = self.frame.columns, self.frame.with_columns(pl.col(pl.String).fill_null(""))
        return [Row(zip(names, values, strict=True)) for values in filled.iter_rows()]

    @property
    def columns(self) -> list[str]:
        """The columns of a table, or the keys of the first row where rows are dicts; none of other rows."""
        if self.frame is not None:
            return self.frame.columns
        first = self._data[0] if len(self) else None
        return [name for name in first if isinstance(name, str)] if isinstance(first, Mapping) else []

    @property
    def text_columns(self) -> list[str]:
        """The columns of text of a table."""
        return [] if self.frame is None else [name for name, kind in self.frame.schema.items() if kind == pl.String]

    def row(self, at: int) -> Any:
        """One row; that of a table is a dict."""
        return self.frame.row(at, named=True) if self.frame is not None else self.rows[at]

    def cut(self, size: int) -> Iterator[Chunk]:
        """Cut the rows into chunks of at most `size`."""
        return (Chunk(self.start + a, self._data[a : a + size]) for a in range(0, len(self), size))

    def values(self, on: str | None) -> Sequence[Any]:
        """One column as Python values, or the rows themselves. A missing text of a table is an empty one."""
        if on is None:
            return self.rows
        if self.frame is not None:
            column = self._frame_column(on)
            return (column.fill_null("") if column.dtype == pl.String else column).to_list()
        return [cell(row, on, a) for a, row in enumerate(self._data, self.start)]

    def text(self, on: str | None) -> pl.Series:
        """One column of text (null where there is none), or the rows themselves where they are text."""
        if on not in self._texts:
            self._texts[on] = self._frame_text(on) if self.frame is not None else self._list_text(on)
        return self._texts[on]

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
        if series.dtype == pl.Object:  # a column of mixed types: the error names the row that is not text
            return self._list_text(on)
        if series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            return series.cast(pl.String)
        raise BadRows(f"column {on!r} holds {series.dtype}, not text", column=on)

    def _text_column(self) -> str:
        """The only column of text."""
        texts = self.text_columns
        if len(texts) != 1:
            listed = ", ".join(texts) or "none"
            raise BadRows(
                "say which column to read with on=…, or for all labelers with apply(…, text=…): the table has "
                f"{len(texts)} columns of text ({listed})"
            )
        return texts[0]

    def _list_text(self, on: str | None) -> pl.Series:
        values = texts_of(self.values(on), on, self.start)
        try:
            return pl.Series(values, dtype=pl.String)
        except (UnicodeEncodeError, pl.exceptions.PolarsError, TypeError) as error:
            raise BadRows(f"a row from {self.start} on holds text that is not valid Unicode ({error})") from error


# -- cells -----------------------------------------------------------------------------------------------


def cell(row: Any, on: Any, a: int) -> Any:
    """The value of row a in a column."""
    try:
        return row[on]
    except (KeyError, TypeError, IndexError):
        if isinstance(row, Mapping):
            hint = f"{did_you_mean(on, map(str, row))} It has {', '.join(map(str, row))}"
        else:
            hint = f" It is a {type(row).__name__}, not a mapping"
        raise BadRows(f"row {a} has no {on!r}.{hint}", row=a, column=str(on)) from None


def texts_of(values: Sequence[Any], on: Any = None, start: int = 0) -> Sequence[str | None]:
    """Cells as text, None where a value is missing; anything else is an error. The first cell is in row `start`."""
    if all(value.__class__ is str for value in values):
        return values
    return [_text(value, on, a) for a, value in enumerate(values, start)]


def _text(value: Any, on: Any, a: int) -> str | None:
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    what = f"column {on!r} of row {a}" if on is not None else f"row {a}"
    hint = "; say which column to read with on=…" if isinstance(value, Mapping) else ""
    raise BadRows(f"{what} holds {type(value).__name__}, not text{hint}", row=a, column=None if on is None else str(on))


def no_column(name: Any, columns: Iterable[Any]) -> BadRows:
    """The error that a table has no such column."""
    names = [str(column) for column in columns]
    message = f"no column is called {name!r}.{did_you_mean(name, names)} Columns: {', '.join(names)}"
    return BadRows(message, column=str(name))


# -- copies: each labeler gets lists, dicts and sets of its own, so that none sees the changes of another -----------


def can_be_shared(values: Sequence[Any]) -> bool:
    """True where there is no list, dict or set among the values, nor inside a row."""
    kinds = {value.__class__ for value in values}
    return kinds.isdisjoint((list, dict, set)) and not (Row in kinds and any(map(_is_changeable, values)))


def deep_copy(value: Any) -> Any:
    """Copy a list, a dict, a set or a row with all that can be changed inside it; return anything else as it is."""
    kind = value.__class__
    if kind is list:
        return [deep_copy(item) for item in value]
    if kind is set:
        return set(value)
    if kind is dict or (kind is Row and _is_changeable(value)):
        return kind({key: deep_copy(item) for key, item in value.items()})
    return value


def _is_changeable(value: Any) -> bool:
    kind = value.__class__
    if kind is Row:
        return any(item.__class__ in (list, dict, set, Row) for item in value.values())
    return kind in (list, dict, set)
