"""Examples: rows to look at, of each contradiction between labelers and of those to label next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shortlist.analysis.distinct import believed
from shortlist.arrays import Floats
from shortlist.reporting.finder import Found, Query
from shortlist.reporting.overview import Overview
from shortlist.reporting.specimen import Specimen, pick
from shortlist.votes import Votes

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


def conflicts(overview: Overview, rows: Any) -> list[Conflict]:
    """The most frequent contradictions, with rows."""
    buckets = list(overview.buckets.head(BUCKETS).iter_rows(named=True))
    sides = [_sides(overview, bucket) for bucket in buckets]
    found = overview.finder([Query(codes, EACH) for codes in sides])
    seen = pick(rows, {one.row for some in found for one in some}, overview.total) if rows is not None else {}
    return [
        _conflict(overview, bucket, codes, tuple(example_of(overview, one, seen.get(one.row)) for one in some))
        for bucket, codes, some in zip(buckets, sides, found, strict=True)
    ]


def suggested(overview: Overview, rows: Any) -> list[Suggestion]:
    """The rows that promise most."""
    if overview.model is None:
        return []
    table: pl.DataFrame = overview.suggestions
    some = overview.votes.codes[table["row"].to_numpy()]
    unlabelled = not overview.all_known
    queries = [Query({i: int(code) for i, code in enumerate(codes)}, 1, unlabelled) for codes in some]
    found = [first for first, *_ in overview.finder(queries)]
    seen = pick(rows, [one.row for one in found], overview.total) if rows is not None else {}
    return [
        Suggestion(example_of(overview, one, seen.get(one.row)), line["gain"], line["rows"], line["said"])
        for one, line in zip(found, table.iter_rows(named=True), strict=True)
    ]


def _sides(overview: Overview, bucket: dict[str, Any]) -> dict[int, int]:
    """The two labelers of a contradiction, by place, and the codes of what they say."""
    pairs = ((bucket["labeler"], bucket["says"]), (bucket["other"], bucket["other_says"]))
    return dict(_code(overview, name, shown) for name, shown in pairs)


def _code(overview: Overview, name: str, shown: str) -> tuple[int, int]:
    """A labeler by place, and the code of the shortlist that was shown so."""
    i = overview.votes.names.index(name)
    shortlists = overview.votes.codomains[i].shortlists
    return i, next(c for c, s in enumerate(shortlists, start=1) if overview.votes.space.show(s) == shown)


def _conflict(
    overview: Overview, bucket: dict[str, Any], codes: dict[int, int], examples: tuple[Example, ...]
) -> Conflict:
    members = np.flatnonzero(np.all([overview.votes.codes[:, i] == code for i, code in codes.items()], axis=0))
    one, other = (_side(overview, i, code, members) for i, code in codes.items())
    neither = None if one.believed is None or other.believed is None else max(0.0, 1 - one.believed - other.believed)
    return Conflict((one, other), int(bucket["rows"]), neither, examples)


def _side(overview: Overview, i: int, code: int, members: Any) -> Side:
    votes, counts = overview.votes, overview.counts[members]
    shortlist = votes.codomains[i].shortlists[code - 1]
    inside = votes.space.mask(shortlist)
    held = gold = None
    if overview.model is not None:
        beliefs: Floats = overview.analysis.distinct.at(members)
        held = float(np.average(beliefs[:, inside].sum(axis=1), weights=counts))
    if overview.analysis.gold is not None:
        known = overview.analysis.gold[members]
        counts, known = counts[known >= 0], known[known >= 0]
        gold = float(np.average(inside[known], weights=counts)) if len(known) else None
    return Side(votes.names[i], votes.space.show(shortlist), held, gold)


def example_of(overview: Overview, found: Found, specimen: Specimen | None) -> Example:
    votes = overview.votes
    guesses: tuple[tuple[str, float], ...] = ()
    if overview.model is not None:
        (beliefs,) = believed(overview.model, Votes(found.codes[None], votes.codomains, votes.space, votes.names))
        best = np.argsort(-beliefs, kind="stable")[:2]
        guesses = tuple((votes.space[int(j)], float(beliefs[j])) for j in best if beliefs[j] > 0.005)
    gold = None if found.gold < 0 else votes.space[found.gold]
    return Example(found.row, found.name, guesses, gold, specimen)
