"""The rows of each labeler: some for each shortlist that it says, and those that it gets wrong on gold rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shortlist.labelers import Labeler
from shortlist.labelers.text import Piece, pieces, spans
from shortlist.reporting.examples import Example, example_of, spread_out
from shortlist.reporting.overview import Overview
from shortlist.reporting.specimen import pick

SAYS = 4  # shortlists of a labeler, the most frequent
MOST = 60  # labelers whose rows are shown


@dataclass(frozen=True)
class Group:
    """Some rows on which a labeler does one thing."""

    title: str
    count: int
    rows: tuple[int, ...]
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
    chosen = [(name, _groups(overview, i)) for i, name in enumerate(overview.votes.names[:MOST])]
    wanted = {a for _, groups in chosen for group in groups for a in group.rows}
    seen = pick(rows, wanted, len(overview.votes))
    by_name = {labeler.name: labeler for labeler in labelers}
    return [
        LabelerRows(name, tuple(_filled(overview, group, seen, by_name.get(name)) for group in groups))
        for name, groups in chosen
    ]


def _groups(overview: Overview, i: int) -> list[Group]:
    """What a labeler says, the most frequent first, then where it is wrong."""
    votes, gold = overview.votes, overview.analysis.gold
    codes, codomain = votes.codes[:, i], votes.codomains[i]
    counts = np.bincount(codes, minlength=len(codomain) + 1)[1:]
    found = []
    for c in np.argsort(-counts, kind="stable")[:SAYS]:
        if counts[c]:
            rows = np.flatnonzero(codes == c + 1)
            says = f"says {votes.space.show(codomain.shortlists[c])}"
            found.append(Group(says, len(rows), tuple(spread_out(rows))))
    if gold is not None:
        member = np.vstack([np.ones(len(votes.space), np.bool_), codomain.member(votes.space)])
        wrong = np.flatnonzero((gold >= 0) & ~member[codes, gold])
        if len(wrong):
            found.append(Group("is wrong on gold rows", len(wrong), tuple(spread_out(wrong))))
    return found


def _filled(overview: Overview, group: Group, seen: dict[int, Any], labeler: Labeler | None) -> Group:
    examples = [example_of(overview, a, seen.get(a)) for a in group.rows]
    texts = [example.specimen.text if example.specimen else "" for example in examples]
    found = spans(labeler, texts) if labeler is not None else [[] for _ in texts]
    marked = [
        pieces(text, [(labeler.name if labeler else "", span) for span in places])
        for text, places in zip(texts, found, strict=True)
    ]
    return replace(group, examples=tuple(zip(examples, marked, strict=True)))
