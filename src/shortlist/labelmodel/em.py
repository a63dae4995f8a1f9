"""EM: the E step, the closed-form M step, and a loop in which the likelihood never falls. The interface of solvers.

Anderson acceleration was compared with SQUAREM and L-BFGS: `benchmarks/README.md`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dposv

from shortlist.arrays import Floats
from shortlist.labelmodel.e_step import EStep
from shortlist.labelmodel.estimator import Problem
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.labelmodel.likelihood import TINY, Parameters, emission
from shortlist.labelmodel.m_step import Assumptions
from shortlist.labelmodel.model_options import Configurable
from shortlist.registry import check_whole


@dataclass(frozen=True, eq=False)
class Optimum:
    """Result of a solver."""

    parameters: Parameters
    history: Floats  # penalised log-likelihood per row, one entry an accepted step
    converged: bool
    n_iter: int


class Solver(Configurable, ABC):
    """A method to maximise a penalised likelihood: a dataclass of options with a `kind`."""

    @staticmethod
    def kinds() -> dict[str, type[Solver]]:
        """All solvers that have been imported, by kind."""
        return {made.kind: made for made in Solver.__subclasses__()}

    @abstractmethod
    def maximise(self, problem: Problem, assumptions: Assumptions, start: Parameters) -> Optimum:
        """Maximise the penalised likelihood of these assumptions from `start`."""


def highest(fits: Sequence[Optimum]) -> Optimum:
    """The first of the fits with the highest objective, but for rounding."""
    top = max(fit.history[-1] for fit in fits)
    return next(fit for fit in fits if fit.history[-1] >= top - TINY * abs(top))


@dataclass(frozen=True)
class EM(Solver):
    """Expectation–maximisation with closed-form steps, accelerated. The likelihood never falls.

    memory : number of steps that the acceleration uses; 1 for plain EM
    """

    kind: ClassVar[str] = "em"
    memory: int = 12

    def __post_init__(self) -> None:
        check_whole("memory", self.memory)

    def maximise(self, problem: Problem, assumptions: Assumptions, start: Parameters) -> Optimum:
        """Iterate from `start` until a step gains less than `tol`, twice running, or for `max_iter` steps."""
        return maximise(
            problem.expectation, assumptions, start, max_iter=problem.max_iter, tol=problem.tol, memory=self.memory
        )


def maximise(
    e_step: EStep, assumptions: Assumptions, start: Parameters, *, max_iter: int, tol: float, memory: int = 12
) -> Optimum:
    """Iterate from `start` until a step gains less than `tol` of the penalised likelihood, twice running.

    While the acceleration has few steps to go by, small gains do not mean convergence: there, six times running.
    """
    climb = _Climb(e_step, assumptions, tol, memory)
    here = start
    with one_blas_thread():
        while climb.n_iter < max_iter and not climb.converged:
            here = climb.step(here)
    return Optimum(climb.reached, np.array(climb.history), climb.converged, climb.n_iter)


class _Climb:
    """State of the loop."""

    seen: Parameters  # point of the last value of the history
    reached: Parameters  # one plain EM step from there

    def __init__(self, e_step: EStep, assumptions: Assumptions, tol: float, memory: int) -> None:
        self.e_step, self.assumptions, self.tol, self.mixer = e_step, assumptions, tol, Anderson(memory)
        self.coarse = e_step.large  # float32, until gains are small
        self.history: list[float] = []
        self.n_iter = self.small = 0  # steps, and gains in a row below the tolerance
        self.converged = False

    def step(self, here: Parameters) -> Parameters:
        """Evaluate a point; return the next one, which is the plain EM step if the extrapolated one lost likelihood."""
        self.n_iter += 1
        table = emission(here, self.assumptions.layout)
        counts = self.e_step(table, np.float32 if self.coarse else np.float64)
        value = (counts.log_likelihood + self.assumptions.log_prior(here)) / self.e_step.total
        gain = value - self.history[-1] if self.history else np.inf
        if gain < 0 and self.mixer.extrapolated:
            self.mixer.forget()
            return self.reached
        plain = self.assumptions.estimate(counts)
        if self.coarse and gain < 2e-8 * abs(value):  # float32 is right to about 1e-9 here: go on in double precision
            self.coarse, self.reached = False, plain
            self.history.pop()  # less certain than the gain to come
            return self.mixer.propose(here, plain)
        if gain < 0:  # a plain step loses by rounding only: it has converged
            self.reached, self.converged = self.seen, True
            return here
        self.history.append(value)
        self.small = self.small + 1 if gain <= self.tol * abs(value) else 0
        self.converged = self.small >= (2 if self.mixer.sighted else 6)
        self.seen, self.reached = here, plain
        return self.mixer.propose(here, plain)


class Anderson:
    """Anderson acceleration of EM steps: it extrapolates from the last few, by a small least-squares problem.

    It works on probabilities: log-odds of those that go to 0 or 1 diverge, and would slow down all others.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.forget()

    def forget(self) -> None:
        self.extrapolated = False
        self._last: tuple[Floats, Floats] | None = None  # last image, and its residual
        self._changes: tuple[Floats, Floats] | None = None  # changes of both, step by step: ring buffers
        self._steps = 0

    @property
    def sighted(self) -> bool:
        """True if it remembers enough steps that small gains mean convergence."""
        return self._steps >= 4 or self.memory < 2

    def propose(self, here: Parameters, plain: Parameters) -> Parameters:
        """Extrapolate from `plain`, the image of `here`; without memory, return `plain`."""
        image, start = (np.concatenate([p.accuracy.ravel(), p.propensity.ravel(), p.balance]) for p in (plain, here))
        residual = image - start
        before, self._last = self._last, (image, residual)
        self.extrapolated = before is not None and self.memory > 1
        if before is None or not self.extrapolated:
            return plain
        return _unflatten(self._mixed(image, residual, before), plain)

    def _mixed(self, image: Floats, residual: Floats, before: tuple[Floats, Floats]) -> Floats:
        """The combination of remembered images whose residuals cancel best."""
        if self._changes is None:
            self._changes = np.empty((self.memory - 1, len(image))), np.empty((self.memory - 1, len(image)))
        at = self._steps % (self.memory - 1)
        np.subtract(image, before[0], out=self._changes[0][at])
        np.subtract(residual, before[1], out=self._changes[1][at])
        self._steps += 1
        dG, dF = (changes[: self._steps] for changes in self._changes)
        gram = dF @ dF.T
        diagonal = gram.ravel()[:: len(gram) + 1]
        diagonal += 1e-12 * np.add.reduce(diagonal) + float(np.finfo(np.float64).tiny)  # ridge: steps may be equal
        _, weights, failed = dposv(gram, dF @ residual)  # as `scipy.linalg.solve`, without its checks
        return image if failed else image - weights @ dG


def _unflatten(vector: Floats, like: Parameters) -> Parameters:
    """Parameters of a vector, clipped to probabilities, in the shapes (and with the split) of `like`."""
    a, b = like.accuracy.size, like.accuracy.size + like.propensity.size
    legal = np.maximum(vector, TINY)
    np.minimum(legal[:b], 1 - TINY, out=legal[:b])
    alpha, beta, balance = legal[:a], legal[a:b], legal[b:]
    balance /= balance.sum()
    alpha, beta = alpha.reshape(like.accuracy.shape), beta.reshape(like.propensity.shape)
    return Parameters(alpha, beta, balance, like.split)
