"""The formulae of the paper (Section 3.2) in log space: pure functions of arrays.

Parameters become an *emission table*, which is all that the E step, beliefs, explanations and files read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from shortlist.arrays import Floats
from shortlist.labelmodel.layout import Layout

TINY = 1e-9  # probabilities stay this far from 0 and 1, so that no single vote is ever final


@dataclass(frozen=True, eq=False)
class Parameters:
    """Parameters of Eq. 1 and 2: accuracies α, propensities β, P(Y), and the split of right and of wrong votes."""

    accuracy: Floats  # (n, k)
    propensity: Floats  # (n, k): on rows of each class; (n,) where it is the same on all
    balance: Floats  # (k,)
    split: Floats | None = None  # (S, k): log share of a shortlist among those as right (or wrong); None: equal
    silence: float = 1.0  # weight of abstaining as evidence: 0 for none

    def by_class(self) -> Parameters:
        """Parameters with propensities (n, k)."""
        n = len(self.accuracy)
        return replace(self, propensity=np.array(np.broadcast_to(self.propensity.reshape(n, -1), self.accuracy.shape)))

    def overall_propensity(self) -> Floats:
        """(n,): P(labeler i votes)."""
        if self.propensity.ndim == 1:
            return self.propensity
        alike = np.ptp(self.propensity, axis=1) == 0
        return np.where(alike, self.propensity[:, 0], self.propensity @ self.balance)


@dataclass(frozen=True, eq=False)
class Emission:
    """Emission table, log P(vote | class). `exponent` (n,) is the weight of each labeler's evidence."""

    votes: Floats  # (S, k)
    abstain: Floats  # (n, k)
    balance: Floats  # (k,)
    exponent: Floats  # (n,)

    def tempered(self, layout: Layout) -> tuple[Floats, Floats]:
        """(votes, abstain) with the exponents applied."""
        if (self.exponent == 1).all():
            return self.votes, self.abstain
        return self.votes * self.exponent[layout.owner, None], self.abstain * self.exponent[:, None]

    def of_votes_alone(self, layout: Layout) -> Emission:
        """Emission for rows that list only votes: abstaining is in the balance."""
        if not self.abstain.any():
            return self
        votes, balance = self.votes - self.abstain[layout.owner], self.balance + self.abstain.sum(axis=0)
        return replace(self, votes=votes, abstain=np.zeros_like(self.abstain), balance=balance)

    def without(self, i: int) -> Emission:
        """Emission without the evidence of labeler i."""
        return replace(self, exponent=np.where(np.arange(len(self.exponent)) == i, 0.0, self.exponent))


def equal_split(layout: Layout) -> Floats:
    """−log |N_ij| and −log |N^C_ij|: every right shortlist is as likely as any other (Eq. 2)."""
    return frequency_split(layout, np.ones(len(layout.member)))


def frequency_split(layout: Layout, vote_counts: Floats) -> Floats:
    """Log shares of right (or wrong) shortlists in proportion to how often each was voted, `vote_counts` (S,)."""
    right = layout.per_labeler(vote_counts[:, None] * layout.member)[layout.owner]
    wrong = layout.per_labeler(vote_counts[:, None] * ~layout.member)[layout.owner]
    return np.asarray(np.log(vote_counts)[:, None] - np.log(np.where(layout.member, right, wrong)))


def emission(parameters: Parameters, layout: Layout) -> Emission:
    """Eq. 2: log P(G_ai | Y_a = y_j) for every vote there can be."""
    sides = np.empty((2, layout.n, layout.k))  # P(right), P(wrong)
    _legal(parameters.accuracy, out=sides[0])
    np.subtract(1, sides[0], out=sides[1])
    votes = np.log(sides, out=sides).reshape(-1).take(layout.side)
    propensity = _legal(parameters.propensity.reshape(layout.n, -1))
    votes += np.log(propensity)[layout.owner]
    votes += equal_split(layout) if parameters.split is None else parameters.split
    abstain = np.zeros((layout.n, layout.k))
    if parameters.silence:
        abstain[:] = parameters.silence * np.log1p(-propensity)
    return Emission(votes, abstain, np.log(np.maximum(parameters.balance, TINY)), np.ones(layout.n))


def _legal(probability: Floats, out: Floats | None = None) -> Floats:
    """Clip to [TINY, 1 − TINY], in half the time of `np.clip`."""
    return np.minimum(np.maximum(probability, TINY, out=out), 1 - TINY, out=out)


def log_joint(codes: npt.NDArray[np.integer], table: Emission, layout: Layout) -> Floats:
    """Eq. 1: log P(G_a, Y_a = y_j) for every row and class, (m, k)."""
    votes, abstain = table.tempered(layout)
    joint = np.tile(table.balance, (len(codes), 1))
    for i, column in enumerate(codes.T):
        joint += layout.by_code(i, votes, abstain)[column]
    return joint


def posterior(joint: Floats) -> Floats:
    """Bayes' rule, row by row: P(Y | G) from Eq. 1."""
    belief: Floats = np.exp(joint - log_marginal(joint)[:, None])
    belief /= belief.sum(axis=1, keepdims=True)
    return belief


def log_marginal(joint: Floats) -> Floats:
    """log P(G_a) = log Σ_j P(G_a, y_j), (m,)."""
    return np.asarray(logsumexp(joint, axis=1))
