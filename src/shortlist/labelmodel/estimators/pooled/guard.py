"""Guard: how far to believe the evidence, and how far the fit. Neither needs gold labels.

The evidence, because labelers are not as independent as the model says: one exponent g for all of it, P(j | votes) ∝
P(j) · P(votes | j)^g, is chosen by held-out labelers, and near-copies share it. The fit, because it may no longer mean
the classes that the labelers mean: it is compared with the prior, in which all labelers are equally accurate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shortlist.arrays import Floats, Mask, Positions
from shortlist.beliefs import TIE
from shortlist.labelmodel.baselines import shares, tally
from shortlist.labelmodel.estep.expectation import posteriors
from shortlist.labelmodel.estimators.pooled.heldout import SMALLEST, best_temperature
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, Parameters, emission
from shortlist.labelmodel.problem import Problem
from shortlist.votes.patterns import Codes

MOST_TEMPERED = 8_192  # unique rows, at most, by which a temperature is chosen
PRIOR_ROWS = 10.0  # rows of known class that trust and unanimity without any are worth


@dataclass(frozen=True, eq=False, kw_only=True)
class Guard:
    """A fit and its prior, and what stands between them and beliefs."""

    layout: Layout
    balance: Floats  # (k,)
    fitted: Emission  # tempered
    prior: Emission  # tempered
    trust: float  # κ: how far the fit is trusted against the prior
    unanimity: float  # the least belief that classes in common to all votes keep
    temperature: float  # g of the fit
    balance_chosen: bool  # the balance was chosen by the votes, so it says nothing of rows without one

    @classmethod
    def of(cls, problem: Problem, parameters: Parameters, prior: Emission, unanimity: float, n_copies: Floats) -> Guard:
        """The guard of a fit. Copies, `n_copies` (n,) of them, share the weight of one labeler."""
        layout, fitted = problem.layout, emission(parameters, problem.layout)
        trust, unanimity = trusted(problem, fitted, prior, unanimity)
        sample = problem.evidence.sample(MOST_TEMPERED)
        g, g_prior = (best_temperature(sample.votes.codes, sample.weights, t, layout) for t in (fitted, prior))
        return cls(
            layout=layout,
            balance=parameters.balance,
            fitted=replace(fitted, exponent=g / n_copies),
            prior=replace(prior, exponent=g_prior / n_copies),
            trust=trust,
            unanimity=unanimity,
            temperature=g,
            balance_chosen=problem.balance is None,
        )

    def beliefs(self, codes: Codes, *, device: str = "cpu", threads: int | None = None) -> Floats:
        """What is believed of rows of codes in the end, (m, k)."""
        one, other = (
            posteriors(codes, table, self.layout, device=device, threads=threads) for table in (self.fitted, self.prior)
        )
        pooled = pool(one, other, vote_share(codes, self.layout, self.balance), self.trust)
        beliefs = unanimous(pooled, codes, self.layout, self.unanimity)
        if self.balance_chosen:
            beliefs[~codes.any(axis=1)] = 1 / self.layout.k
        return beliefs


def trusted(problem: Problem, fitted: Emission, prior: Emission, unanimity: float) -> tuple[float, float]:
    """(trust, unanimity), as the evidence has them."""
    evidence, layout = problem.evidence, problem.layout
    codes, weights, gold = evidence.votes.codes, evidence.weights, evidence.gold
    one, other = (
        posteriors(codes, table, layout, device=problem.device, threads=problem.threads) for table in (fitted, prior)
    )
    trust = agreement(one, other, weights * codes.any(axis=1))
    if not (gold >= 0).any():
        return trust, unanimity
    return (
        trust_from_gold(trust, one, other, gold, weights),
        unanimity_from_gold(unanimity, codes, gold, weights, layout),
    )


def agreement(fitted: Floats, prior: Floats, weights: Floats) -> float:
    """κ: the share of rows on which two beliefs name the same class.

    A tie contradicts none of its classes: what counts are the classes in both, of those that the more decided of the
    two names.
    """
    if not weights.any():
        return 1.0
    one, other = (B.max(axis=1, keepdims=True) - B <= TIE for B in (fitted, prior))
    same = (one & other).sum(axis=1) / np.minimum(one.sum(axis=1), other.sum(axis=1))
    return float(weights @ same / weights.sum())


def trust_from_gold(trust: float, fitted: Floats, prior: Floats, gold: Positions, weights: Floats) -> float:
    """κ once there are rows of known class: of those that only one of both names right, the share that the fit does.

    The trust without them is worth `PRIOR_ROWS` such rows.
    """
    known = gold >= 0
    one, other = (B[known, gold[known]] >= B[known].max(axis=1) - TIE for B in (fitted, prior))
    w = weights[known]
    return float((w @ (one & ~other) + PRIOR_ROWS * trust) / (w @ (one != other) + PRIOR_ROWS))


def unanimity_from_gold(least: float, codes: Codes, gold: Positions, weights: Floats, layout: Layout) -> float:
    """How much belief unanimous votes keep: `least`, or less where rows of known class show that they are wrong."""
    common = common_classes(codes, layout)
    known = (gold >= 0) & common.any(axis=1)
    w, right = weights[known], common[known, gold[known]]
    return float(min(least, (w @ right + PRIOR_ROWS * least) / (w.sum() + PRIOR_ROWS)))


def pool(fitted: Floats, prior: Floats, counted: Floats, trust: float) -> Floats:
    """B = κ B1 + (1 − κ) · counted, with B1 ∝ fitted^κ · prior^(1−κ)."""
    B1 = trust * np.log(fitted + SMALLEST) + (1 - trust) * np.log(prior + SMALLEST)
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

    Of all beliefs that do, this is the nearest in Kullback–Leibler divergence: both sides are scaled.
    """
    common = common_classes(codes, layout)
    held = (beliefs * common).sum(axis=1, keepdims=True)
    short = common.any(axis=1, keepdims=True) & (held < least)
    inside, outside = beliefs * least / np.maximum(held, SMALLEST**2), beliefs * (1 - least) / (1 - held * short)
    return np.where(short, np.where(common, inside, outside), beliefs)


def common_classes(codes: Codes, layout: Layout) -> Mask:
    """(m, k): classes that all votes of a row have in common; none where there is no vote."""
    voted = (codes > 0).sum(axis=1, keepdims=True)
    common: Mask = tally(codes, layout, layout.member.astype(np.float64)) >= voted - 0.5
    common &= voted > 0
    return common
