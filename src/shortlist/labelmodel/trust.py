"""Trust: how far to believe the evidence, and how far the fit.

The evidence, because labelers are not as independent as the model says: one exponent g for all of it, P(j | votes) ∝
P(j) · P(votes | j)^g, is chosen by held-out labelers: with g, how well do the other votes on a row foretell what a
labeler says, given that it votes? The fit, because it may no longer mean what the labelers declared. Neither needs
gold labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.labelmodel.baselines import tally
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import BLOCK, BUFFER
from shortlist.labelmodel.layout import Floats, Layout
from shortlist.labelmodel.likelihood import Emission
from shortlist.labelmodel.predictor import TIE
from shortlist.votes.patterns import Codes

FEW = 8_192  # unique rows that are enough to choose a temperature by
GRID: Floats = np.exp(-0.2 * np.arange(20))  # temperatures: 1 … 0.02
FAINT = 1e-12  # beliefs never fall to nothing, so that a vote can be taken out of them, or another belief weighed in
LEAST = 1e-20
DIGITS = 9  # a gain below this is none: labelers that only say one thing have nothing to foretell
WORTH = 10.0  # rows of known class that what the votes say of themselves is worth
Positions = npt.NDArray[np.int64]
Posterior: TypeAlias = Callable[[Codes, Emission], Floats]  # P(class | row) of rows of codes under a table


@dataclass(frozen=True, eq=False)
class Guard:
    """What stands between a fit and its beliefs: labelers at their word, how far the fit is trusted against that, how
    much belief unanimous votes keep, and the temperature of the fit."""

    declared: Emission
    trust: float
    unanimity: float
    temperature: float

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        fitted: Emission,
        declared: Emission,
        layout: Layout,
        unanimity: float,
        posterior: Posterior,
    ) -> tuple[Emission, Guard]:
        """The fitted table, tempered, and its guard."""
        codes, weights, gold = evidence.votes.codes, evidence.weights, evidence.gold
        beliefs, word = posterior(codes, fitted), posterior(codes, declared)
        trust = agreement(beliefs, word, weights * codes.any(axis=1))
        if (gold >= 0).any():
            trust = told(trust, beliefs, word, gold, weights)
            unanimity = kept(unanimity, codes, gold, weights, layout)
        few = evidence.some(FEW)
        cool, calm = (tempered(table, few, layout) for table in (fitted, declared))
        return cool, cls(calm, trust, unanimity, float(cool.exponent[0]))

    def beliefs(self, codes: Codes, fitted: Emission, layout: Layout, balance: Floats, posterior: Posterior) -> Floats:
        """What is believed of rows of codes in the end."""
        counted = vote_share(codes, layout, balance)
        pooled = pool(posterior(codes, fitted), posterior(codes, self.declared), counted, self.trust)
        return unanimous(pooled, codes, layout, self.unanimity)


def tempered(table: Emission, evidence: Evidence, layout: Layout) -> Emission:
    g = best_temperature(evidence.votes.codes, evidence.weights, table, layout)
    return replace(table, exponent=np.full(layout.n, g))


def best_temperature(codes: Codes, weights: Floats, table: Emission, layout: Layout) -> float:
    """The g of the grid with the highest mean log P(what i said | it voted, the other votes); 1 if nothing tells.

    Every fourth g is looked at, then those around the best.
    """
    coarse = np.arange(0, len(GRID), 4)
    scores = held_out(codes, weights, table, layout, GRID[coarse])
    best = int(coarse[np.argmax(scores)])
    near = np.arange(max(0, best - 3), min(len(GRID), best + 4))
    return float(GRID[near[int(np.argmax(held_out(codes, weights, table, layout, GRID[near])))]])


def held_out(codes: Codes, weights: Floats, table: Emission, layout: Layout, grid: Floats) -> Floats:
    """(grid,): mean log P(what i said | it voted, the other votes), over votes on rows with several votes."""
    several = (codes > 0).sum(axis=1) > 1
    codes, weights = codes[several], weights[several]
    sums, mass = np.zeros(len(grid)), 0.0
    if not len(codes):
        return sums
    slopes, base = table.votes - table.abstain[layout.owner], table.abstain.sum(axis=0)
    said = np.exp(table.votes)
    content = said / layout.per_labeler(said)[layout.owner]  # (S, k): P(t | voted, j)
    without = -grid[:, None, None] * slopes  # (grid, S, k): a vote is taken out of the beliefs by these
    without = np.exp(without - without.max(axis=2, keepdims=True))
    width = max(256, min(BLOCK, BUFFER // len(slopes)))
    for a in range(0, len(codes), width):
        block, w = codes[a : a + width], weights[a : a + width]
        row, labeler = np.nonzero(block)
        vote = layout.starts[labeler] + block[row, labeler] - 1
        X = np.zeros((len(block), len(slopes)))
        X[row, vote] = 1
        joint = X @ slopes + base
        mass += float(w[row].sum())
        for r, g in enumerate(grid):
            beliefs = g * joint + table.balance
            beliefs = np.exp(beliefs - beliefs.max(axis=1, keepdims=True)) + FAINT
            foretold = (beliefs @ (without[r] * content).T)[row, vote]
            sums[r] += w[row] @ np.log(
                np.maximum(foretold, LEAST) / np.maximum((beliefs @ without[r].T)[row, vote], LEAST)
            )
    return np.round(sums / mass, DIGITS)


def agreement(fitted: Floats, declared: Floats, weights: Floats) -> float:
    """κ: the share of rows on which two beliefs name the same class.

    One that leaves a tie contradicts none of it: what counts are the classes in both, of those that the more decided
    of the two names.
    """
    if not weights.any():
        return 1.0
    one, other = (B.max(axis=1, keepdims=True) - B <= TIE for B in (fitted, declared))
    same = (one & other).sum(axis=1) / np.minimum(one.sum(axis=1), other.sum(axis=1))
    return float(weights @ same / weights.sum())


def told(trust: float, fitted: Floats, declared: Floats, gold: Positions, weights: Floats) -> float:
    """Trust once there are rows of known class: of those that only one of both names right, the share that the fit
    does; what the votes say of themselves is worth `WORTH` such rows."""
    known = gold >= 0
    one, other = (B[known, gold[known]] >= B[known].max(axis=1) - TIE for B in (fitted, declared))
    w = weights[known]
    return float((w @ (one & ~other) + WORTH * trust) / (w @ (one != other) + WORTH))


def kept(least: float, codes: Codes, gold: Positions, weights: Floats, layout: Layout) -> float:
    """How much belief unanimous votes keep: `least`, or less where rows of known class say they are often wrong."""
    common = shared(codes, layout)
    known = (gold >= 0) & common.any(axis=1)
    w, right = weights[known], common[known, gold[known]]
    return float(min(least, (w @ right + WORTH * least) / (w.sum() + WORTH)))


def pool(fitted: Floats, declared: Floats, counted: Floats, trust: float) -> Floats:
    """B = κ B1 + (1 − κ) · counted, with B1 ∝ fitted^κ · declared^(1−κ)."""
    B1 = trust * np.log(fitted + FAINT) + (1 - trust) * np.log(declared + FAINT)
    B1 = np.exp(B1 - B1.max(axis=1, keepdims=True))
    B1 /= B1.sum(axis=1, keepdims=True)
    beliefs: Floats = trust * B1 + (1 - trust) * counted
    return beliefs


def vote_share(codes: Codes, layout: Layout, balance: Floats) -> Floats:
    """Counting: a vote gives 1/size to each of its classes, and one more vote is spread over all by the balance."""
    points = tally(codes, layout, layout.member / layout.member.sum(axis=1, keepdims=True)) + balance
    points /= points.sum(axis=1, keepdims=True)
    return points


def unanimous(beliefs: Floats, codes: Codes, layout: Layout, least: float) -> Floats:
    """Classes that all votes of a row have in common keep at least this much of the belief.

    Of all beliefs that do, the one nearest in Kullback–Leibler divergence: both sides are scaled.
    """
    common = shared(codes, layout)
    held = (beliefs * common).sum(axis=1, keepdims=True)
    short = common.any(axis=1, keepdims=True) & (held < least)
    scaled = np.where(common, beliefs * least / np.maximum(held, FAINT**2), beliefs * (1 - least) / (1 - held * short))
    return np.where(short, scaled, beliefs)


def shared(codes: Codes, layout: Layout) -> npt.NDArray[np.bool_]:
    """(m, k): classes that all votes of a row have in common; none where there is no vote."""
    voted = (codes > 0).sum(axis=1, keepdims=True)
    common: npt.NDArray[np.bool_] = tally(codes, layout, layout.member.astype(np.float64)) >= voted - 0.5
    common &= voted > 0
    return common
