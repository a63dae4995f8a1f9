"""VoteInformation: which directions of parameter space the votes determine.

The Fisher information of the votes (the mean outer product of the scores) is compared with the information if every
class were known. The share that is left lies between 0, where votes determine nothing, and about 1. The rank is that of
the Jacobian of the probabilities of the patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.uncertainty.coordinates import ABSENT
from shortlist.uncertainty.fitted import Fitted
from shortlist.uncertainty.information import blocks, expected_counts, scores

BLIND = 1e-9  # shares below this are none
DARK = 1e-6  # votes: what is expected less often than this counts as never


@dataclass(frozen=True, eq=False)
class VoteInformation:
    """Information of the votes, and of votes and classes, in all coordinates and without the prior."""

    seen: Floats  # (size, size)
    known: Floats  # (size,): were the classes known; the diagonal is enough to set the scale
    basis: Floats  # (size, P)

    @classmethod
    def of(cls, fitted: Fitted) -> VoteInformation:
        size = fitted.coordinates.size
        seen = np.zeros((size, size))
        for block in blocks(fitted):
            slope = scores(block, fitted)
            seen += slope.T @ (block.weights[:, None] * slope)
        known = _known(fitted)
        dark = known < DARK
        known[dark], seen[dark], seen[:, dark] = 0.0, 0.0, 0.0
        return cls(seen, known, fitted.coordinates.basis)

    @cached_property
    def _scale(self) -> Floats:
        """(P,): one over the square root of what could be known about each."""
        known = np.einsum("ij,i,ij->j", self.basis, self.known, self.basis)
        scale: Floats = 1 / np.sqrt(np.where(known > 0, known, np.inf))
        return scale

    @cached_property
    def _scaled(self) -> Floats:
        scaled: Floats = self._scale[:, None] * (self.basis.T @ self.seen @ self.basis) * self._scale
        return scaled

    @cached_property
    def shares(self) -> Floats:
        """(P,): the share of information that is left, direction by direction, the least first."""
        return np.asarray(np.maximum(np.linalg.eigvalsh(self._scaled), 0.0), np.float64)

    @property
    def parameters(self) -> int:
        return int(self.basis.shape[1])

    @property
    def rank(self) -> int:
        return int((self.shares > BLIND).sum())

    def blind(self, direction: Floats) -> bool:
        """Whether a step in this direction (of all coordinates) changes the probability of no pattern."""
        return bool(direction @ self.seen @ direction <= BLIND * (direction**2 @ self.known))

    def flat(self, besides: list[Floats]) -> Floats:
        """(f, size): flat directions that those in `besides` do not explain, each of few coordinates."""
        values, vectors = np.linalg.eigh(self._scaled)
        scale = np.where(self._scale > 0, self._scale, 1.0)
        null = vectors[:, values <= BLIND].T * scale @ self.basis.T
        if besides and len(null):
            known = _orthonormal(np.array(besides))
            null = _orthonormal(null - null @ known.T @ known)
        return _sparse(null)


def _known(fitted: Fitted) -> Floats:
    votes, mass = expected_counts(fitted)
    coordinates, parameters = fitted.coordinates, fitted.parameters
    known = np.zeros(coordinates.size)
    for index, counts, p in (
        (coordinates.accuracy, votes, parameters.accuracy),
        (coordinates.propensity, np.broadcast_to(mass, votes.shape), parameters.propensity),
        (coordinates.balance, np.full(len(mass), mass.sum()), parameters.balance),
    ):
        free = index != ABSENT
        if free.any():
            np.add.at(known, index[free], (counts * p * (1 - p))[free])
    return known


def _orthonormal(rows: Floats) -> Floats:
    """An orthonormal basis of what rows span."""
    if not rows.size:
        return rows
    _, values, vectors = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(vectors[values > 1e-6 * max(1.0, values.max())])


def _sparse(rows: Floats) -> Floats:
    """The same span by rows with many zeros: reduced to echelon form, pivoting on the largest entry."""
    rows = rows.copy()
    for r in range(len(rows)):
        rest = np.abs(rows[r:])
        best, column = divmod(int(rest.argmax()), rest.shape[1])
        rows[[r, r + best]] = rows[[r + best, r]]
        rows[r] /= rows[r, column]
        others: npt.NDArray[np.bool_] = np.arange(len(rows)) != r
        rows[others] -= np.outer(rows[others, column], rows[r])
    rows[np.abs(rows) < 1e-6] = 0.0
    return rows
