"""Marked texts: every character between two marks that say whether it is part of a word to Python.

The engine finds the ends of words by looking at the two characters beside a place. In a marked text these are marks, on
which both engines agree, so `\\b` there means what it means to Python:

    k²   becomes   aka é²é        a: a letter, a digit or _ of ASCII; é: part of a word otherwise; !: not part of a word

A newline is its own mark, so that `^` and `$` are found at the ends of lines. Every character becomes three: a pattern
for marked texts takes three at a time, from the beginning on.
"""

from __future__ import annotations

import polars as pl

from shortlist.labelers.regex.characters import disputed_characters

WORD, WIDER_WORD, OTHER = "a", "é", "!"
MARK = r"[a\x{E9}!\n]"
ALIGNED = r"\A(?s:.{3})*"  # what a pattern for marked texts begins with


class _Marks(dict[int, str]):
    """Character → the three that it becomes; found when it is first met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        mark = letter if letter == "\n" else OTHER
        if letter.isalnum() or letter == "_":
            mark = WORD if letter.isascii() else WIDER_WORD
        self[code] = mark + letter + mark
        return self[code]


_MARKS = _Marks()


def marked(column: pl.Series) -> pl.Series:
    """The texts with marks; what is no text stays none."""
    return pl.Series([None if text is None else text.translate(_MARKS) for text in column], dtype=pl.String)


def not_ascii(column: pl.Series) -> pl.Series:
    """The rows whose text is not all ASCII."""
    return (column.str.len_bytes() != column.str.len_chars()).fill_null(False).arg_true()


def disputed(column: pl.Series) -> pl.Series:
    """The rows on which the two engines may differ about where words begin and end: in a text without marks."""
    characters, rows = disputed_characters(), not_ascii(column)
    if characters is None or not len(rows):
        return rows.clear()
    return rows.filter(column.gather(rows).str.contains(characters))
