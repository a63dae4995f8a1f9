"""Generic: whether votes determine the parameters at values picked at random.

Theorem 1 is sufficient, not necessary. Where it is silent, the rank of the information at random values tells more:
what it is there, it is almost everywhere. Full rank means that the parameters are determined near almost all values;
less, that no number of rows will determine them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shortlist.identifiability.imagined import imagined
from shortlist.identifiability.vote_information import VoteInformation
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.likelihood import Parameters, emission, equal_split
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelspace import LabelSpace
from shortlist.uncertainty.coordinates import Coordinates
from shortlist.uncertainty.fitted import Fitted
from shortlist.votes import Codomain

TOO_MANY = 400  # parameters


class Rank(NamedTuple):
    """How many of the parameters votes determine: accuracies that are not settled by construction, and the balance."""

    rank: int
    parameters: int


def generic_rank(
    labelers: Sequence[str], codomains: Sequence[Codomain], space: LabelSpace, *, seed: int = 0
) -> Rank | None:
    """The rank for labelers that say what they say and never a dummy; None where there are too many parameters."""
    speaking = [(name, Codomain(c.says)) for name, c in zip(labelers, codomains, strict=True) if c.says]
    panel = Panel(space, tuple(name for name, _ in speaking), tuple(c for _, c in speaking))
    if not speaking or panel.layout.free.sum() + len(space) > TOO_MANY:
        return None
    information = VoteInformation.of(imagined(_at_random(panel, np.random.default_rng(seed)), seed=seed))
    return Rank(information.rank, information.parameters)


def _at_random(panel: Panel, rng: np.random.Generator) -> Fitted:
    """The paper's model of these labelers, with a learned balance and no prior, at random values."""
    layout = panel.layout
    n, k = layout.n, layout.k
    balance, propensity = rng.dirichlet(np.full(k, 5.0)), rng.uniform(0.3, 0.8, n)
    assumptions = Assumptions(
        layout, False, False, True, balance, propensity, equal_split(layout),
        accuracy_mean=0.7, accuracy_votes=0.0, propensity_rows=0.0, balance_rows=0.0,
    )  # fmt: skip
    accuracy = assumptions.settled(rng.uniform(0.55, 0.95, (n, k)))
    parameters = Parameters(accuracy, propensity, balance, assumptions.split)
    return Fitted(
        panel=panel,
        assumptions=assumptions,
        parameters=parameters,
        table=emission(parameters, layout),
        codes=np.zeros((1, n), np.uint8),
        weights=np.ones(1),
        gold=np.full(1, -1),
        coordinates=Coordinates.of(assumptions),
    )
