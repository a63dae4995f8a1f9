"""What the default estimator found: a fit, its guard, and what is known of each labeler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import beta

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.estimate import Estimate, State, table_arrays
from shortlist.labelmodel.estimators.pooled.guard import Guard
from shortlist.votes.patterns import Codes


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledEstimate(Estimate):
    """An estimate whose beliefs go through a guard."""

    labeler_accuracy: Floats  # (n,): the share of each labeler's votes that is right
    judged_votes: Floats  # (n,): how many votes that rests on; 0 where the votes cannot tell
    guard: Guard

    adjustment: ClassVar[tuple[str, str] | None] = ("pooling", "trust")

    @property
    def temperature(self) -> float:
        """g: the exponent of the evidence."""
        return self.guard.temperature

    @property
    def trust(self) -> float:
        """κ: how far the fit is trusted against the prior."""
        return self.guard.trust

    def beliefs(self, codes: Codes, *, device: str = "cpu", threads: int | None = None) -> Floats:
        return self.guard.beliefs(codes, device=device, threads=threads)

    def beliefs_without(self, codes: Codes, i: int) -> Floats:
        """Abstaining is no evidence: a labeler that abstains is not there."""
        rest = np.array(codes)
        rest[:, i] = 0
        return self.beliefs(rest)

    def labeler_interval(self, level: float) -> tuple[Floats, Floats]:
        """(n,) both: the ends of an interval for each labeler's accuracy; 0 and 1 where the votes cannot tell."""
        right, wrong = (self.judged_votes * share for share in (self.labeler_accuracy, 1 - self.labeler_accuracy))
        known = self.judged_votes > 0
        with np.errstate(invalid="ignore"):
            lower, upper = (beta.ppf(q, right + 0.5, wrong + 0.5) for q in ((1 - level) / 2, (1 + level) / 2))
        return np.where(known, lower, 0.0), np.where(known, upper, 1.0)

    def state(self) -> State:
        facts, arrays = super().state()
        guard = self.guard
        found = {"trust": guard.trust, "temperature": guard.temperature, "balance_chosen": guard.balance_chosen}
        kept = {"labeler_accuracy": self.labeler_accuracy, "judged_votes": self.judged_votes}
        return State({**facts, **found}, {**arrays, **kept, **table_arrays("prior", guard.prior)})
