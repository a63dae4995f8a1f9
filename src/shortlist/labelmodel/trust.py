"""Trust: how far to believe the evidence, and how far the fit.

The evidence, because labelers are not as independent as the model says: one exponent g for all of it, P(j | votes) ∝
P(j) · P(votes | j)^g, is chosen by held-out labelers, and near-copies share it. The fit, because it may no longer mean
what the labelers declared. Neither needs gold labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.beliefs import TIE
from shortlist.labelmodel.baselines import shares, tally
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.heldout import FAINT, best_temperature
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission
from shortlist.votes.patterns import Codes

FEW = 8_192  # unique rows that are enough to choose a temperature by
WORTH = 10.0  # rows of known class that what the votes say of themselves is worth
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
        sizes: Floats,
        posterior: Posterior,
    ) -> tuple[Emission, Guard]:
        """The fitted table, tempered, and its guard. Copies, `sizes` (n,) of them, share one labeler's weight."""
        codes, weights, gold = evidence.votes.codes, evidence.weights, evidence.gold
        beliefs, word = posterior(codes, fitted), posterior(codes, declared)
        trust = agreement(beliefs, word, weights * codes.any(axis=1))
        if (gold >= 0).any():
            trust = told(trust, beliefs, word, gold, weights)
            unanimity = kept(unanimity, codes, gold, weights, layout)
        few = evidence.some(FEW)
        g, calm = (best_temperature(few.votes.codes, few.weights, table, layout) for table in (fitted, declared))
        return replace(fitted, exponent=g / sizes), cls(replace(declared, exponent=calm / sizes), trust, unanimity, g)

    def beliefs(self, codes: Codes, fitted: Emission, layout: Layout, balance: Floats, posterior: Posterior) -> Floats:
        """What is believed of rows of codes in the end."""
        counted = vote_share(codes, layout, balance)
        pooled = pool(posterior(codes, fitted), posterior(codes, self.declared), counted, self.trust)
        return unanimous(pooled, codes, layout, self.unanimity)


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
    points = tally(codes, layout, shares(layout)) + balance
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
