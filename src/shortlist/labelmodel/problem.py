"""Problem: all that an estimator is given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from shortlist.arrays import Floats
from shortlist.labelmodel.estep.expectation import Expectation, FullEStep
from shortlist.labelmodel.formulae.counts import vote_counts
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Parameters
from shortlist.labelmodel.formulae.panel import Panel


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """The labelers, the evidence, and how a `LabelModel` was asked to fit it."""

    panel: Panel
    evidence: Evidence  # unique rows of votes
    balance: Floats | None = None  # (k,): given; None: the estimator's choice
    learn_balance: bool = False  # whether the balance is to be learned from the votes
    start: Parameters | None = None  # where an earlier fit of the same labelers arrived
    max_iter: int = 1000
    tol: float = 1e-8
    seed: int = 0
    device: str = "cpu"
    threads: int | None = None

    @cached_property
    def expectation(self) -> FullEStep:
        """The E step over all rows, prepared when it is first asked for."""
        return Expectation(self.evidence, self.layout, device=self.device, threads=self.threads)

    @cached_property
    def vote_counts(self) -> Floats:
        """(S,): how often each shortlist was voted."""
        return vote_counts(self.evidence.votes.codes.T, self.evidence.weights, self.layout)

    @property
    def layout(self) -> Layout:
        return self.panel.layout
