"""Texts of rows: strings out of whatever rows come in as, for classifiers. Rows that are features are left alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from shortlist.errors import BadRows
from shortlist.rows.cells import cell, is_missing, no_column, texts_of
from shortlist.rows.reading import from_pyarrow


def read_texts(rows: Any, on: str | Sequence[str] | None = None) -> list[str] | None:
    """The rows as strings, or None where they are features: a column of a table, of dicts, or the rows themselves.

    Several columns are joined by ". ", in the order of `on`. A missing text is an empty one.
    """
    if isinstance(rows, (str, bytes)):
        raise BadRows("rows is a single string; put it in a list")
    if not isinstance(on, (list, Hashable)):
        raise BadRows(f"on is the name of a column, or a list of names, not a {type(on).__name__}: list(…) makes one")
    if (table := from_pyarrow(rows)) is not None:
        return _table_texts(table, on)
    if hasattr(rows, "columns") and hasattr(rows, "shape"):
        return _table_texts(rows, on)
    if not hasattr(rows, "__len__") and hasattr(rows, "__iter__"):
        rows = list(rows)
    if not hasattr(rows, "__getitem__") or hasattr(rows, "nnz") or not len(rows):
        return None
    if isinstance(rows, np.ndarray) and (rows.ndim != 1 or rows.dtype.kind not in "OUT"):
        return None
    return _list_texts(rows.tolist() if isinstance(rows, np.ndarray) else list(rows), on)


def _list_texts(values: list[Any], on: Any) -> list[str] | None:
    if isinstance(values[0], Mapping):
        if on is None:
            raise BadRows("rows are dicts; say which entry to read with on=…")
        if isinstance(on, (list, tuple)):
            return _joined(on, lambda name: [cell(row, name, a) for a, row in enumerate(values)])
        values = [cell(row, on, a) for a, row in enumerate(values)]
    first = next((value for value in values if not is_missing(value)), None)
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
        raise no_column(name, names)
    return list(table[name])


def _joined(on: Sequence[str], column: Callable[[str], list[Any]]) -> list[str]:
    """The texts of several columns, row by row; what is missing or empty is left out."""
    if not on:
        raise BadRows("on is an empty list: name the columns to read")
    columns = [_strings(column(name), name) for name in on]
    return [". ".join(filter(None, texts)) for texts in zip(*columns, strict=True)]


def _strings(values: list[Any], column: Any = None) -> list[str]:
    """Cells as text, empty where there is nothing."""
    return [text or "" for text in texts_of(values, column)]
