"""Gold: what rows of known class say of each labeler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.pooled.propensity import class_propensities
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout


@dataclass(frozen=True, eq=False)
class GoldVotes:
    """Votes on rows of known class."""

    rows: Floats  # (k,): rows of each class
    votes: Floats  # (n, k): each labeler's votes on them
    right: Floats  # (n, k): those that hold the class

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout) -> GoldVotes:
        known = evidence.gold >= 0
        codes, gold, weights = evidence.votes.codes[known], evidence.gold[known], evidence.weights[known]
        row, labeler = np.nonzero(codes)
        right = layout.member[layout.starts[labeler] + codes[row, labeler] - 1, gold[row]]
        rows, (votes, hits) = np.zeros(layout.k), np.zeros((2, layout.n, layout.k))
        np.add.at(rows, gold, weights)
        np.add.at(votes, (labeler, gold[row]), weights[row])
        np.add.at(hits, (labeler, gold[row]), weights[row] * right)
        return cls(rows, votes, hits)

    def accuracy(self, before: Floats, worth: float) -> Floats:
        """(n, k): how often a labeler is right about a class, if `before` any gold row it was that.

        That is worth so many votes.
        """
        accuracy: Floats = (worth * before + self.right) / (worth + self.votes)
        return accuracy

    def lift(self, before: Floats, says: Says, balance: Floats, worth: float) -> Floats:
        """(n, k): how often a labeler votes on a class, up to a factor, if `before` any gold row it was that.

        Votes on a class are taken to be Poisson, and what was known before a gamma prior worth so many votes. So it is
        multiplied by the votes there are over those that were expected, with so many more on either side.
        """
        expected = class_propensities(says, before, balance) * self.rows
        return np.where(says.telling[:, None], before * (worth + self.votes) / (worth + expected), before)
