"""What the default estimator found: a fit, its guard, and what is known of each labeler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.estimate import Estimate, State, table_arrays
from shortlist.labelmodel.estimators.pooled.guard import Guard
from shortlist.labelmodel.estimators.pooled.reliability import Reliability
from shortlist.votes.patterns import Codes

RELIABILITY = ("by_class", "least", "most", "class_votes", "votes")  # its arrays, as files keep them


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledEstimate(Estimate):
    """An estimate whose beliefs go through a guard."""

    reliability: Reliability
    guard: Guard

    adjustment: ClassVar[tuple[str, str] | None] = ("pooling", "trust")

    @property
    def accuracy(self) -> Floats:
        return self.reliability.by_class

    @property
    def labeler_accuracy(self) -> Floats:
        return self.reliability.overall

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
        return self.reliability.interval(level)

    def accuracy_interval(self, level: float) -> tuple[Floats, Floats]:
        return self.reliability.class_interval(level)

    def state(self) -> State:
        facts, arrays = super().state()
        guard = self.guard
        found = {"trust": guard.trust, "temperature": guard.temperature, "balance_chosen": guard.balance_chosen}
        kept = {f"reliability.{name}": getattr(self.reliability, name) for name in RELIABILITY}
        return State({**facts, **found}, {**arrays, **kept, **table_arrays("prior", guard.prior)})
