"""Solver: a way to the top of a penalised likelihood."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.likelihood import TINY, Parameters
from shortlist.labelmodel.problem import Problem
from shortlist.labelmodel.settings import Settings


@dataclass(frozen=True, eq=False)
class Fit:
    """Where a solver arrived, and how."""

    parameters: Parameters
    history: Floats  # penalised log-likelihood per row, one entry an accepted step
    converged: bool
    n_iter: int


class Solver(Settings, ABC):
    """A dataclass of settings with a `kind`, and a way to climb."""

    @abstractmethod
    def maximise(self, problem: Problem, assumptions: Assumptions, start: Parameters) -> Fit:
        """Climb the penalised likelihood of these assumptions from `start`; the problem says for how long."""


def highest(fits: Sequence[Fit]) -> Fit:
    """The first of those that arrived as high as any, but for rounding."""
    top = max(fit.history[-1] for fit in fits)
    return next(fit for fit in fits if fit.history[-1] >= top - TINY * abs(top))
