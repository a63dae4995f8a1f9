"""Cells: what stands in one column of one row, and whether it is a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shortlist.errors import BadRows
from shortlist.wording import did_you_mean


def cell(row: Any, on: Any, a: int) -> Any:
    """What row a holds in a column."""
    try:
        return row[on]
    except (KeyError, TypeError, IndexError):
        if isinstance(row, Mapping):
            hint = f"{did_you_mean(on, map(str, row))} It has {', '.join(map(str, row))}"
        else:
            hint = f" It is a {type(row).__name__}, not a mapping"
        raise BadRows(f"row {a} has no {on!r}.{hint}", row=a, column=str(on)) from None


def texts_of(values: Sequence[Any], on: Any = None, start: int = 0) -> Sequence[str | None]:
    """Cells as text, None where there is nothing; anything else is an error. The first one is in row `start`."""
    if all(value.__class__ is str for value in values):
        return values
    return [text_of(value, on, a) for a, value in enumerate(values, start)]


def text_of(value: Any, on: Any, a: int) -> str | None:
    """A cell as text, None where there is nothing."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    what = f"column {on!r} of row {a}" if on is not None else f"row {a}"
    hint = "; say which column to read with on=…" if isinstance(value, Mapping) else ""
    raise BadRows(f"{what} holds {type(value).__name__}, not text{hint}", row=a, column=None if on is None else str(on))


def is_missing(value: Any) -> bool:
    """None, or what pandas writes where there is nothing: NaN, NA, NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def no_column(name: Any, columns: Iterable[Any]) -> BadRows:
    """The error that a table has no such column."""
    known = [str(one) for one in columns]
    message = f"no column is called {name!r}.{did_you_mean(name, known)} Columns: {', '.join(known)}"
    return BadRows(message, column=str(name))
