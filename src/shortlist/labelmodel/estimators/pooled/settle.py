"""Settle: the mean accuracy of each labeler and how often it votes on each class, found by turns with beliefs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.estep.cores import one_blas_thread
from shortlist.labelmodel.estep.expectation import EStep
from shortlist.labelmodel.estimators.pooled.propensity import Judgement, class_propensities, may_depend_on_class
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Parameters, emission, frequency_split

if TYPE_CHECKING:
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled

NEVER_VOTED = 1e-12  # the share of a shortlist that was never voted
AT_REST = 1e-4  # accuracies and propensities that move by less have come to rest


def prior_assumptions(settings: Pooled, step: EStep, layout: Layout, balance: Floats) -> Assumptions:
    """Before any vote: all labelers as accurate as a0, voting ρ times as often on classes they name.

    Dummies, and shortlists that were declared but never voted, take no part.
    """
    voted = layout.only(step.vote_counts > 0)
    overall, named = layout.per_labeler(step.vote_counts) / step.total, classes_named(voted)
    propensity = class_propensities(overall, np.where(named, settings.propensity_ratio, 1.0), named, balance)
    means = np.full(layout.n, settings.accuracy_mean)
    return assuming(settings, voted, balance, propensity, voted_split(voted, step.vote_counts), means)


@dataclass(frozen=True, eq=False)
class Settled:
    """What was settled, the parameters reached on the way, and whether all came to rest."""

    assumptions: Assumptions
    parameters: Parameters
    at_rest: bool


def settle(
    settings: Pooled,
    assumptions: Assumptions,
    start: Parameters,
    sample: Evidence,
    step: EStep,
    co_voters: Mask,
    *,
    max_iter: int,
) -> Settled:
    """The same assumptions with each labeler's own mean accuracy a_i and with judged propensities β_ij."""
    here, layout = start, assumptions.layout
    named, overall = classes_named(layout), layout.per_labeler(step.vote_counts) / step.total
    judged = may_depend_on_class(overall, named)
    with one_blas_thread():
        for _ in range(max_iter):
            table = emission(here, layout)
            counts, before = step(table), assumptions
            assumptions = replace(assumptions, accuracy_mean=labeler_means(settings, layout, counts.votes))
            if judged.any():
                said = Judgement.of(sample, table, layout, judged, assumptions.propensity, co_voters)
                lift = said.lift(named, settings.propensity_ratio, settings.propensity_votes, settings.spread_votes)
                propensity = class_propensities(overall, lift, named, assumptions.balance)
                assumptions = replace(assumptions, propensity=propensity)
            here = assumptions.estimate(counts)
            if at_rest(before, assumptions):
                return Settled(assumptions, here, True)
    return Settled(assumptions, here, False)


def labeler_means(settings: Pooled, layout: Layout, votes: Floats) -> Floats:
    """a_i = (Σ_j right_ij + W a0) / (Σ_j votes_ij + W), over classes where the accuracy is a parameter: (n, 1)."""
    right, voted = layout.per_labeler(votes * layout.member), layout.per_labeler(votes)
    right, voted = ((x * layout.free).sum(axis=1, keepdims=True) for x in (right, voted))
    means: Floats = (right + settings.labeler_votes * settings.accuracy_mean) / (voted + settings.labeler_votes)
    return means


def at_rest(before: Assumptions, now: Assumptions) -> bool:
    """Whether what is being settled has stopped moving."""
    means = np.abs(now.accuracy_mean - before.accuracy_mean).max(initial=0)
    propensities = np.abs(now.propensity - before.propensity).max(initial=0)
    return bool(means <= AT_REST and propensities <= AT_REST)


def final_assumptions(settings: Pooled, parameters: Parameters, means: Floats, layout: Layout) -> Assumptions:
    """The assumptions a fit ended with, from what is kept of it."""
    split = np.asarray(parameters.split)
    voted: Mask = np.any(split > np.log(2 * NEVER_VOTED), axis=1)
    return assuming(settings, layout.only(voted), parameters.balance, parameters.propensity, split, means)


def assuming(
    settings: Pooled, voted: Layout, balance: Floats, propensity: Floats, split: Floats, means: Floats
) -> Assumptions:
    """Accuracies near each labeler's mean, in votes; all else is given. Abstaining is no evidence."""
    return Assumptions(
        layout=voted,
        shared_accuracy=False,
        learn_class_propensity=False,
        learn_balance=False,
        balance=balance,
        propensity=propensity,
        split=split,
        accuracy_mean=means[:, None],
        accuracy_votes=settings.class_votes,
        propensity_rows=0.0,
        balance_rows=0.0,
        silence=False,
    )


def classes_named(voted: Layout) -> Mask:
    """(n, k): j ∈ U_i, the classes in the shortlists that labeler i voted."""
    said = voted.member & voted.part[:, None] if voted.part is not None else voted.member
    named: Mask = voted.per_labeler(said.astype(np.float64)) > 0
    return named


def voted_split(voted: Layout, vote_counts: Floats) -> Floats:
    """(S, k): the log share of a shortlist among those as right (or wrong) about a class, by how often it is voted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        split = frequency_split(voted, vote_counts)
    return np.where((vote_counts > 0)[:, None], split, np.log(NEVER_VOTED))
