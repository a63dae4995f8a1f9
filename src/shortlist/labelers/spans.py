"""Spans: where in a text a labeler found what it looks for.

They are found by the linear-time engine, so that no pattern takes long on any text. A pattern that only Python's `re`
can express has no spans.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import polars as pl

from shortlist.labelers.core import Labeler
from shortlist.labelers.regex import Inexpressible, linear
from shortlist.labelers.text import Keywords, Pattern

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"  # no characters: they are reserved for use inside a program


class Span(NamedTuple):
    """Characters of a text, from the first up to the one before `end`."""

    start: int
    end: int


class Piece(NamedTuple):
    """Some characters of a text, and the labelers that match there."""

    text: str
    labelers: tuple[str, ...] = ()


def pieces(text: str, marks: Sequence[tuple[str, Span]]) -> tuple[Piece, ...]:
    """A text in pieces, each with the labelers (by name, with a span each) that match all of it."""
    ends = sorted({0, len(text), *(span.start for _, span in marks), *(span.end for _, span in marks)})
    return tuple(
        Piece(text[start:end], tuple(name for name, span in marks if span.start <= start and end <= span.end))
        for start, end in pairwise(ends)
    )


def spans(labeler: Labeler, texts: Sequence[str]) -> list[list[Span]]:
    """For each text, the places that a pattern or a keyword matches; none for labelers of other kinds."""
    expression = _expression(labeler)
    if expression is None:
        return [[] for _ in texts]
    clean = pl.Series([text.replace(_OPEN, "?").replace(_CLOSE, "?") for text in texts], dtype=pl.String)
    marked = clean.str.replace_all(expression, f"{_OPEN}${{0}}{_CLOSE}")
    return [_read(text) for text in marked]


def _expression(labeler: Labeler) -> str | None:
    """What to look for, for the linear-time engine."""
    try:
        if isinstance(labeler, Keywords):
            flags = re.IGNORECASE if labeler.ignore_case else 0
            words = linear("|".join(map(re.escape, labeler.words)), flags).pattern
            return rf"\b{{start-half}}(?:{words})\b{{end-half}}" if labeler.whole_words else words
        if isinstance(labeler, Pattern):
            return linear(labeler.regex, re.IGNORECASE if labeler.ignore_case else 0).pattern
    except Inexpressible:
        return None
    return None


def _read(marked: str) -> list[Span]:
    """The places between the marks, as places in the text without marks. Empty matches are left out."""
    found, start, at = [], 0, 0
    for piece in re.split(f"([{_OPEN}{_CLOSE}])", marked):
        if piece == _OPEN:
            start = at
        elif piece == _CLOSE:
            if at > start:
                found.append(Span(start, at))
        else:
            at += len(piece)
    return found
