"""Evidence: all that a fit sees, as unique rows with weights and, where it is known, their class.

However votes come in (at once, in chunks that are never together in memory, with weights, with some gold
labels), they become this one thing; more of it is merged in at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.errors import BadFit, BadVotes
from shortlist.labelmodel.formulae.balance import numbers_of
from shortlist.labelspace import LabelSpace
from shortlist.votes import Votes
from shortlist.votes.patterns import find_patterns
from shortlist.votes.votes import not_votes

Gold = Iterable[str | None] | Mapping[int, str | None]
LARGEST = 1e100  # of all weights together: squares of it are still numbers
PENDING = 1 << 18  # unique rows that wait to be merged


@dataclass(frozen=True, eq=False)
class Evidence:
    """Unique (votes, class) pairs and how much each weighs; class −1 is unknown."""

    votes: Votes
    weights: Floats  # (u,)
    gold: Positions  # (u,)

    @classmethod
    def gather(
        cls, source: Votes | Iterable[Votes], gold: Gold | None = None, weights: npt.ArrayLike | None = None
    ) -> Evidence:
        """From Votes, or from chunks of Votes read once; gold and weights are counted over all rows."""
        chunks = [source] if isinstance(source, Votes) else source
        if not isinstance(chunks, Iterable) or hasattr(chunks, "shape"):
            raise not_votes(source, "Votes or chunks of Votes")
        known = None if gold is None else GoldByRow(gold)
        weighed = None if weights is None else checked_weights(weights)
        found, rows = EvidenceSum(), 0
        for votes in _each(chunks):
            part = slice(rows, rows := rows + len(votes))
            positions = None if known is None else known.positions(part, votes.space)
            share = None if weighed is None else weighed[part]
            if share is not None and len(share) < len(votes):
                raise BadFit(f"there are more rows than the {len(weighed)} weights")  # type: ignore[arg-type]
            found.add(unique(votes, positions, share))
        if known is not None:
            known.check(rows)
        if weighed is not None and len(weighed) != rows:
            raise BadFit(f"{rows:,} rows need as many weights; got {len(weighed):,}")
        return found.total()

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def known(self) -> Evidence:
        """Only the rows whose class is known."""
        known = self.gold >= 0
        return Evidence(self.votes[known], self.weights[known], self.gold[known])

    def gold_names(self) -> list[str | None] | None:
        """The class of each row by name, as a fit takes it; None where no class is known."""
        space = self.votes.space
        return [None if j < 0 else space[j] for j in self.gold.tolist()] if (self.gold >= 0).any() else None

    def without_gold(self) -> Evidence:
        """The same rows, as if no class were known."""
        return unique(self.votes, None, self.weights) if (self.gold >= 0).any() else self

    def sample(self, most: int) -> Evidence:
        """At most `most` unique rows: the heaviest half, and an evenly spaced sample of the rest, re-weighted."""
        if len(self.weights) <= most:
            return self
        rows, weights = thinned(np.lexsort((_priority(self.votes), -self.weights)), self.weights, most)
        return Evidence(self.votes[rows], weights, self.gold[rows])


class EvidenceSum:
    """Evidence that comes in pieces, in any order. What is held is no larger than a few times the result.

    With `most`, no more rows that differ are kept: those of the smallest hash of their votes. A row that is kept at the
    end was kept in every piece it is in, so its count is exact, and the sample depends on the votes alone.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.rows = 0.0  # what all rows weigh, those that were not kept among them
        self.limit = 1 << 64  # hashes of rows that are kept are below
        self._waiting: list[Evidence] = []

    @property
    def sampled(self) -> bool:
        """Whether some rows were not kept."""
        return self.limit < 1 << 64

    def add(self, part: Evidence) -> None:
        self.rows += part.total
        self._add(part)

    def merge(self, other: EvidenceSum) -> None:
        """All of another sum."""
        self.rows += other.rows
        self.limit = min(self.limit, other.limit)
        for part in other._waiting:
            self._add(part)

    def _add(self, part: Evidence) -> None:
        waiting = self._waiting
        waiting.append(part)
        if sum(len(one.weights) for one in waiting[1:]) > max(PENDING, len(waiting[0].weights)):
            self.settled()

    def settled(self) -> EvidenceSum:
        """The same, with all pieces merged."""
        found = merged(self._waiting)
        if self.most is not None and (self.sampled or len(found.weights) > self.most):
            found = self._smallest(found, self.most)
        self._waiting = [found]
        return self

    def _smallest(self, found: Evidence, most: int) -> Evidence:
        """The rows below the limit, which is lowered until they are few enough. Equal hashes stay or go together."""
        hashes = _priority(found.votes)
        below = hashes < self.limit
        if below.sum() > most:
            self.limit = int(np.partition(hashes, most)[most])
            below = hashes < self.limit
        return Evidence(found.votes[below], found.weights[below], found.gold[below])

    def total(self) -> Evidence:
        """All of it as one. A sample weighs as much as all rows."""
        (found,) = self.settled()._waiting
        if not self.sampled:
            return found
        return Evidence(found.votes, found.weights * (self.rows / found.total), found.gold)


