"""Rows: strings out of whatever rows come in as, and everything else left as it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from shortlist.errors import BadRows
from shortlist.wording import did_you_mean


def read_texts(rows: Any, on: str | Sequence[str] | None = None) -> list[str] | None:
    """The rows as strings, or None where they are features: a column of a table, of dicts, or the rows themselves.

    Several columns are joined by ". ", in the order of `on`.
    """
    if isinstance(rows, (str, bytes)):
        raise BadRows("rows is a single string; put it in a list")
    if not isinstance(on, (list, Hashable)):
        raise BadRows(f"on is the name of a column, or a list of names, not a {type(on).__name__}: list(…) makes one")
    if hasattr(rows, "columns") and hasattr(rows, "shape"):
        return _table_texts(rows, on)
    if not hasattr(rows, "__len__") and hasattr(rows, "__iter__"):
        rows = list(rows)
    if not hasattr(rows, "__getitem__") or hasattr(rows, "nnz") or not len(rows):
        return None
    if isinstance(rows, np.ndarray) and (rows.ndim != 1 or rows.dtype.kind not in "OUT"):
        return None
    values = rows.tolist() if isinstance(rows, np.ndarray) else list(rows)
    if isinstance(values[0], Mapping):
        if isinstance(on, (list, tuple)):
            return _joined(on, lambda name: [_cell(row, name, a) for a, row in enumerate(values)])
        values = [_cell(row, on, a) for a, row in enumerate(values)]
    first = next((value for value in values if not _missing(value)), None)
    return _strings(values) if isinstance(first, str) else None


def _table_texts(table: Any, on: Any) -> list[str] | None:
    if isinstance(on, (list, tuple)):
        return _joined(on, lambda name: _column(table, name))
    name = _text_column(table) if on is None else on
    return None if name is None else _strings(_column(table, name), name)


def _text_column(table: Any) -> Any:
    """The only column of text, or None where there is none."""
    texts = [name for name in table.columns if isinstance(next(iter(table[name]), None), str)]
    if len(texts) > 1:
        named = ", ".join(map(str, texts))
        raise BadRows(f"say which column to read with on=…, or which in a list: the text columns are {named}")
    return texts[0] if texts else None


def _column(table: Any, name: Any) -> list[Any]:
    names = list(table.columns)
    if name not in names:
        known = [str(one) for one in names]
        raise BadRows(f"no column is called {name!r}.{did_you_mean(name, known)} Columns: {', '.join(known)}")
    return list(table[name])


def _joined(on: Sequence[str], column: Callable[[str], list[Any]]) -> list[str]:
    """The texts of several columns, row by row; what is missing or empty is left out."""
    if not on:
        raise BadRows("on is an empty list: name the columns to read")
    columns = [_strings(column(name), name) for name in on]
    return [". ".join(filter(None, texts)) for texts in zip(*columns, strict=True)]


def _cell(row: Any, on: Any, a: int) -> Any:
    if on is None:
        raise BadRows("rows are dicts; say which entry to read with on=…")
    if on not in row:
        raise BadRows(f"row {a} has no {on!r}.{did_you_mean(on, map(str, row))} It has {', '.join(map(str, row))}")
    return row[on]


def _missing(value: Any) -> bool:
    unknown = value is None or type(value).__name__ in ("NAType", "NaTType")  # pandas' own
    return unknown or (isinstance(value, float) and value != value)


def _strings(values: list[Any], column: Any = None) -> list[str]:
    """Text cells, empty where there is nothing; anything else is an error."""
    strings = ["" if _missing(value) else value for value in values]
    for a, value in enumerate(strings):
        if not isinstance(value, str):
            of = "" if column is None else f"column {column!r} of "
            raise BadRows(f"{of}row {a} holds {type(value).__name__}, not text")
    return strings
