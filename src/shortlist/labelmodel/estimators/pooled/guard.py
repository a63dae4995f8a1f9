"""Guard: how far to believe the evidence, and how far the fit. Neither needs gold labels.

The evidence, because labelers are not as independent as the model says: one exponent g for all of it, P(j | votes) ∝
P(j) · P(votes | j)^g (`temperature.py`), and near-copies share it. It holds for P(j), too, if that was counted from
votes alone. The fit, because it may no longer mean the classes that the labelers mean: it is compared with
the prior, in which all labelers are equally accurate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shortlist.arrays import Floats, Mask, row_largest
from shortlist.beliefs import leading
from shortlist.labelmodel.e_step import posteriors
from shortlist.labelmodel.estimator import Problem
from shortlist.labelmodel.estimators.pooled.gold_rows import GoldRows
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.temperature import temperature
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission, Parameters, emission
from shortlist.labelmodel.predictor import shares, tally
from shortlist.votes.patterns import Codes

PRIOR_ROWS = 10.0  # gold rows that κ without any counts as, and so does what is believed of rows with the same votes
MOST_TRUST = 0.95  # without gold rows: the class of one row in twenty may have nothing to do with what votes agree on
TRUSTS: Floats = np.append(np.linspace(0.02, 0.98, 25), 0.999)  # that are looked at
SMALLEST = 1e-12  # beliefs never fall to nothing before they are pooled


@dataclass(frozen=True, eq=False, kw_only=True)
class Guard:
    """A fit and its prior, and what stands between them and beliefs."""

    layout: Layout
    fitted: Emission  # tempered
    prior: Emission  # tempered
    trust: float  # κ: how far the fit is trusted against the prior
    temperature: float  # g of the fit
    balance_chosen: bool  # the balance was chosen by the votes, so it says nothing of rows without one
    gold: GoldRows

    @classmethod
    def of(
        cls,
        problem: Problem,
        fitted: Parameters,
        prior: Parameters,
        rows: Sample,
        weight: Floats,
        known: GoldRows,
        *,
        telling: Mask,
        most: float,
    ) -> Guard:
        """The guard of a fit. `weight` (n,) is what the evidence of each labeler counts: copies share that of one.
        `telling` (n,) are labelers that tell something by voting.

        A balance makes fit and prior name frequent classes both, so trust is at `most` what it is under equal classes.
        A balance that was counted from votes is evidence, too, so g holds for it in the fit: else it would outweigh
        votes that g discounts. One that was given, or that gold rows set, stands in full, and so it does in the prior.
        """
        fit, before = (emission(parameters, problem.layout) for parameters in (fitted, prior))
        g, g_prior = (temperature(rows, table, telling) for table in (fit, before))
        chosen = problem.balance is None
        guard = cls(
            layout=problem.layout,
            fitted=replace(fit, exponent=g * weight, balance=fit.balance * (g if chosen and not known else 1.0)),
            prior=replace(before, exponent=g_prior * weight),
            trust=min(MOST_TRUST, most, agreement(rows.beliefs(fit), rows.beliefs(before), rows.weights)),
            temperature=g,
            balance_chosen=chosen,
            gold=known,
        )
        return guard.with_gold()

    def with_gold(self) -> Guard:
        """The same, once rows of known class have been asked how far the fit can be trusted."""
        if not self.gold:
            return self
        codes = self.gold.codes
        one, other = posteriors(codes, self.layout, self.fitted, self.prior)
        trust = trust_from_gold(self.trust, one, other, vote_share(codes, self.layout), self.gold.counts)
        return replace(self, trust=trust)

    def beliefs(self, codes: Codes, *, device: str = "cpu", threads: int | None = None) -> Floats:
        """What is believed of rows of codes in the end, (m, k)."""
        one, other = posteriors(codes, self.layout, self.fitted, self.prior, device=device, threads=threads)
        beliefs = pool(one, other, vote_share(codes, self.layout), self.trust)
        beliefs = self.gold.beliefs(beliefs, codes, self.layout.sizes, PRIOR_ROWS)
        beliefs[~codes.any(axis=1)] = 1 / self.layout.k if self.balance_chosen else np.exp(self.prior.balance)
        return beliefs


def agreement(fitted: Floats, prior: Floats, weights: Floats) -> float:
    """κ: the share of rows on which two beliefs name the same class.

    A tie contradicts none of its classes: what counts are the classes in both, of those that the more decided of the
    two names.
    """
    if not weights.any():
        return 1.0
    one, other = leading(fitted), leading(prior)
    same = (one & other).sum(axis=1) / np.minimum(one.sum(axis=1), other.sum(axis=1))
    return float(weights @ same / weights.sum())


def trust_from_gold(trust: float, fitted: Floats, prior: Floats, counted: Floats, known: Floats) -> float:
    """κ once there are rows of `known` class (u, k): the likeliest, where κ without them is worth `PRIOR_ROWS`."""

    def score(kappa: float) -> float:
        before = trust * np.log(kappa) + (1 - trust) * np.log1p(-kappa)
        return float((known * np.log(pool(fitted, prior, counted, kappa))).sum() + PRIOR_ROWS * before)

    return float(max(TRUSTS, key=score))


def pool(fitted: Floats, prior: Floats, counted: Floats, trust: float) -> Floats:
    """B = κ B1 + (1 − κ) · counted, with B1 ∝ fitted^κ · prior^(1−κ)."""
    B1 = trust * np.log(fitted + SMALLEST) + (1 - trust) * np.log(prior + SMALLEST)
    B1 = np.exp(B1 - row_largest(B1))
    B1 /= B1.sum(axis=1, keepdims=True)  # the same for a row, whatever rows stand beside it
    beliefs: Floats = trust * B1 + (1 - trust) * counted
    return beliefs


def vote_share(codes: Codes, layout: Layout) -> Floats:
    """Counting: a vote gives 1/size to each of its classes, and one more vote is spread over all."""
    points = tally(codes, layout, shares(layout)) + 1 / layout.k
    points /= points.sum(axis=1, keepdims=True)
    return points
