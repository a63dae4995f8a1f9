"""What the default estimator found: a fit, its guard, and what is known of each labeler."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimator import Estimate, State, table_arrays
from shortlist.labelmodel.estimators.pooled.guard import Guard
from shortlist.labelmodel.estimators.pooled.reliability import Reliability
from shortlist.labelmodel.estimators.pooled.says import NEVER
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.m_step import Assumptions
from shortlist.votes.patterns import Codes

if TYPE_CHECKING:
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled

RELIABILITY = ("by_class", "least", "most", "class_votes", "votes")  # its arrays, as files keep them


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledEstimate(Estimate):
    """An estimate whose beliefs go through a guard."""

    settings: Pooled
    reliability: Reliability
    guard: Guard

    adjustment: ClassVar[tuple[str, str] | None] = ("pooling", "toward counting votes, as far as the fit is doubted")

    @property
    def accuracy(self) -> Floats:
        return self.reliability.by_class

    def overall_propensity(self, evidence: Evidence) -> Floats:
        """As it was seen. The mean of propensities by class is another one, where one of them is bounded."""
        share: Floats = evidence.weights @ (evidence.votes.codes > 0) / max(evidence.total, NEVER)
        return share

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
        rest, guard = np.array(codes), self.guard
        rest[:, i] = 0
        return replace(guard, fitted=guard.fitted.without(i), prior=guard.prior.without(i)).beliefs(rest)

    def labeler_interval(self, level: float) -> tuple[Floats, Floats]:
        return self.reliability.interval(level)

    def accuracy_interval(self, level: float) -> tuple[Floats, Floats]:
        return self.reliability.class_interval(level)

    def assumptions(self, vote_counts: Floats, total: float) -> Assumptions:  # noqa: ARG002  all of it is settled
        """A model of the paper's family with these numbers: accuracies near each labeler's, and all else given.

        What was fitted is not the top of its likelihood; how sharply it bends there still shows what votes determine.
        """
        parameters = self.parameters
        split = np.asarray(parameters.split)
        said = np.any(split > np.log(2 * NEVER), axis=1)
        return Assumptions(
            layout=self.layout.only(said),
            shared_accuracy=False,
            learn_class_propensity=False,
            learn_balance=False,
            balance=parameters.balance,
            propensity=parameters.propensity,
            split=split,
            accuracy_mean=np.nan_to_num(self.labeler_accuracy, nan=0.5)[:, None],
            accuracy_votes=self.settings.class_votes,
            propensity_rows=0.0,
            balance_rows=0.0,
            silence=parameters.silence,
        )

    def state(self) -> State:
        facts, arrays = super().state()
        guard = self.guard
        found = {"trust": guard.trust, "temperature": guard.temperature, "balance_chosen": guard.balance_chosen}
        kept = {f"reliability.{name}": getattr(self.reliability, name) for name in RELIABILITY}
        kept |= {"gold.codes": guard.gold.codes, "gold.counts": guard.gold.counts}
        return State({**facts, **found}, {**arrays, **kept, **table_arrays("prior", guard.prior)})
