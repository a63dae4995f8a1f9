"""Sheets: the first sheet of an Excel file as a table. Its first row names the columns."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from shortlist.errors import BadFile, MissingPackage, require


def read_sheet(path: Path) -> pl.DataFrame:
    """All rows of the first sheet. openpyxl reads it; formulas come as the values that Excel saved."""
    openpyxl = require("openpyxl", extra="excel")
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        lines = list(book.worksheets[0].iter_rows(values_only=True))
        book.close()
    except MissingPackage:
        raise
    except Exception as error:  # a damaged file can trip zipfile, xml and openpyxl in any way
        raise BadFile(f"cannot be read: it is no Excel file ({type(error).__name__})", file=str(path)) from error
    if not lines or not any(lines[0]):
        raise BadFile("cannot be read: its first sheet is empty", file=str(path))
    names = [str(name) for name in lines[0] if name is not None]
    columns = zip(*(line[: len(names)] for line in lines[1:]), strict=True) if lines[1:] else [[]] * len(names)
    return pl.DataFrame([_column(name, list(values)) for name, values in zip(names, columns, strict=True)])


def _column(name: str, values: list[object]) -> pl.Series:
    """A column of one kind; of several kinds, as text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        values = [None if value is None else str(value) for value in values]
    return pl.Series(name, values, strict=False)
