"""Estimator: a way to learn from votes. One more is one more class with `fit`."""

from __future__ import annotations

from abc import ABC, abstractmethod

from shortlist.labelmodel.estimators.estimate import Estimate, State
from shortlist.labelmodel.formulae.panel import Panel
from shortlist.labelmodel.problem import Problem
from shortlist.labelmodel.settings import Settings


class Estimator(Settings, ABC):
    """A dataclass of settings with a `kind`, its name in files and in shortlist.toml."""

    @abstractmethod
    def fit(self, problem: Problem) -> Estimate:
        """What the evidence says."""

    def restore(self, panel: Panel, state: State) -> Estimate:
        """The estimate that was kept in a file."""
        return Estimate.restored(panel, state)
