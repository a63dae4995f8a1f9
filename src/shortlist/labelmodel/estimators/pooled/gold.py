"""Gold: what rows of known class say of each labeler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.pooled.propensity import class_propensities
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import TINY

GOLD_VOTES = 30.0  # votes of known class that say as much of a labeler as all other votes do
FARTHEST = 20.0  # δ: what no number of gold rows exceeds
STEPS = 8  # of Newton's kind; each leaves a small part of the error


@dataclass(frozen=True, eq=False)
class GoldVotes:
    """Votes on rows of known class."""

    by_class: Floats  # (n, k): on rows of each class
    right: Floats  # (n,): those that hold the class

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout) -> GoldVotes:
        known = evidence.gold >= 0
        codes, gold, weights = evidence.votes.codes[known], evidence.gold[known], evidence.weights[known]
        row, labeler = np.nonzero(codes)
        right = layout.member[layout.starts[labeler] + codes[row, labeler] - 1, gold[row]]
        votes, hits = np.zeros((layout.n, layout.k)), np.zeros(layout.n)
        np.add.at(votes, (labeler, gold[row]), weights[row])
        np.add.at(hits, labeler, weights[row] * right)
        return cls(votes, hits)

    @property
    def votes(self) -> Floats:
        """(n,): in all."""
        votes: Floats = self.by_class.sum(axis=1)
        return votes

    def __bool__(self) -> bool:
        return bool(self.by_class.any())

    def accuracy(self, without: Floats) -> Floats:
        """(n,): the share of its votes that is right, given what it is `without` gold rows.

        Of N votes of known class, what they say weighs N² / (N² + 30²): a few of them are few for all labelers at once,
        and what they say by accident they say of all.
        """
        accuracy: Floats = self.weight * self.right / np.maximum(self.votes, TINY) + (1 - self.weight) * without
        return accuracy

    @property
    def weight(self) -> Floats:
        """(n,): of what gold rows say of a labeler."""
        weight: Floats = self.votes**2 / (self.votes**2 + GOLD_VOTES**2)
        return weight

    def rests_on(self, votes: Floats) -> Floats:
        """(n,): how many votes that rests on: as many as have the variance of the weighted mean of both shares."""
        gold = np.maximum(self.votes, TINY)
        both = 1 / (self.weight**2 / gold + (1 - self.weight) ** 2 / np.maximum(votes, TINY))
        return np.where(self.votes > 0, np.where(votes > 0, both, self.votes), votes)

    def corrected(self, accuracy: Floats, lift: Floats, says: Says, balance: Floats) -> tuple[Floats, Floats]:
        """Accuracies and lifts (n, k) under which each labeler is right as often as its gold rows say.

        Right votes become e^δ times as likely as wrong ones, whatever the class. Where a labeler tells something by
        voting, that changes how often it votes on the classes it names.
        """
        if not self:
            return accuracy, lift
        wanted = np.clip(self.accuracy(_share(accuracy, lift, says, balance)), TINY, 1 - TINY)
        moved, moved_lift, shift = accuracy, lift, np.zeros(len(wanted))
        for _ in range(STEPS):
            found = np.clip(_share(moved, moved_lift, says, balance), TINY, 1 - TINY)
            shift = np.clip(shift + np.where(self.votes > 0, logit(wanted) - logit(found), 0.0), -FARTHEST, FARTHEST)
            more = 1 + accuracy * np.expm1(shift)[:, None]
            moved = accuracy * np.exp(shift)[:, None] / more
            moved_lift = np.where(says.telling[:, None], lift * more, lift)
        return moved, moved_lift


def _share(accuracy: Floats, lift: Floats, says: Says, balance: Floats) -> Floats:
    """(n,): the share of a labeler's votes that is right, Σ_j π_j β_ij α_ij / Σ_j π_j β_ij."""
    on_class = balance * class_propensities(says, lift, balance)
    share: Floats = (on_class * says.settled(accuracy)).sum(axis=1) / np.maximum(on_class.sum(axis=1), TINY)
    return share
