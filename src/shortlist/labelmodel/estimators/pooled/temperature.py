"""Temperature: labelers are not independent, so their evidence counts too often. One exponent g ≤ 1 takes that back.

It is found in two ways, without gold labels, and the lower g is taken. Held-out labelers: with which g do the other
votes on a row best predict what a labeler says? The design effect: how much more does the evidence of all labelers
together vary, on rows of one class, than it would if they were independent? The first is blind where labelers have one
answer (there is nothing to predict), and where they are wrong together; the second where rows of a class are all alike.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from shortlist.arrays import Floats, Mask, Positions, row_largest, row_sums
from shortlist.beliefs import leading
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.likelihood import Emission

TEMPERATURES: Floats = np.exp(-0.2 * np.arange(20))  # 1 … 0.02
MOST, NUMBERS = 2_000, 1 << 20  # rows that are looked at, and votes × classes on them
IMPOSSIBLE = 1e-20  # the probability of what was taken to be impossible, and happened
DIGITS = 9  # a gain below this is none: labelers that only say one thing have nothing to predict
NOTHING = 1e-9  # a variance, or a number of votes


def temperature(sample: Sample, table: Emission, telling: Mask) -> float:
    """g: the lower of the two. `telling` (n,) are labelers that tell something by voting."""
    return min(held_out_temperature(sample, table), 1 / max(design_effect(sample, table, telling), 1.0))


def design_effect(sample: Sample, table: Emission, telling: Mask) -> float:
    """Var(Σ_i e_i | class) / Σ_i Var(e_i | class), where e_i is what labeler i adds to the log belief in the class.

    The class of a row is the most likely one; rows with a tie are left out. Independent labelers have 1 or less. With
    2, evidence is worth half of what it seems. A rule that abstains adds nothing (e_i = 0). Of labelers that do not
    tell by voting, what they say counts, and not whether they vote.
    """
    layout, table = sample.layout, table.of_votes_alone(sample.layout, sample.asked)
    sample, believed = _decided(sample, sample.beliefs(table))
    row, vote = np.repeat(np.arange(len(believed)), sample.n_votes), sample.hot.indices  # (v,)
    labeler, of_class, weight = layout.owner[vote], believed[row], sample.weights[row]
    evidence = table.votes[vote, of_class] - table.votes.mean(axis=1)[vote]  # (v,)
    votes, sums, squares = (
        np.bincount(labeler * layout.k + of_class, weight * each, layout.n * layout.k).reshape(layout.n, layout.k)
        for each in (np.ones_like(evidence), evidence, evidence**2)
    )
    rows = np.bincount(believed, sample.weights, layout.k)
    asked = np.where(telling[:, None], rows, votes)  # (n, k): rows on which e_i counts
    mean = sums / np.maximum(asked, NOTHING)
    apart = float((squares - asked * mean**2).sum())
    expected = np.where(telling[:, None], 0.0, mean)[labeler, of_class]
    surprise = np.bincount(row, evidence - expected, len(believed)) - mean[telling].sum(axis=0)[believed]  # (u,)
    together = float(sample.weights @ surprise**2)
    return together / apart if min(apart, together) > NOTHING else 1.0


def _decided(sample: Sample, beliefs: Floats) -> tuple[Sample, Positions]:
    """The rows that have one most likely class, and that class (u,)."""
    first = leading(beliefs)
    decided = first.sum(axis=1) == 1
    return sample.only(decided), np.argmax(first[decided], axis=1)


def held_out_temperature(sample: Sample, table: Emission) -> float:
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


def predicted(sample: Sample, table: Emission, labelers: Mask) -> float:
    """Mean log P(what these labelers (n,) said | they voted, the other votes, who abstained)."""
    return HeldOut(sample, table.of_votes_alone(sample.layout, sample.asked), labelers, balance=True).score(1.0)


class HeldOut:
    """Every vote on rows with more than one, and what the other votes of its row say.

    Perhaps of some `labelers` (n,) only; and with the `balance` of the table, or under equal classes.
    """

    def __init__(self, sample: Sample, table: Emission, labelers: Mask | None = None, *, balance: bool = False) -> None:
        shared = sample.only(sample.n_votes > 1)
        shared = shared.heaviest(min(MOST, enough_rows(shared)))
        row, vote = np.repeat(np.arange(len(shared.weights)), shared.n_votes), shared.hot.indices
        if labelers is not None:
            held = labelers[sample.layout.owner[vote]]
            row, vote = row[held], vote[held]
        said = np.exp(table.votes)
        voted = np.maximum(sample.layout.per_labeler(said), IMPOSSIBLE)
        self.said = said[vote] / voted[sample.layout.owner[vote]]  # P(t | voted, j)
        self.weights = shared.weights[row]
        self.others = (shared.hot @ table.votes + balance * table.balance)[row] - table.votes[vote]
        self.others -= row_largest(self.others)

    def score(self, g: float) -> float:
        """Mean log P(what was said | it voted, the other votes), where what the others say has the power g."""
        if not len(self.weights):
            return 0.0
        joint = self.others * g
        np.exp(joint, out=joint)
        predicted = np.einsum("vk,vk->v", joint, self.said) / row_sums(joint)[:, 0]
        score = self.weights @ np.log(np.maximum(predicted, IMPOSSIBLE)) / self.weights.sum()
        return round(float(score), DIGITS)
