"""Evidence: unique rows of votes with their weights and gold labels, which is all that a fit reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.errors import BadFit, BadVotes
from shortlist.labelmodel.model_options import as_numbers
from shortlist.labelspace import LabelSpace
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes, find_patterns
from shortlist.votes.votes import not_votes

Gold = Iterable[str | None] | Mapping[int, str | None]
MOST_UNIQUE_ROWS = 1 << 22  # kept in memory when rows are counted by the workers of an engine


@dataclass(frozen=True, eq=False)
class Evidence:
    """Unique (votes, class) pairs and their weights; class −1 is unknown."""

    votes: Votes
    weights: Floats  # (u,)
    gold: Positions  # (u,)

    @classmethod
    def gather(
        cls, source: Votes | Iterable[Votes], gold: Gold | None = None, weights: npt.ArrayLike | None = None
    ) -> Evidence:
        """Collect Votes, or chunks of Votes that are read once; gold and weights run over the rows of all chunks."""
        chunks = [source] if isinstance(source, Votes) else source
        if not isinstance(chunks, Iterable) or hasattr(chunks, "shape"):
            raise not_votes(source, "Votes or chunks of Votes")
        labels = None if gold is None else GoldByRow(gold)
        all_weights = None if weights is None else checked_weights(weights)
        evidence, rows = EvidenceSum(), 0
        for votes in chunks:
            if not isinstance(votes, Votes):
                raise not_votes(source, "Votes or chunks of Votes")
            part = slice(rows, rows := rows + len(votes))
            positions = None if labels is None else labels.positions(part, votes.space)
            own = None if all_weights is None else all_weights[part]
            if own is not None and len(own) < len(votes):
                raise BadFit(f"there are more rows than the {len(all_weights)} weights")  # type: ignore[arg-type]
            evidence.add(unique(votes, positions, own))
        if not evidence.pieces:
            raise BadVotes("there are no votes: the chunks came to an end before the first one")
        if labels is not None:
            labels.check(rows)
        if all_weights is not None and len(all_weights) != rows:
            raise BadFit(f"{rows:,} rows need as many weights; got {len(all_weights):,}")
        return evidence.total()

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def known(self) -> Evidence:
        """The rows whose class is known."""
        return self._only(self.gold >= 0)

    def _only(self, rows: npt.NDArray[np.bool_]) -> Evidence:
        return Evidence(self.votes[rows], self.weights[rows], self.gold[rows])

    def gold_names(self) -> list[str | None] | None:
        """Names of the classes, for `LabelModel.fit`; None if no class is known."""
        space = self.votes.space
        return [None if j < 0 else space[j] for j in self.gold.tolist()] if (self.gold >= 0).any() else None

    def without_gold(self) -> Evidence:
        """Evidence with all classes unknown."""
        return unique(self.votes, None, self.weights) if (self.gold >= 0).any() else self

    def sample(self, most: int) -> Evidence:
        """At most `most` unique rows: the heaviest half, and an evenly spaced sample of the rest, re-weighted.

        Their order depends neither on that of rows, labelers, shortlists nor classes.
        """
        rows, weights = thinned(np.lexsort((_priority(self.votes), -self.weights)), self.weights, most)
        return Evidence(self.votes[rows], weights, self.gold[rows])


class EvidenceSum:
    """Sum of evidence that comes in pieces, in any order. It takes no more than a few times the memory of the result.

    With `most`, only so many unique rows are kept: those with the smallest hash of their votes. A row that is kept at
    the end was kept in every piece, so its count is exact, and the sample depends on the votes alone.
    """

    pending = 1 << 18  # unique rows that may wait to be merged

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.rows = 0.0  # weight of all rows, dropped ones included
        self.limit = 1 << 64  # rows with smaller hashes are kept
        self.pieces: list[Evidence] = []

    @property
    def sampled(self) -> bool:
        """True if rows were dropped."""
        return self.limit < 1 << 64

    def add(self, part: Evidence) -> None:
        self.rows += part.total
        self._add(part)

    def merge(self, other: EvidenceSum) -> None:
        """Add another sum."""
        self.rows += other.rows
        self.limit = min(self.limit, other.limit)
        for part in other.pieces:
            self._add(part)

    def _add(self, part: Evidence) -> None:
        self.pieces.append(part)
        if sum(len(one.weights) for one in self.pieces[1:]) > max(self.pending, len(self.pieces[0].weights)):
            self.settled()

    def settled(self) -> EvidenceSum:
        """Merge all pieces, and return self."""
        evidence = merged(self.pieces)
        if self.most is not None and (self.sampled or len(evidence.weights) > self.most):
            evidence = self._smallest(evidence, self.most)
        self.pieces = [evidence]
        return self

    def _smallest(self, evidence: Evidence, most: int) -> Evidence:
        """Rows below the limit, which is lowered until they are at most `most`. Equal hashes stay or go together."""
        hashes = _priority(evidence.votes)
        below = hashes < self.limit
        if below.sum() > most:
            self.limit = int(np.partition(hashes, most)[most])
            below = hashes < self.limit
        return evidence._only(below)

    def total(self) -> Evidence:
        """The sum. A sample has the weight of all rows."""
        (evidence,) = self.settled().pieces
        if not self.sampled:
            return evidence
        return Evidence(evidence.votes, evidence.weights * (self.rows / evidence.total), evidence.gold)


def thinned(order: Positions, weights: Floats, most: int) -> tuple[Positions, Floats]:
    """A sample of at most `most` rows, re-weighted: the first half in order, and evenly spaced ones of the rest."""
    half = min(most // 2, len(order))
    step = max(1, -(-(len(order) - half) // (most - half)))
    rows = np.concatenate([order[:half], order[half::step]])
    weights = weights[rows]
    weights[half:] *= step
    return rows, weights


def _priority(votes: Votes) -> npt.NDArray[np.uint64]:
    """(rows,): hash of each row that does not depend on the order of labelers, shortlists or classes."""
    numbers = np.zeros(len(votes), np.uint64)
    for name, codomain, codes in zip(votes.names, votes.codomains, votes.codes.T, strict=True):
        texts = (f"{name}: {sorted(shortlist)}".encode() for shortlist in codomain.shortlists)
        hashes = b"".join([bytes(8), *(blake2b(text, digest_size=8).digest() for text in texts)])
        numbers += np.frombuffer(hashes, "<u8")[codes]
    return numbers


def merged(parts: list[Evidence]) -> Evidence:
    """Merge pieces of evidence. Inferred codomains are united."""
    if len(parts) == 1:
        return parts[0]
    votes = Votes.concat([part.votes for part in parts])
    gold = np.concatenate([part.gold for part in parts])
    return unique(votes, gold, np.concatenate([part.weights for part in parts]))


def unique(votes: Votes, gold: Positions | None, weights: Floats | None) -> Evidence:
    """Count rows with equal votes and equal gold label as one; rows of weight 0 are left out."""
    if gold is None or (gold < 0).all():
        if weights is None:
            codes, repeats = votes.pattern_counts()
            counts = repeats.astype(np.float64)
        else:
            codes, counts = _weighted(votes.codes, votes.sizes, weights)
        gold = np.full(len(counts), -1)
    else:
        k = len(votes.space)
        table = np.column_stack([votes.codes, (gold + 1).astype(np.min_scalar_type(k))])
        codes, counts = _weighted(table, [*votes.sizes, k], np.ones(len(votes)) if weights is None else weights)
        codes, gold = codes[:, :-1], codes[:, -1].astype(np.int64) - 1
    return Evidence(Votes(codes, votes.codomains, votes.space, votes.names), counts, gold)


def _weighted(codes: Codes, sizes: Sequence[int], weights: Floats) -> tuple[Codes, Floats]:
    """Unique rows of codes, and the sum of the weights of each."""
    positive = weights > 0
    unique_codes, _, inverse = find_patterns(codes[positive], sizes)
    return unique_codes, np.bincount(inverse, weights[positive], len(unique_codes)).astype(np.float64)


def checked_weights(weights: npt.ArrayLike) -> Floats:
    """Weights as an array of numbers, one a row."""
    array = as_numbers(weights)
    if array is None or array.ndim != 1:
        got = "something else" if array is None else f"an array of shape {array.shape}"
        raise BadFit(f"weights are one number a row; got {got}")
    if not np.isfinite(array).all() or (array < 0).any() or not (array > 0).any():
        raise BadFit("weights are finite, not negative, and not all zero")
    if array.max() > 1e100 / len(array):  # squares of their sum must be finite
        raise BadFit(f"weights say how often a row counts; {array.max():g} is too large to compute with")
    return array


class GoldByRow:
    """Gold labels: a sequence (None, NaN or "" where a class is unknown), or a mapping from row to class."""

    def __init__(self, gold: Gold) -> None:
        if not isinstance(gold, Iterable):
            raise BadFit(f"gold has a class for every row (None where unknown), or maps rows to classes; got {gold!r}")
        self.rows = dict(gold) if isinstance(gold, Mapping) else None
        self.names = [] if isinstance(gold, Mapping) else list(gold)
        for row in self.rows or ():
            if isinstance(row, bool) or not isinstance(row, (int, np.integer)):
                raise BadFit(f"gold maps rows, which are whole numbers from 0, to classes; got {row!r}")

    def positions(self, part: slice, space: LabelSpace) -> Positions:
        """(rows of the part,): positions of the classes, −1 where unknown."""
        names = self.names[part]
        if self.rows is not None:
            names = [self.rows.get(a) for a in range(part.start, part.stop)]
        positions = space.positions(names)
        return np.concatenate([positions, np.full(part.stop - part.start - len(positions), -1)])

    def check(self, m: int) -> None:
        """Raise if these are not the gold labels of m rows."""
        if self.rows is None and len(self.names) != m:
            raise BadFit(f"{m:,} rows need as many gold labels (None where unknown); got {len(self.names):,}")
        outside = [a for a in self.rows or () if not 0 <= a < m]
        if outside:
            raise BadFit(f"gold names row {outside[0]}, but rows run from 0 to {m - 1:,}")


def gold_positions(gold: Gold, rows: int, space: LabelSpace) -> Positions:
    """(rows,): position of the class of each row, −1 where unknown."""
    labels = GoldByRow(gold)
    labels.check(rows)
    return labels.positions(slice(0, rows), space)


# -- cross-validation ----------------------------------------------------------------------------------


def two_folds(evidence: Evidence) -> Iterator[tuple[Evidence, Floats]]:
    """Two folds of the gold rows: evidence to fit, with half of them, and how many of each of the others score it.

    The counts are those of the rows of `evidence.known()`. The halves are random, with a fixed seed.
    """
    known = evidence.known()
    first = random_half(known.weights)
    for fitted in (first, known.weights - first):
        weights = evidence.weights.copy()
        weights[evidence.gold >= 0] -= fitted
        hidden = Evidence(evidence.votes, weights, np.full_like(evidence.gold, -1))
        yield merged([hidden, Evidence(known.votes, fitted, known.gold)]), known.weights - fitted


def random_half(counts: Floats, *, most: int = 10**9) -> Floats:
    """Draw half of all rows at random, given the number of rows of each kind; return the number drawn of each."""
    whole = counts.astype(np.int64)  # rows of a sample stand for more rows, not always a whole number
    total = int(whole.sum())
    if total >= most:  # NumPy draws from fewer
        return (whole // 2).astype(np.float64)
    return np.random.default_rng(0).multivariate_hypergeometric(whole, total // 2).astype(np.float64)
