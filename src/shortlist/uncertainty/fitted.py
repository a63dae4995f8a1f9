"""Fitted: a fitted label model laid out for differentiation, with the evidence it is asked about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadFit, NotFitted
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.counts import vote_counts
from shortlist.labelmodel.formulae.evidence import Evidence, Gold
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, Parameters, emission, log_joint, posterior
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.uncertainty.coordinates import Coordinates
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

BLOCK = 4096  # patterns at a time


@dataclass(frozen=True, eq=False)
class Fitted:
    """Parameters inside (0, 1), the table they make, and unique rows with their weights."""

    panel: Panel
    assumptions: Assumptions
    parameters: Parameters
    table: Emission
    codes: Codes  # (u, n)
    weights: Floats  # (u,)
    gold: npt.NDArray[np.int64]  # (u,): −1 where unknown
    coordinates: Coordinates

    @property
    def layout(self) -> Layout:
        return self.panel.layout

    @classmethod
    def of(cls, model: LabelModel, evidence: Evidence) -> Fitted:
        """A model of the paper's family at its fitted values, nudged off 0 and 1."""
        panel = fitted_panel(model)
        codes = panel.codes(evidence.votes)
        assumptions = assumptions_of(model, codes, evidence)
        parameters = inside(model.parameters_, codes, evidence, assumptions.propensity_by_class, panel.layout)
        table = emission(parameters, panel.layout)
        coordinates = Coordinates.of(assumptions)
        return cls(panel, assumptions, parameters, table, codes, evidence.weights, evidence.gold, coordinates)


def fitted_panel(model: LabelModel) -> Panel:
    if not hasattr(model, "parameters_"):
        raise NotFitted(f"this {type(model).__name__} is not fitted: call fit(votes) first")
    return model.panel_


def evidence_of(
    model: LabelModel, votes: Votes | Iterable[Votes] | None, gold: Gold | None, weights: npt.ArrayLike | None
) -> Evidence:
    """What the model is asked about: the votes given, or those it was fitted on."""
    fitted_panel(model)
    if votes is not None:
        return Evidence.gather(votes, gold, weights)
    if gold is not None or weights is not None:
        raise BadFit("gold and weights go with votes: give the votes too, or neither to use what the model has seen")
    return model.evidence_


def assumptions_of(model: LabelModel, codes: Codes, evidence: Evidence) -> Assumptions:
    """What the model assumes about this evidence; its split stays the one it was fitted with."""
    counts = vote_counts(codes.T, evidence.weights, model.panel_.layout)
    assumptions = model.estimate_.assumptions(counts, evidence.total)
    if assumptions is None:
        raise BadFit(
            f"the table of this {type(model).__name__} is not made from accuracies and propensities as in the paper, "
            'so its likelihood cannot be differentiated here; intervals(model, method="bootstrap") works for any model'
        )
    return assumptions


def inside(parameters: Parameters, codes: Codes, evidence: Evidence, by_class: bool, layout: Layout) -> Parameters:
    """The parameters at least half a vote away from 0 and 1, so that their log-odds say something.

    An accuracy that touches 1 after a hundred votes is taken for what it is, about 1 − 1/200. Propensities are
    moved where they are `by_class`.
    """
    table = emission(parameters, layout)
    votes, mass = np.zeros((layout.n, layout.k)), np.zeros(layout.k)
    for start in range(0, len(codes), BLOCK):
        part = slice(start, start + BLOCK)
        rows = evidence.weights[part, None] * posterior(log_joint(codes[part], table, layout))
        votes += (codes[part] > 0).T.astype(np.float64) @ rows
        mass += rows.sum(axis=0)
    accuracy = _half_a_vote_in(parameters.accuracy, votes)
    propensity = parameters.propensity
    if by_class:
        propensity = _half_a_vote_in(propensity, np.broadcast_to(mass, propensity.shape))
    balance = np.maximum(parameters.balance, 0.5 / (mass.sum() + 1))
    return Parameters(accuracy, propensity, balance / balance.sum(), parameters.split, parameters.silence)


def _half_a_vote_in(p: Floats, counts: Floats) -> Floats:
    least = 0.5 / (counts + 1)
    return np.clip(p, least, 1 - least)
