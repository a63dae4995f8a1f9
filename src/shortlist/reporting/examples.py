"""Examples: rows to look at, of each contradiction between labelers and of those to label next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shortlist.arrays import Floats
from shortlist.reporting.digest import Digest
from shortlist.reporting.specimen import Specimen, pick

BUCKETS = 8
EACH = 4


@dataclass(frozen=True)
class Example:
    """A row, what is believed of it, and what it is, where that is known."""

    row: int
    name: str  # its id, or its number
    guesses: tuple[tuple[str, float], ...] = ()  # the most believed classes, the most first
    gold: str | None = None
    specimen: Specimen | None = None


@dataclass(frozen=True)
class Side:
    """One of two labelers that contradict each other."""

    labeler: str
    says: str
    believed: float | None
    gold: float | None


@dataclass(frozen=True)
class Conflict:
    """Rows on which one labeler says this while another says that."""

    sides: tuple[Side, Side]
    rows: int
    neither: float | None
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Suggestion:
    """A row to label next, with what would be gained."""

    example: Example
    gain: float
    like: int
    said: str


def conflicts(digest: Digest, rows: Any) -> list[Conflict]:
    """The most frequent contradictions, with rows."""
    found = [_rows_of(digest, bucket) for bucket in digest.buckets.head(BUCKETS).iter_rows(named=True)]
    chosen = [spread_out(members) for _, members in found]
    seen = pick(rows, {a for some in chosen for a in some}, len(digest.votes)) if rows is not None else {}
    return [
        _conflict(digest, bucket, members, tuple(_example(digest, a, seen.get(a)) for a in some))
        for (bucket, members), some in zip(found, chosen, strict=True)
    ]


def suggested(digest: Digest, rows: Any) -> list[Suggestion]:
    """The rows that promise most."""
    if digest.model is None:
        return []
    table: pl.DataFrame = digest.suggestions
    seen = pick(rows, table["row"].to_list(), len(digest.votes)) if rows is not None else {}
    return [
        Suggestion(_example(digest, line["row"], seen.get(line["row"])), line["gain"], line["rows"], line["said"])
        for line in table.iter_rows(named=True)
    ]


def _rows_of(digest: Digest, bucket: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    said = {bucket["labeler"]: _answer(bucket["says"], digest, bucket["labeler"])}
    said[bucket["other"]] = _answer(bucket["other_says"], digest, bucket["other"])
    return bucket, digest.analysis.bucket(said)


def _answer(shown: str, digest: Digest, name: str) -> frozenset[str]:
    """The shortlist that was shown so."""
    codomain = digest.votes.codomains[digest.votes.names.index(name)]
    return next(s for s in codomain.shortlists if digest.votes.space.show(s) == shown)


def spread_out(members: Any) -> list[int]:
    """A few of them, from the first to the last."""
    at = np.linspace(0, len(members) - 1, min(EACH, len(members))).round().astype(np.int64)
    return [int(a) for a in members[np.unique(at)]]


def _conflict(digest: Digest, bucket: dict[str, Any], members: Any, examples: tuple[Example, ...]) -> Conflict:
    one = _side(digest, bucket["labeler"], bucket["says"], members)
    other = _side(digest, bucket["other"], bucket["other_says"], members)
    neither = None if one.believed is None or other.believed is None else max(0.0, 1 - one.believed - other.believed)
    return Conflict((one, other), len(members), neither, examples)


def _side(digest: Digest, name: str, shown: str, members: Any) -> Side:
    inside = digest.votes.space.mask(_answer(shown, digest, name))
    believed = gold = None
    if digest.model is not None:
        beliefs: Floats = digest.analysis.beliefs[members]
        believed = float(beliefs[:, inside].sum(axis=1).mean())
    if digest.analysis.gold is not None:
        known = digest.analysis.gold[members]
        known = known[known >= 0]
        gold = float(inside[known].mean()) if len(known) else None
    return Side(name, shown, believed, gold)


def _example(digest: Digest, a: int, specimen: Specimen | None) -> Example:
    analysis, space = digest.analysis, digest.votes.space
    ids = digest.votes.ids
    guesses: tuple[tuple[str, float], ...] = ()
    if digest.model is not None:
        best = np.argsort(-analysis.beliefs[a], kind="stable")[:2]
        guesses = tuple((space[int(j)], float(analysis.beliefs[a, j])) for j in best if analysis.beliefs[a, j] > 0.005)
    gold = None if analysis.gold is None or analysis.gold[a] < 0 else space[int(analysis.gold[a])]
    return Example(a, f"row {a}" if ids is None else str(ids[a]), guesses, gold, specimen)
