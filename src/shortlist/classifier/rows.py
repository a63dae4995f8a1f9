"""Rows: strings out of whatever rows come in as, and everything else left as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shortlist.errors import BadRows, did_you_mean


def read_texts(rows: Any, on: str | None = None) -> list[str] | None:
    """The rows as strings, or None where they are features: a column of a table, of dicts, or the rows themselves."""
    if isinstance(rows, (str, bytes)):
        raise BadRows("rows is a single string; put it in a list")
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
        values = [_cell(row, on, a) for a, row in enumerate(values)]
    first = next((value for value in values if not _missing(value)), None)
    return _strings(values) if isinstance(first, str) else None


def _table_texts(table: Any, on: str | None) -> list[str] | None:
    names = list(table.columns)
    if on is None:
        texts = [name for name in names if isinstance(next(iter(table[name]), None), str)]
        if not texts:
            return None
        if len(texts) > 1:
            raise BadRows(f"say which column to read with on=…: the text columns are {', '.join(map(str, texts))}")
        on = texts[0]
    if on not in names:
        known = [str(name) for name in names]
        raise BadRows(f"no column is called {on!r}.{did_you_mean(on, known)} Columns: {', '.join(known)}")
    return _strings(list(table[on]))


def _cell(row: Any, on: str | None, a: int) -> Any:
    if on is None:
        raise BadRows("rows are dicts; say which entry to read with on=…")
    if on not in row:
        raise BadRows(f"row {a} has no {on!r}.{did_you_mean(on, map(str, row))} It has {', '.join(map(str, row))}")
    return row[on]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _strings(values: list[Any]) -> list[str]:
    """Text cells, empty where there is nothing; anything else is an error."""
    strings = ["" if _missing(value) else value for value in values]
    for a, value in enumerate(strings):
        if not isinstance(value, str):
            raise BadRows(f"row {a} holds {type(value).__name__}, not text")
    return strings
