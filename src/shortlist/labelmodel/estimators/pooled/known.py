"""Known: rows of known class by their votes. Rows with the same votes stand for each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.votes.patterns import Codes, find_patterns


@dataclass(frozen=True, eq=False)
class Known:
    """Unique rows of votes, and how many rows of each class have these votes."""

    codes: Codes  # (u, n)
    counts: Floats  # (u, k)

    @classmethod
    def of(cls, evidence: Evidence) -> Known:
        """From all rows of known class with a vote."""
        known = (evidence.gold >= 0) & evidence.votes.covered
        codes, gold, weights = evidence.votes.codes[known], evidence.gold[known], evidence.weights[known]
        unique, _, which = find_patterns(codes, evidence.votes.sizes)
        counts = np.zeros((len(unique), len(evidence.votes.space)))
        np.add.at(counts, (which, gold), weights)
        return cls(unique, counts)

    def __bool__(self) -> bool:
        return len(self.codes) > 0

    def beliefs(self, believed: Floats, codes: Codes, sizes: Sequence[int], worth: float) -> Floats:
        """What is believed of rows of codes, (m, k), once known rows with the same votes have been asked.

        B_j = (worth · believed_j + rows of class j) / (worth + rows).
        """
        if not self:
            return believed
        which = find_patterns(np.concatenate([self.codes, codes]), sizes).inverse
        counts = np.zeros((which.max() + 1, believed.shape[1]))
        counts[which[: len(self.codes)]] = self.counts
        same = counts[which[len(self.codes) :]]
        beliefs: Floats = (worth * believed + same) / (worth + same.sum(axis=1, keepdims=True))
        return beliefs
