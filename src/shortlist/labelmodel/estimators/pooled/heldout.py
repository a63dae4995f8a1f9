"""Held out: how well the other votes on a row predict what a labeler says. It needs no gold labels."""

from __future__ import annotations

from functools import cache

import numpy as np

from shortlist.arrays import Floats, row_largest, row_sums
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.formulae.likelihood import Emission

TEMPERATURES: Floats = np.exp(-0.2 * np.arange(20))  # 1 … 0.02
MOST, NUMBERS = 2_000, 1 << 20  # rows that are looked at, and votes × classes on them
IMPOSSIBLE = 1e-20  # the probability of what was taken to be impossible, and happened
DIGITS = 9  # a gain below this is none: labelers that only say one thing have nothing to predict


def best_temperature(sample: Sample, table: Emission) -> float:
    """The g with the highest mean log P(what i said | it voted, the other votes); 1 if nothing tells.

    From the better end in steps of four, as long as that gains, and then in single steps to both sides.
    """
    held, last = HeldOut(sample, table), len(TEMPERATURES) - 1
    score = cache(lambda at: held.score(float(TEMPERATURES[at])))
    best = last if score(last) > score(0) else 0
    for step in (4, -4, -1, 1):
        while 0 <= best + step <= last and score(best + step) > score(best):
            best += step
    return float(TEMPERATURES[best])


def enough_rows(sample: Sample) -> int:
    """How many rows have at most NUMBERS votes × classes."""
    numbers = sample.hot.nnz * sample.layout.k / max(len(sample.weights), 1)  # of a row
    return max(int(NUMBERS / max(numbers, 1.0)), 1)


class HeldOut:
    """Every vote on rows with more than one, and what the other votes of its row say."""

    def __init__(self, sample: Sample, table: Emission) -> None:
        shared = sample.only(sample.n_votes > 1)
        shared = shared.heaviest(min(MOST, enough_rows(shared)))
        row, vote = np.repeat(np.arange(len(shared.weights)), shared.n_votes), shared.hot.indices
        said = np.exp(table.votes)
        voted = np.maximum(sample.layout.per_labeler(said), IMPOSSIBLE)
        self.said = said[vote] / voted[sample.layout.owner[vote]]  # P(t | voted, j)
        self.weights = shared.weights[row]
        self.others = (shared.hot @ table.votes)[row] - table.votes[vote]
        self.others -= row_largest(self.others)

    def score(self, g: float) -> float:
        """Mean log P(what was said | it voted, the other votes), under evidence to the power of g and equal classes."""
        if not len(self.weights):
            return 0.0
        joint = self.others * g
        np.exp(joint, out=joint)
        predicted = np.einsum("vk,vk->v", joint, self.said) / row_sums(joint)[:, 0]
        score = self.weights @ np.log(np.maximum(predicted, IMPOSSIBLE)) / self.weights.sum()
        return round(float(score), DIGITS)
