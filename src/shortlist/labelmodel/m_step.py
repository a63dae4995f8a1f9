"""The M step: expected counts, and the parameters that make them most likely under the priors.

Every prior is a number of votes (or rows) seen beforehand, which the M step adds to the counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import TINY, Emission, Parameters


@dataclass(frozen=True, eq=False)
class Counts:
    """Votes and rows of each class, expected or known, and their log-likelihood. They add up. True if there are any."""

    votes: Floats  # (S, k)
    mass: Floats  # (k,)
    log_likelihood: float = 0.0

    @classmethod
    def of(cls, codes: npt.NDArray[np.integer], gold: Positions, weights: Floats, layout: Layout) -> Counts:
        """Counts of gold rows, which do not depend on the parameters."""
        votes = np.zeros((len(layout.member), layout.k))
        if not len(gold):
            return cls(votes, np.zeros(layout.k))
        for start, column in zip(layout.starts, codes.T, strict=True):
            voted = column > 0
            np.add.at(votes, (start + column[voted].astype(np.int64) - 1, gold[voted]), weights[voted])
        return cls(votes, np.bincount(gold, weights, layout.k).astype(np.float64))

    def __bool__(self) -> bool:
        return bool(self.mass.any())

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.votes + other.votes, self.mass + other.mass, self.log_likelihood + other.log_likelihood)

    def scored(self, table: Emission, layout: Layout) -> Counts:
        """Counts of gold rows with their log P(G, Y) under a table (Eq. 1)."""
        votes, abstain = table.tempered(layout)
        silent = self.mass - layout.per_labeler(self.votes)
        value = (self.votes * votes).sum() + (silent * abstain).sum() + self.mass @ table.balance
        return Counts(self.votes, self.mass, float(value))


def vote_counts(columns: npt.NDArray[np.integer], weights: Floats, layout: Layout) -> Floats:
    """(S,): votes for each shortlist, from columns of codes (n, rows) and the weights of the rows."""
    counts = [np.bincount(column, weights, size + 1)[1:] for column, size in zip(columns, layout.sizes, strict=True)]
    return np.concatenate([*counts, np.zeros(0)])


@dataclass(frozen=True, eq=False)
class Assumptions:
    """Parameters that are estimated or fixed, and their priors."""

    layout: Layout
    shared_accuracy: bool  # one α for all classes of a labeler
    learn_class_propensity: bool  # β for every labeler and class
    learn_balance: bool
    balance: Floats  # (k,): the balance, or what it starts from when learned
    propensity: Floats  # (n,): P(labeler i votes)
    split: Floats  # (S, k)
    accuracy_mean: float
    accuracy_votes: float
    propensity_rows: float
    balance_rows: float

    def start(self) -> Parameters:
        """Starting point: equal accuracies, observed propensities."""
        propensity = self.propensity
        if self.learn_class_propensity:
            propensity = np.repeat(propensity[:, None], self.layout.k, axis=1)
        return Parameters(self.settled(self.accuracy_mean), propensity, self.balance, self.split)

    def settled(self, accuracy: Floats | float) -> Floats:
        """Set accuracies that are no parameter: 0 where a labeler cannot be right about a class, 1 where not wrong."""
        return np.where(self.layout.no_right, 0.0, np.where(self.layout.no_wrong, 1.0, accuracy))

    def estimate(self, counts: Counts) -> Parameters:
        """Return the parameters that make the counts, with those of the priors, most likely. Closed form."""
        voted = self.layout.per_labeler(counts.votes)
        right = self.layout.per_labeler(counts.votes * self.layout.member)
        return Parameters(
            accuracy=self._accuracy(right, voted),
            propensity=self._propensity(voted, counts.mass),
            balance=self._balance(counts.mass),
            split=self.split,
        )

    def _accuracy(self, right: Floats, voted: Floats) -> Floats:
        if self.shared_accuracy:
            right, voted = (
                np.repeat((x * self.layout.free).sum(axis=1, keepdims=True), self.layout.k, axis=1)
                for x in (right, voted)
            )
        right, total = right + self.accuracy_votes * self.accuracy_mean, voted + self.accuracy_votes
        accuracy = np.full(total.shape, self.accuracy_mean)
        np.divide(right, total, out=accuracy, where=total > 0)
        return self.settled(np.clip(accuracy, TINY, 1 - TINY))

    def _propensity(self, voted: Floats, mass: Floats) -> Floats:
        if not self.learn_class_propensity:
            return self.propensity
        propensity = np.repeat(self.propensity[:, None], self.layout.k, axis=1)
        total = np.broadcast_to(mass + self.propensity_rows, voted.shape)
        np.divide(voted + self.propensity_rows * self.propensity[:, None], total, out=propensity, where=total > 0)
        return np.clip(propensity, TINY, 1 - TINY)

    def _balance(self, mass: Floats) -> Floats:
        if not self.learn_balance:
            return self.balance
        mass = np.maximum(mass + self.balance_rows * self.balance, TINY * mass.sum())
        return np.asarray(mass / mass.sum())

    def log_prior(self, parameters: Parameters) -> float:
        """Log density of the priors, up to a constant."""
        value = 0.0
        if self.accuracy_votes:
            alpha = np.clip(parameters.accuracy, TINY, 1 - TINY)
            right = self.accuracy_votes * self.accuracy_mean
            wrong = self.accuracy_votes - right
            value += np.where(self._free_once(), right * np.log(alpha) + wrong * np.log1p(-alpha), 0.0).sum()
        if self.learn_class_propensity and self.propensity_rows:
            beta, mean = np.clip(parameters.propensity, TINY, 1 - TINY), self.propensity[:, None]
            value += self.propensity_rows * (xlogy(mean, beta) + xlogy(1 - mean, 1 - beta)).sum()
        if self.learn_balance and self.balance_rows:
            value += self.balance_rows * xlogy(self.balance, parameters.balance).sum()
        return float(value)

    def _free_once(self) -> npt.NDArray[np.bool_]:
        """(n, k): accuracies that are parameters; a shared one at the first free class of its labeler."""
        if not self.shared_accuracy:
            return self.layout.free
        return np.asarray(self.layout.free & (np.cumsum(self.layout.free, axis=1) == 1))
