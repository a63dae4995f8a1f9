"""Spread: votes in parts, counted by the workers of an engine. Nothing of the size of the rows comes back.

Where rows repeat, the rows that differ and their counts are all that a fit needs. Where they do not, EM goes over the
parts in each step, and expected counts are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.engines import Engine
from shortlist.labelmodel.estep.expectation import Expectation
from shortlist.labelmodel.estep.kernel import Precision
from shortlist.labelmodel.estep.parts import Parts
from shortlist.labelmodel.formulae.counts import Counts, Known
from shortlist.labelmodel.formulae.evidence import EvidenceSum, Gold, GoldByRow, unique
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission
from shortlist.votes.vote_parts import VoteParts

MOST = 1 << 22  # rows that differ: what is held where the fit is made
GROUPS = 4  # of parts, for each worker: what an EM step hands over at a time
KEPT = 64  # groups that a worker keeps in memory from step to step


class Piece(NamedTuple):
    """Some parts, and the known classes of their rows."""

    numbers: tuple[int, ...]
    gold: tuple[Positions | None, ...]


@dataclass(frozen=True)
class CountParts:
    """Rows that differ and their counts, of which at most `most` are sent back. It travels once to each worker."""

    parts: VoteParts
    most: int

    def __call__(self, piece: Piece) -> EvidenceSum:
        found = EvidenceSum(self.most)
        for number, gold in zip(*piece, strict=True):
            found.add(unique(self.parts.part(number), gold, None))
        return found.settled()


def count_parts(parts: VoteParts, gold: Gold | None, engine: Engine, most: int = MOST) -> EvidenceSum:
    """The evidence of all parts; beyond `most` rows that differ, a sample of them that depends on the votes alone."""
    found, pieces = EvidenceSum(most), ((number, Piece((number,), (one,))) for number, one in _known(parts, gold))
    with closing(engine.map(CountParts(parts, most), pieces)) as results:
        for _number, counted in results:
            found.merge(counted)
    return found.settled()


def _known(parts: VoteParts, gold: Gold | None) -> Iterator[tuple[int, Positions | None]]:
    """The number of each part, and the known classes of its rows."""
    known = None if gold is None else GoldByRow(gold)
    if known is not None:
        known.check(len(parts))
    for number, start in enumerate(parts.starts[:-1].tolist()):
        rows = slice(start, start + parts.parts[number].rows)
        yield number, None if known is None else known.positions(rows, parts.like.space)


def steps_over(parts: VoteParts, gold: Gold | None, layout: Layout, engine: Engine) -> Parts:
    """The E step over parts that stay where they are: tables travel to them, and expected counts come back."""
    known = list(_known(parts, gold))
    size = max(1, -(-len(known) // (GROUPS * engine.workers)))
    groups = [known[a : a + size] for a in range(0, len(known), size)]
    pieces = [Piece(*(tuple(side) for side in zip(*group, strict=True))) for group in groups]
    with closing(engine.map(Facts(parts, layout), enumerate(pieces))) as results:
        facts = dict(results)
    return Parts([PartsStep(parts, piece, layout, *facts[place]) for place, piece in enumerate(pieces)], engine)


@dataclass(frozen=True)
class Facts:
    """What is known of some parts before the first step."""

    parts: VoteParts
    layout: Layout

    def __call__(self, piece: Piece) -> tuple[float, Floats, Known]:
        step = _expectation(StepKey(self.parts, piece, self.layout))
        return step.total, step.vote_counts, step.known


@dataclass(eq=False)
class PartsStep:
    """An E step over some parts. It travels without their rows, which the worker reads once and keeps."""

    parts: VoteParts
    piece: Piece
    layout: Layout
    total: float
    vote_counts: Floats
    known: Known

    large = False  # all in double precision: the sums are to be those of one machine

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        return _expectation(StepKey(self.parts, self.piece, self.layout))(table, precision)


class StepKey:
    """Parts by the content of their files, so that a worker finds again what it has read."""

    def __init__(self, parts: VoteParts, piece: Piece, layout: Layout) -> None:
        self.parts, self.piece, self.layout = parts, piece, layout
        self._word = tuple(parts.parts[number].digest for number in piece.numbers), parts.like.names

    def __hash__(self) -> int:
        return hash(self._word)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StepKey) and self._word == other._word and _same(self.piece.gold, other.piece.gold)


def _same(mine: Sequence[Positions | None], theirs: Sequence[Positions | None]) -> bool:
    return all(
        (one is None and other is None) or (one is not None and other is not None and np.array_equal(one, other))
        for one, other in zip(mine, theirs, strict=True)
    )


@lru_cache(maxsize=KEPT)
def _expectation(key: StepKey) -> Expectation:
    found = EvidenceSum()
    for number, gold in zip(*key.piece, strict=True):
        found.add(unique(key.parts.part(number), gold, None))
    return Expectation(found.total(), key.layout, threads=1)
