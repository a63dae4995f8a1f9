"""Gold: what rows of known class say of each labeler. A gold row without any vote says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.pooled.propensity import class_propensities
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import TINY
from shortlist.labelmodel.m_step import Counts as Known


@dataclass(frozen=True, eq=False)
class GoldVotes:
    """Votes on rows of known class, of those with a vote."""

    covered: float  # the share of all rows that have a vote
    rows: Floats  # (k,): gold rows of each class
    votes: Floats  # (n, k): each labeler's votes on them
    right: Floats  # (n, k): those that hold the class

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout) -> GoldVotes:
        covered = evidence.votes.covered
        gold = covered & (evidence.gold >= 0)
        known = Known.of(evidence.votes.codes[gold], evidence.gold[gold], evidence.weights[gold], layout)
        share = float(evidence.weights @ covered) / max(evidence.total, TINY)
        right = layout.per_labeler(known.votes * layout.member)
        return cls(share, known.mass, layout.per_labeler(known.votes), right)

    def accuracy(self, before: Floats, worth: float) -> Floats:
        """(n, k): accuracies with the gold votes in them. What was estimated `before` counts as `worth` votes."""
        accuracy: Floats = (worth * before + self.right) / (worth + self.votes)
        return accuracy

    def lift(self, before: Floats, says: Says, balance: Floats, worth: float) -> Floats:
        """(n, k): how often a labeler votes on a class, up to a factor, with the gold rows in it.

        What was estimated `before` is the mean of a gamma prior that counts as `worth` votes, and the number of votes
        is Poisson: the lift grows by (worth + votes) / (worth + expected votes).
        """
        voting = class_propensities(says, before, balance) / max(self.covered, TINY)  # on rows with a vote
        expected = np.minimum(voting, 1.0) * self.rows
        return np.where(says.telling[:, None], before * (worth + self.votes) / (worth + expected), before)
