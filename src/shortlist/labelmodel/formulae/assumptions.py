"""Assumptions: which parameters there are, which are fixed, and what is believed of them before any vote.

Every prior is written as votes (or rows) seen beforehand, so the M step adds it to the counts, and the
penalised likelihood adds count × log(probability) to the likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.counts import Counts
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import TINY, Parameters


@dataclass(frozen=True, eq=False)
class Assumptions:
    """The options of a fit, once the votes are known."""

    layout: Layout
    shared_accuracy: bool  # one α for all classes of a labeler
    learn_class_propensity: bool  # β for every labeler and class
    learn_balance: bool
    balance: Floats  # (k,): the balance, or what it starts from when learned
    propensity: Floats  # (n,): how often each labeler votes; or (n, k), on rows of each class, if that is not learned
    split: Floats  # (S, k)
    accuracy_mean: float | Floats  # or (n, 1): of each labeler
    accuracy_votes: float
    propensity_rows: float
    balance_rows: float
    silence: float = 1.0  # how far abstaining is read as evidence

    @property
    def propensity_by_class(self) -> bool:
        """Whether propensities depend on the class, learned or given."""
        return self.learn_class_propensity or self.propensity.ndim == 2

    def start(self) -> Parameters:
        """Where estimation begins: every labeler equally accurate, voting as often as it does."""
        propensity = self.propensity
        if self.learn_class_propensity:
            propensity = np.repeat(propensity[:, None], self.layout.k, axis=1)
        return Parameters(self.settled(self._mean()), propensity, self.balance, self.split, self.silence)

    def _mean(self) -> Floats:
        return np.zeros((self.layout.n, self.layout.k)) + self.accuracy_mean

    def settled(self, accuracy: Floats) -> Floats:
        """Accuracies that are no parameter: 0 where a labeler cannot be right about a class, 1 where not wrong."""
        return np.where(self.layout.no_right, 0.0, np.where(self.layout.no_wrong, 1.0, accuracy))

    def estimate(self, counts: Counts) -> Parameters:
        """The M step: the parameters that make these counts, with the prior's, most likely. Closed form."""
        voted = self.layout.per_labeler(counts.votes)
        right = self.layout.per_labeler(counts.votes * self.layout.member)
        return Parameters(
            accuracy=self._accuracy(right, voted),
            propensity=self._propensity(voted, counts.mass),
            balance=self._balance(counts.mass),
            split=self.split,
            silence=self.silence,
        )

    def _accuracy(self, right: Floats, voted: Floats) -> Floats:
        if self.shared_accuracy:
            right, voted = (
                np.repeat((x * self.layout.free).sum(axis=1, keepdims=True), self.layout.k, axis=1)
                for x in (right, voted)
            )
        right, total = right + self.accuracy_votes * self.accuracy_mean, voted + self.accuracy_votes
        accuracy = self._mean()
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
        balance: Floats = mass / mass.sum()
        return balance

    def log_prior(self, parameters: Parameters) -> float:
        """What the priors add to the log-likelihood (up to a constant)."""
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
        """(n, k): each accuracy that is a parameter once; a shared one counts at its labeler's first free class."""
        if not self.shared_accuracy:
            return self.layout.free
        once: npt.NDArray[np.bool_] = self.layout.free & (np.cumsum(self.layout.free, axis=1) == 1)
        return once
