"""Gold: what rows of known class say of each labeler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.pooled.propensity import class_propensities
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.formulae.counts import Known
from shortlist.labelmodel.formulae.layout import Layout


@dataclass(frozen=True, eq=False)
class GoldVotes:
    """Votes on rows of known class."""

    rows: Floats  # (k,): rows of each class
    votes: Floats  # (n, k): each labeler's votes on them
    right: Floats  # (n, k): those that hold the class

    @classmethod
    def of(cls, known: Known, layout: Layout) -> GoldVotes:
        right = layout.per_labeler(known.votes * layout.member)
        return cls(known.mass, layout.per_labeler(known.votes), right)

    def accuracy(self, before: Floats, worth: float) -> Floats:
        """(n, k): accuracies with the gold votes in them. What was estimated `before` counts as `worth` votes."""
        accuracy: Floats = (worth * before + self.right) / (worth + self.votes)
        return accuracy

    def lift(self, before: Floats, says: Says, balance: Floats, worth: float) -> Floats:
        """(n, k): how often a labeler votes on a class, up to a factor, with the gold rows in it.

        What was estimated `before` is the mean of a gamma prior that counts as `worth` votes, and the number of votes
        is Poisson: the lift grows by (worth + votes) / (worth + expected votes).
        """
        expected = class_propensities(says, before, balance) * self.rows
        return np.where(says.telling[:, None], before * (worth + self.votes) / (worth + expected), before)
