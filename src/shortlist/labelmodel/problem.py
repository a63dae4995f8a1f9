"""Problem: all that an estimator is given."""

from __future__ import annotations

from dataclasses import dataclass

from shortlist.arrays import Floats
from shortlist.labelmodel.estep.expectation import FullEStep
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Parameters
from shortlist.labelmodel.formulae.panel import Panel


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """The labelers, the evidence, and how a `LabelModel` was asked to fit it."""

    panel: Panel
    evidence: Evidence  # unique rows of votes
    expectation: FullEStep  # the E step over them
    balance: Floats | None = None  # (k,): given; None: the estimator's choice
    learn_balance: bool = False  # whether the balance is to be learned from the votes
    start: Parameters | None = None  # where an earlier fit of the same labelers arrived
    max_iter: int = 1000
    tol: float = 1e-8
    seed: int = 0
    device: str = "cpu"
    threads: int | None = None

    @property
    def vote_counts(self) -> Floats:
        """(S,): how often each shortlist was voted."""
        return self.expectation.vote_counts

    @property
    def layout(self) -> Layout:
        return self.panel.layout
