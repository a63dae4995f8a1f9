"""Guess: what the columns of a file seem to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from shortlist.project.gold.column import WHOLE, classes_in
from shortlist.project.starter.known import MANY
from shortlist.rows import RowFile

LONG = 20  # characters: a column of text that is about something is longer on average
TEXTS = (
    "text", "message", "body", "content", "comment", "review", "question", "document", "sentence", "tweet",
    "description", "article", "utterance", "query",
)  # fmt: skip
GOLDS = ("label", "class", "gold", "category", "target", "topic")


@dataclass(frozen=True)
class Guess:
    """What the columns of a file seem to be.

    features    columns of numbers, where no column seems to be text
    repeating   a column that is called as ids are, but holds some value twice
    """

    text: str | None
    id: str | None
    gold: str | None
    features: tuple[str, ...] = ()
    repeating: str | None = None

    @classmethod
    def of(cls, file: RowFile, *, id: str | None = None, gold: str | None = None) -> Guess:
        """From the first rows; columns that somebody named are taken as named."""
        head = file.head(1000)
        strings = [name for name, kind in head.schema.items() if kind == pl.String and name not in (id, gold)]
        text = _text_column({name: _mean_length(head[name]) for name in strings})
        others = [name for name in head.columns if name != text]
        own = [name for name in others if name.lower() in ("id", "key", "uid", "uuid") or name.lower().endswith("_id")]
        known = [name for name in others if name.lower() in GOLDS and _may_be_classes(head[name])]
        identity = id or next((name for name in own if head[name].n_unique() == len(head)), None)
        gold = gold or next(iter(known), None)
        free = [name for name in others if name not in (*own, identity, gold)]
        features = () if text is not None else _numeric(head.select(free))
        return cls(text, identity, gold, features, own[0] if own and identity is None else None)


def _may_be_classes(column: pl.Series) -> bool:
    """Texts, or a few different whole numbers."""
    if not column.dtype.is_numeric():
        return column.dtype == pl.String
    words = classes_in(column)
    return 1 < len(words) <= MANY and all(map(WHOLE.fullmatch, words))


def _numeric(head: pl.DataFrame) -> tuple[str, ...]:
    """Columns of numbers, without those that are called as known classes are."""
    return tuple(name for name, kind in head.schema.items() if kind.is_numeric() and name.lower() not in GOLDS)


def _text_column(lengths: Mapping[str, float]) -> str | None:
    """The column that is called as columns of text are, or else a long one, or the only one. The longest of several."""
    named = [name for name, length in lengths.items() if name.lower() in TEXTS and length]
    best = max(named or lengths, key=lambda name: lengths[name], default=None)
    if best is None or named or lengths[best] >= LONG:
        return best
    return best if len(lengths) == 1 and best.lower() not in GOLDS else None


def _mean_length(column: pl.Series) -> float:
    mean = column.str.len_chars().mean()
    return float(mean) if isinstance(mean, (int, float)) else 0.0
