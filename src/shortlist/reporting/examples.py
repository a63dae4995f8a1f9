"""Examples: rows to look at, of each contradiction between labelers and of those to label next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shortlist.arrays import Floats
from shortlist.reporting.overview import Overview
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
    key: str  # its id, or its number, to copy


def conflicts(overview: Overview, rows: Any) -> list[Conflict]:
    """The most frequent contradictions, with rows."""
    found = [_rows_of(overview, bucket) for bucket in overview.buckets.head(BUCKETS).iter_rows(named=True)]
    chosen = [spread_out(members) for _, members in found]
    seen = pick(rows, {a for some in chosen for a in some}, len(overview.votes)) if rows is not None else {}
    return [
        _conflict(overview, bucket, members, tuple(example_of(overview, a, seen.get(a)) for a in some))
        for (bucket, members), some in zip(found, chosen, strict=True)
    ]


def suggested(overview: Overview, rows: Any) -> list[Suggestion]:
    """The rows that promise most."""
    if overview.model is None:
        return []
    table: pl.DataFrame = overview.suggestions
    seen = pick(rows, table["row"].to_list(), len(overview.votes)) if rows is not None else {}
    return [
        Suggestion(
            example_of(overview, line["row"], seen.get(line["row"])),
            line["gain"],
            line["rows"],
            line["said"],
            str(line.get("id", line["row"])),
        )
        for line in table.iter_rows(named=True)
    ]


def _rows_of(overview: Overview, bucket: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    said = {bucket["labeler"]: _answer(bucket["says"], overview, bucket["labeler"])}
    said[bucket["other"]] = _answer(bucket["other_says"], overview, bucket["other"])
    return bucket, overview.analysis.bucket(said)


def _answer(shown: str, overview: Overview, name: str) -> frozenset[str]:
    """The shortlist that was shown so."""
    codomain = overview.votes.codomains[overview.votes.names.index(name)]
    return next(s for s in codomain.shortlists if overview.votes.space.show(s) == shown)


def spread_out(members: Any) -> list[int]:
    """A few of them, from the first to the last."""
    at = np.linspace(0, len(members) - 1, min(EACH, len(members))).round().astype(np.int64)
    return [int(a) for a in members[np.unique(at)]]


def _conflict(overview: Overview, bucket: dict[str, Any], members: Any, examples: tuple[Example, ...]) -> Conflict:
    one = _side(overview, bucket["labeler"], bucket["says"], members)
    other = _side(overview, bucket["other"], bucket["other_says"], members)
    neither = None if one.believed is None or other.believed is None else max(0.0, 1 - one.believed - other.believed)
    return Conflict((one, other), len(members), neither, examples)


def _side(overview: Overview, name: str, shown: str, members: Any) -> Side:
    inside = overview.votes.space.mask(_answer(shown, overview, name))
    believed = gold = None
    if overview.model is not None:
        beliefs: Floats = overview.analysis.distinct.at(members)
        believed = float(beliefs[:, inside].sum(axis=1).mean())
    if overview.analysis.gold is not None:
        known = overview.analysis.gold[members]
        known = known[known >= 0]
        gold = float(inside[known].mean()) if len(known) else None
    return Side(name, shown, believed, gold)


def example_of(overview: Overview, a: int, specimen: Specimen | None) -> Example:
    analysis, space = overview.analysis, overview.votes.space
    ids = overview.votes.ids
    guesses: tuple[tuple[str, float], ...] = ()
    if overview.model is not None:
        (beliefs,) = analysis.distinct.at(np.array([a]))
        best = np.argsort(-beliefs, kind="stable")[:2]
        guesses = tuple((space[int(j)], float(beliefs[j])) for j in best if beliefs[j] > 0.005)
    gold = None if analysis.gold is None or analysis.gold[a] < 0 else space[int(analysis.gold[a])]
    return Example(a, f"row {a}" if ids is None else str(ids[a]), guesses, gold, specimen)
