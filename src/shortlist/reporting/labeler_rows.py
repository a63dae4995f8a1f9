"""The rows of each labeler: some for each shortlist that it says, and those that it gets wrong on gold rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shortlist.labelers import Labeler
from shortlist.labelers.spans import Piece, pieces, spans
from shortlist.reporting.examples import EACH, Example, example_of
from shortlist.reporting.finder import Found, Query
from shortlist.reporting.overview import Overview
from shortlist.reporting.specimen import pick

SAYS = 4  # shortlists of a labeler, the most frequent
MOST = 60  # labelers whose rows are shown


@dataclass(frozen=True)
class Group:
    """Some rows on which a labeler does one thing."""

    title: str
    count: int
    query: Query
    examples: tuple[tuple[Example, tuple[Piece, ...]], ...] = ()


@dataclass(frozen=True)
class LabelerRows:
    """A labeler and rows of it."""

    labeler: str
    groups: tuple[Group, ...]


def labeler_rows(overview: Overview, rows: Any, labelers: Sequence[Labeler] = ()) -> list[LabelerRows]:
    """Rows of each labeler; the words that it matches are marked where the labeler itself is given."""
    if rows is None:
        return []
    chosen = [(name, group) for i, name in enumerate(overview.votes.names[:MOST]) for group in _groups(overview, i)]
    found = overview.finder([group.query for _, group in chosen])
    seen = pick(rows, {one.row for some in found for one in some}, overview.total)
    by_name = {labeler.name: labeler for labeler in labelers}
    filled = [
        (name, _filled(overview, group, some, seen, by_name.get(name)))
        for (name, group), some in zip(chosen, found, strict=True)
    ]
    return [
        LabelerRows(name, tuple(group for owner, group in filled if owner == name))
        for name in overview.votes.names[:MOST]
    ]


def _groups(overview: Overview, i: int) -> list[Group]:
    """What a labeler says, the most frequent first, then where it is wrong."""
    votes, gold = overview.votes, overview.analysis.gold
    codes, codomain = votes.codes[:, i], votes.codomains[i]
    weights = overview.counts
    counts = np.bincount(codes, weights, len(codomain) + 1).astype(np.int64)[1:]
    found = []
    for c in np.argsort(-counts, kind="stable")[:SAYS]:
        if counts[c]:
            says = f"says {votes.space.show(codomain.shortlists[c])}"
            found.append(Group(says, int(counts[c]), Query({i: int(c) + 1}, EACH)))
    if gold is not None:
        member = np.vstack([np.ones(len(votes.space), np.bool_), codomain.member(votes.space)])
        wrong = int(weights[(gold >= 0) & ~member[codes, gold]].sum())
        if wrong:
            found.append(Group("is wrong on gold rows", wrong, Query({}, EACH, wrong=i)))
    return found


def _filled(
    overview: Overview, group: Group, found: Sequence[Found], seen: dict[int, Any], labeler: Labeler | None
) -> Group:
    examples = [example_of(overview, one, seen.get(one.row)) for one in found]
    texts = [example.specimen.text if example.specimen else "" for example in examples]
    places_of = spans(labeler, texts) if labeler is not None else [[] for _ in texts]
    marked = [
        pieces(text, [(labeler.name if labeler else "", span) for span in places])
        for text, places in zip(texts, places_of, strict=True)
    ]
    return replace(group, examples=tuple(zip(examples, marked, strict=True)))
