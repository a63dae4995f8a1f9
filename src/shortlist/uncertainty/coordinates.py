"""Coordinates: the free parameters of a fitted model as one vector of log-odds.

Accuracies and propensities are written as log-odds. The balance has one coordinate a class of which only the
differences matter (a softmax), so `basis` turns k of them into k − 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.assumptions import Assumptions

Index = npt.NDArray[np.int64]
ABSENT = -1


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Which coordinate each parameter is, −1 where it is none. Labelers' own propensities (n,) are not among them.

    A propensity that does not depend on the class tells nothing about classes and is known by itself, from how
    often the labeler votes.
    """

    accuracy: Index  # (n, k)
    propensity: Index  # (n, k)
    balance: Index  # (k,)

    @classmethod
    def of(cls, assumptions: Assumptions) -> Coordinates:
        n, k = assumptions.layout.n, assumptions.layout.k
        free = assumptions.layout.free
        if assumptions.shared_accuracy:
            accuracy = np.where(free, _numbered(np.asarray(free.any(axis=1)))[:, None], ABSENT)
        else:
            accuracy = _numbered(free)
        size = int(accuracy.max(initial=ABSENT)) + 1
        speaks = np.repeat(np.array(assumptions.layout.sizes)[:, None] > 0, k, axis=1)
        propensity = _numbered(speaks, size) if assumptions.learn_class_propensity else np.full((n, k), ABSENT)
        size = max(size, int(propensity.max(initial=ABSENT)) + 1)
        balance = np.arange(size, size + k) if assumptions.learn_balance else np.full(k, ABSENT)
        return cls(accuracy, propensity, balance)

    @cached_property
    def size(self) -> int:
        """How many coordinates there are, all k of the balance counted."""
        return 1 + max(int(index.max(initial=ABSENT)) for index in (self.accuracy, self.propensity, self.balance))

    @cached_property
    def learns_balance(self) -> bool:
        return bool((self.balance != ABSENT).any())

    @cached_property
    def basis(self) -> Floats:
        """(size, P): the coordinates as functions of the P that are really free."""
        if not self.learns_balance:
            return np.eye(self.size)
        k = len(self.balance)
        contrasts = np.linalg.svd(np.ones((1, k)))[2][1:].T  # (k, k − 1), orthonormal, each adding up to 0
        basis = np.zeros((self.size, self.size - 1))
        rest = self.size - k
        basis[:rest, :rest] = np.eye(rest)
        basis[rest:, rest:] = contrasts
        return basis

    def of_class(self, j: int) -> tuple[Index, Index]:
        """The labelers whose accuracy, and whose propensity, on class j are coordinates."""
        return np.flatnonzero(self.accuracy[:, j] != ABSENT), np.flatnonzero(self.propensity[:, j] != ABSENT)

    def prior_weights(self, assumptions: Assumptions) -> Floats:
        """(size,): how many votes or rows the prior of each coordinate is worth; 0 for the balance."""
        weights = np.zeros(self.size)
        weights[self.accuracy[self.accuracy != ABSENT]] = assumptions.accuracy_votes
        weights[self.propensity[self.propensity != ABSENT]] = assumptions.propensity_rows
        return weights


def _numbered(mask: npt.NDArray[np.bool_], start: int = 0) -> Index:
    index = np.full(mask.shape, ABSENT)
    index[mask] = np.arange(start, start + int(mask.sum()))
    return index
