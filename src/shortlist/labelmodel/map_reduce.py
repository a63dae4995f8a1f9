"""Votes in parts, counted by the workers of an engine. Nothing of the size of the rows is sent back.

Where rows repeat, unique rows and their counts are all that a fit needs. Where they do not, each EM step goes over the
parts, and expected counts are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial, reduce
from hashlib import blake2b
from operator import add

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.engines import Engine, ordered
from shortlist.labelmodel.e_step import Expectation, FullEStep
from shortlist.labelmodel.evidence import MOST_UNIQUE_ROWS, EvidenceSum, Gold, GoldByRow, unique
from shortlist.labelmodel.kernel import Precision
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission
from shortlist.labelmodel.m_step import Counts
from shortlist.votes.vote_parts import VoteParts

Piece = list[tuple[int, Positions | None]]  # numbers of parts, and the gold labels of their rows


def count_parts(parts: VoteParts, gold: Gold | None, engine: Engine, most: int = MOST_UNIQUE_ROWS) -> EvidenceSum:
    """Sum the evidence of all parts. Beyond `most` unique rows, keep a sample that depends on the votes alone."""
    total, pieces = EvidenceSum(most), ((piece[0], [piece]) for piece in _labeled(parts, gold))
    with closing(engine.map(partial(_count, parts, most), pieces)) as results:
        for _number, counted in results:
            total.merge(counted)
    return total.settled()


def _count(parts: VoteParts, most: int | None, piece: Piece) -> EvidenceSum:
    total = EvidenceSum(most)
    for number, gold in piece:
        total.add(unique(parts.part(number), gold, None))
    return total.settled()


def _labeled(parts: VoteParts, gold: Gold | None) -> Iterator[tuple[int, Positions | None]]:
    """Number of each part, and the gold labels of its rows."""
    labels = None if gold is None else GoldByRow(gold)
    if labels is not None:
        labels.check(len(parts))
    for number, start in enumerate(parts.starts[:-1].tolist()):
        rows = slice(start, start + parts.parts[number].rows)
        yield number, None if labels is None else labels.positions(rows, parts.like.space)


def steps_over(parts: VoteParts, gold: Gold | None, layout: Layout, engine: Engine) -> PartsEStep:
    """The E step over parts that stay where they are: tables are sent out, and expected counts come back."""
    labeled = list(_labeled(parts, gold))
    size = max(1, -(-len(labeled) // (4 * engine.workers)))
    pieces = [labeled[a : a + size] for a in range(0, len(labeled), size)]
    steps = [PieceEStep(_key(parts, piece), parts, piece, layout) for piece in pieces]
    return PartsEStep(list(ordered(engine, PieceEStep.prepared, steps)), engine)


def _key(parts: VoteParts, piece: Piece) -> str:
    """Hash of the votes and the gold labels of some parts."""
    key = blake2b(repr((parts.like.names, [parts.parts[number].digest for number, _ in piece])).encode())
    for _, gold in piece:
        key.update(b"-" if gold is None else gold.tobytes())
    return key.hexdigest()


@dataclass(frozen=True)
class PieceEStep:
    """The E step over some parts. It is pickled without their rows, which a worker reads once and caches."""

    key: str
    parts: VoteParts = field(compare=False)
    piece: Piece = field(compare=False)
    layout: Layout = field(compare=False)
    total: float = field(default=0.0, compare=False)
    vote_counts: Floats = field(default_factory=lambda: np.zeros(0), compare=False)
    known: Counts = field(default_factory=lambda: Counts(np.zeros(0), np.zeros(0)), compare=False)

    large = False  # all in double precision, so that sums are those of one machine

    def prepared(self) -> PieceEStep:
        """The step with the sums over its rows."""
        rows = _expectation(self)
        return replace(self, total=rows.total, vote_counts=rows.vote_counts, known=rows.known)

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        return _expectation(self)(table, precision)


@lru_cache(maxsize=64)
def _expectation(step: PieceEStep) -> Expectation:
    return Expectation(_count(step.parts, None, step.piece).total(), step.layout, threads=1)


class PartsEStep:
    """The E step over parts of the rows, each counted wherever the engine runs it.

    Counts are added in the order of the parts, so the result does not depend on the engine.
    """

    def __init__(self, parts: Sequence[FullEStep], engine: Engine) -> None:
        self.parts, self.engine = tuple(parts), engine
        self.total = float(sum(part.total for part in self.parts))
        self.large = any(part.large for part in self.parts)
        self.vote_counts = reduce(add, (part.vote_counts for part in self.parts))
        self.known = reduce(add, (part.known for part in self.parts))

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """Return expected counts and log-likelihood under a table."""
        return reduce(add, ordered(self.engine, partial(_step, table, precision), self.parts))


def _step(table: Emission, precision: Precision, part: FullEStep) -> Counts:
    return part(table, precision)
