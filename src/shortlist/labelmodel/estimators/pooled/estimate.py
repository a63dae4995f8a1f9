"""What the default estimator found: a fit, its prior and its guard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.estimate import Estimate, State, table_arrays
from shortlist.labelmodel.estimators.pooled.guard import Guard
from shortlist.labelmodel.estimators.pooled.settle import final_assumptions
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.votes.patterns import Codes

if TYPE_CHECKING:
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledEstimate(Estimate):
    """An estimate whose beliefs go through a guard."""

    settings: Pooled
    labeler_accuracy: Floats  # (n,): a_i, the mean accuracy of each labeler
    guard: Guard

    adjustment: ClassVar[tuple[str, str] | None] = ("pooling", "trust and unanimity")

    @property
    def temperature(self) -> float:
        """g: the exponent of the evidence."""
        return self.guard.temperature

    @property
    def trust(self) -> float:
        """κ: how far the fit is trusted against the prior."""
        return self.guard.trust

    @property
    def unanimity(self) -> float:
        """The least belief that the classes which all votes of a row have in common keep."""
        return self.guard.unanimity

    def beliefs(self, codes: Codes, *, device: str = "cpu", threads: int | None = None) -> Floats:
        return self.guard.beliefs(codes, device=device, threads=threads)

    def beliefs_without(self, codes: Codes, i: int) -> Floats:
        """Abstaining is no evidence: a labeler that abstains is not there."""
        rest = np.array(codes)
        rest[:, i] = 0
        return self.beliefs(rest)

    def assumptions(self, vote_counts: Floats, total: float) -> Assumptions:  # noqa: ARG002  all of it is settled
        return final_assumptions(self.settings, self.parameters, self.labeler_accuracy, self.layout)

    def state(self) -> State:
        facts, arrays = super().state()
        guard = self.guard
        found = {"trust": guard.trust, "unanimity": guard.unanimity, "temperature": guard.temperature}
        return State(
            {**facts, **found, "balance_chosen": guard.balance_chosen},
            {**arrays, "labeler_accuracy": self.labeler_accuracy, **table_arrays("prior", guard.prior)},
        )