def thinned(order: Positions, weights: Floats, most: int) -> tuple[Positions, Floats]:
    """At most so many of more rows, and their weights: the first half in order, and evenly spaced ones of the rest."""
    half = most // 2
    step = -(-(len(order) - half) // (most - half))
    rows = np.concatenate([order[:half], order[half::step]])
    weights = weights[rows]
    weights[half:] *= step
    return rows, weights


def _priority(votes: Votes) -> npt.NDArray[np.uint64]:
    """(rows,): a number for each row that does not depend on the order of labelers, shortlists or classes."""
    numbers = np.zeros(len(votes), np.uint64)
    for name, codomain, codes in zip(votes.names, votes.codomains, votes.codes.T, strict=True):
        drawn = [0, *(_number(f"{name}: {sorted(shortlist)}") for shortlist in codomain.shortlists)]
        numbers += np.array(drawn, np.uint64)[codes]
    return numbers


def _number(text: str) -> int:
    """Of 64 bits, the same on every machine."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def merged(parts: list[Evidence]) -> Evidence:
    """Several pieces of evidence as one. Inferred codomains are united."""
    if len(parts) == 1:
        return parts[0]
    votes = Votes.concat([part.votes for part in parts])
    gold = np.concatenate([part.gold for part in parts])
    return unique(votes, gold, np.concatenate([part.weights for part in parts]))


def unique(votes: Votes, gold: Positions | None, weights: Floats | None) -> Evidence:
    """Rows with equal votes and equal gold are one row; rows that weigh nothing are left out."""
    if weights is None and (gold is None or (gold < 0).all()):
        codes, counts = votes.pattern_counts()
        return Evidence(_only(votes, codes), counts.astype(np.float64), np.full(len(counts), -1))
    weights = np.ones(len(votes)) if weights is None else weights
    weighty, k = weights > 0, len(votes.space)
    if gold is None or (gold < 0).all():
        codes, _, inverse = find_patterns(votes.codes[weighty], votes.sizes)
        summed = np.bincount(inverse, weights[weighty], len(codes)).astype(np.float64)
        return Evidence(_only(votes, codes), summed, np.full(len(codes), -1))
    table = np.column_stack([votes.codes[weighty], (gold[weighty] + 1).astype(np.min_scalar_type(k))])
    codes, _, inverse = find_patterns(table, [*votes.sizes, k])
    summed = np.bincount(inverse, weights[weighty], len(codes)).astype(np.float64)
    return Evidence(_only(votes, codes[:, :-1]), summed, codes[:, -1].astype(np.int64) - 1)


def _only(votes: Votes, codes: npt.NDArray[Any]) -> Votes:
    return Votes(codes, votes.codomains, votes.space, votes.names)


def _each(chunks: Iterable[Any]) -> Iterator[Votes]:
    empty = True
    for chunk in chunks:
        if not isinstance(chunk, Votes):
            raise not_votes(chunks, "Votes or chunks of Votes")
        empty = False
        yield chunk
    if empty:
        raise BadVotes("there are no votes: the chunks came to an end before the first one")


def checked_weights(weights: npt.ArrayLike) -> Floats:
    array = numbers_of(weights)
    if array is None or array.ndim != 1:
        got = "something else" if array is None else f"an array of shape {array.shape}"
        raise BadFit(f"weights are one number a row; got {got}")
    if not np.isfinite(array).all() or (array < 0).any() or not (array > 0).any():
        raise BadFit("weights are finite, not negative, and not all zero")
    if array.max() > LARGEST / len(array):
        raise BadFit(f"weights say how often a row counts; {array.max():g} is too large to compute with")
    return array


class GoldByRow:
    """Gold labels: by row, with holes (None, NaN, "") where a class is unknown, or a mapping from row to class."""

    def __init__(self, gold: Gold) -> None:
        if not isinstance(gold, Iterable):
            raise BadFit(f"gold has a class for every row (None where unknown), or maps rows to classes; got {gold!r}")
        self.rows = dict(gold) if isinstance(gold, Mapping) else None
        self.names = [] if isinstance(gold, Mapping) else list(gold)
        for row in self.rows or ():
            if isinstance(row, bool) or not isinstance(row, (int, np.integer)):
                raise BadFit(f"gold maps rows, which are whole numbers from 0, to classes; got {row!r}")

    def positions(self, part: slice, space: LabelSpace) -> Positions:
        """(rows of the part,): class positions, −1 where unknown."""
        names = self.names[part]
        if self.rows is not None:
            names = [self.rows.get(a) for a in range(part.start, part.stop)]
        known = space.positions(names)
        return np.concatenate([known, np.full(part.stop - part.start - len(known), -1)])

    def check(self, m: int) -> None:
        """Whether these are the gold labels of m rows."""
        if self.rows is None and len(self.names) != m:
            raise BadFit(f"{m:,} rows need as many gold labels (None where unknown); got {len(self.names):,}")
        outside = [a for a in self.rows or () if not 0 <= a < m]
        if outside:
            raise BadFit(f"gold names row {outside[0]}, but rows run from 0 to {m - 1:,}")


def gold_positions(gold: Gold, rows: int, space: LabelSpace) -> Positions:
    """The class of each row as a number, −1 where unknown."""
    known = GoldByRow(gold)
    known.check(rows)
    return known.positions(slice(0, rows), space)
