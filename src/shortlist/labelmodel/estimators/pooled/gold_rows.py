"""Gold rows: rows of known class, by their votes. A gold row speaks for all rows with the same votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Layout
from shortlist.votes.patterns import Codes, find_patterns


@dataclass(frozen=True, eq=False)
class GoldRows:
    """Unique rows of votes, and how many rows of each class have these votes."""

    codes: Codes  # (u, n)
    counts: Floats  # (u, k)

    @classmethod
    def of(cls, evidence: Evidence) -> GoldRows:
        """From all rows of known class with a vote."""
        known = (evidence.gold >= 0) & evidence.votes.covered
        codes, gold, weights = evidence.votes.codes[known], evidence.gold[known], evidence.weights[known]
        unique, _, which = find_patterns(codes, evidence.votes.sizes)
        counts = np.zeros((len(unique), len(evidence.votes.space)))
        np.add.at(counts, (which, gold), weights)
        return cls(unique, counts)

    @classmethod
    def restored(cls, codes: Codes, counts: Floats, layout: Layout) -> GoldRows:
        """From the arrays of a file."""
        if codes.shape != (len(counts), layout.n) or counts.shape[1:] != (layout.k,):
            raise BadFit("its gold rows are of other labelers or classes")
        if (codes > layout.sizes).any() or not ((counts >= 0) & (counts < np.inf)).all():
            raise BadFit("its gold rows hold what no votes say, or no numbers")
        return cls(codes, counts)

    def __bool__(self) -> bool:
        return len(self.codes) > 0

    def beliefs(self, believed: Floats, codes: Codes, sizes: Sequence[int], worth: float) -> Floats:
        """(m, k): beliefs about rows of codes. What was `believed` counts as `worth` gold rows with the same votes.

        B_j = (worth · believed_j + gold rows of class j) / (worth + gold rows), of gold rows with the same votes.
        """
        if not self:
            return believed
        which = find_patterns(np.concatenate([self.codes, codes]), sizes).inverse
        counts = np.zeros((which.max() + 1, believed.shape[1]))
        counts[which[: len(self.codes)]] = self.counts
        same = counts[which[len(self.codes) :]]
        beliefs: Floats = (worth * believed + same) / (worth + same.sum(axis=1, keepdims=True))
        return beliefs
