"""Template: a text with the names of columns in braces. It is filled once: rows hold no templates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shortlist.errors import BadLabeler, BadRows
from shortlist.rows import Chunk
from shortlist.rows.chunk import is_missing

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
TEXT = "text"  # the text of a row, whatever its column is called


@dataclass(frozen=True)
class Template:
    """Texts and the columns between them: one text more than columns."""

    source: str
    texts: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def parse(cls, source: Any, name: str, option: str) -> Template:
        """A template as a user writes it: {column} is filled in, {{ and }} are braces."""
        if not isinstance(source, str) or not source.strip():
            raise BadLabeler(f"labeler {name!r}: {option} is a text; got {source!r}", labeler=name, option=(option,))
        texts, columns, start, text = [], [], 0, ""
        for found in _PIECE.finditer(source):
            text += source[start : found.start()]
            start = found.end()
            if found[0] in ("{{", "}}"):
                text += found[0][0]
                continue
            if not (found[1] or "").strip():
                raise BadLabeler(
                    f"labeler {name!r}: {found[0]} at character {found.start() + 1} of the {option} names no column: "
                    "columns are written {text}, braces themselves {{ and }}", labeler=name, option=(option,),
                )  # fmt: skip
            texts.append(text)
            columns.append(found[1].strip())
            text = ""
        return cls(source, (*texts, text + source[start:]), tuple(columns))

    def fill(self, chunk: Chunk, on: str | None) -> list[str | None]:
        """The text for each row; None where the row lacks a column. `on` is the column that {text} means."""
        filled: list[str | None] = [self.texts[0]] * len(chunk)
        for column, after in zip(self.columns, self.texts[1:], strict=True):
            cells = cells_of(chunk, column, on)
            filled = [
                None if before is None or cell is None else f"{before}{cell}{after}"
                for before, cell in zip(filled, cells, strict=True)
            ]
        return filled


def cells_of(chunk: Chunk, column: str, on: str | None) -> Sequence[str | None]:
    """A column as texts, None where there is nothing."""
    values = column_values(chunk, column, on)
    if all(value.__class__ is str for value in values):
        return values
    return [None if is_missing(value) else _text(value, column, chunk.start + a) for a, value in enumerate(values)]


def column_values(chunk: Chunk, column: str, on: str | None) -> Sequence[Any]:
    """A column; {text} is the row itself where rows are strings, and the text column where none is called so."""
    if chunk.frame is not None:
        name = on if column == TEXT and TEXT not in chunk.frame.columns else column
        if name is None or chunk.frame.schema.get(name) == pl.String:
            return chunk.text(name).to_list()  # a missing text is none here, not an empty one
        return chunk.values(name)
    first = chunk.rows[0] if len(chunk) else None
    if column == TEXT and (isinstance(first, str) or is_missing(first)):
        return chunk.values(None)
    if column == TEXT and on is not None and TEXT not in first:  # type: ignore[operator]
        return chunk.values(on)
    return chunk.values(column)


def _text(value: Any, column: str, row: int) -> str:
    if isinstance(value, (str, int, float)):
        return str(value)
    raise BadRows(f"column {column!r} of row {row} holds {type(value).__name__}, not text or a number", row=row,
                  column=column)  # fmt: skip
