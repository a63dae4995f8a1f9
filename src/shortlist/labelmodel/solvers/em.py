"""EM: the E step, the closed-form M step, and the loop that never loses ground.

Plain EM creeps where the labelers leave much open. Anderson acceleration extrapolates from the last few steps,
and costs nothing but a small least-squares problem: the E step that follows tells the likelihood of the point it
proposes. Where that is lower than what was reached, the plain step, which cannot lose, is taken instead.
(Measured against SQUAREM and L-BFGS: `benchmarks/README.md`.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dposv

from shortlist.arrays import Floats
from shortlist.labelmodel.estep.cores import one_blas_thread
from shortlist.labelmodel.estep.expectation import EStep
from shortlist.labelmodel.formulae.assumptions import Assumptions
from shortlist.labelmodel.formulae.likelihood import TINY, Parameters, emission
from shortlist.labelmodel.problem import Problem
from shortlist.labelmodel.solvers.solver import Fit, Solver
from shortlist.registry import check_whole

COARSE = 2e-8  # relative gain below which float32, right to about 1e-9 here, has done its part
MEMORY = 12  # steps the acceleration remembers
SIGHT = 4  # steps to remember before small gains are taken for the end
RIDGE = 1e-12  # keeps steps that are all but equal from being told apart
SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class EM(Solver):
    """Expectation–maximisation with closed-form steps, accelerated. No step loses likelihood.

    memory : how many steps the acceleration looks back; 1 for plain EM
    """

    kind: ClassVar[str] = "em"
    memory: int = MEMORY

    def __post_init__(self) -> None:
        check_whole("memory", self.memory)

    def maximise(self, problem: Problem, assumptions: Assumptions, start: Parameters) -> Fit:
        """Climb from `start` until a step gains less than `tol`, twice running, or `max_iter` steps are made."""
        return maximise(
            problem.expectation, assumptions, start, max_iter=problem.max_iter, tol=problem.tol, memory=self.memory
        )


def maximise(
    e_step: EStep, assumptions: Assumptions, start: Parameters, *, max_iter: int, tol: float, memory: int = MEMORY
) -> Fit:
    """Climb the penalised likelihood from `start` until a step gains less than `tol` of it, twice running.

    Right after a loss, while the acceleration has little to go by, small steps do not mean that little is left: there,
    six times running.
    """
    climb = _Climb(e_step, assumptions, tol, Anderson(memory))
    here = start
    with one_blas_thread():
        while climb.n_iter < max_iter and not climb.converged:
            here = climb.step(here)
    return Fit(climb.reached, np.array(climb.history), climb.converged, climb.n_iter)


@dataclass
class _Climb:
    """The state of the loop: what was reached, and whether it still pays to go on."""

    e_step: EStep
    assumptions: Assumptions
    tol: float
    mixer: Anderson
    history: list[float] = field(default_factory=list)
    n_iter: int = 0
    small: int = 0  # gains in a row below the tolerance
    converged: bool = False
    seen: Parameters = field(init=False)  # where the last value of the history was found
    reached: Parameters = field(init=False)  # one plain step from there

    def __post_init__(self) -> None:
        self.coarse = self.e_step.large

    def step(self, here: Parameters) -> Parameters:
        """Look at a point: move on from it, or, if it lost ground, back to the plain step that was not taken."""
        self.n_iter += 1
        table = emission(here, self.assumptions.layout)
        counts = self.e_step(table, np.float32 if self.coarse else np.float64)
        value = (counts.log_likelihood + self.assumptions.log_prior(here)) / self.e_step.total
        gain = value - self.history[-1] if self.history else np.inf
        if gain < 0 and self.mixer.extrapolated:
            self.mixer.forget()
            return self.reached
        plain = self.assumptions.estimate(counts)
        if self.coarse and gain < COARSE * abs(value):
            return self._refine(here, plain)
        if gain < 0:  # a plain step loses by rounding only: this is as high as it gets
            self.reached, self.converged = self.seen, True
            return here
        self.history.append(value)
        self.small = self.small + 1 if gain <= self.tol * abs(value) else 0
        self.converged = self.small >= (2 if self.mixer.sighted else 6)
        self.seen, self.reached = here, plain
        return self.mixer.propose(here, plain)

    def _refine(self, here: Parameters, plain: Parameters) -> Parameters:
        """Go on in double precision. What float32 saw last is less certain than what is left to gain: drop it."""
        self.coarse = False
        self.history = self.history[:-1]
        self.reached = plain
        return self.mixer.propose(here, plain)


class Anderson:
    """Anderson acceleration of the map from parameters to parameters that one EM step is.

    It works on the probabilities themselves. In log-odds, those that go to 0 or 1 would run off to infinity and
    hold all others up.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.forget()

    def forget(self) -> None:
        self.extrapolated = False
        self._last: tuple[Floats, Floats] | None = None  # the last image, and how far it was from its point
        self._changes: tuple[Floats, Floats] | None = None  # of both, step by step: rings of rows
        self._steps = 0

    @property
    def sighted(self) -> bool:
        """Whether it remembers enough to go as far as it can."""
        return self._steps >= SIGHT or self.memory < 2

    def propose(self, here: Parameters, plain: Parameters) -> Parameters:
        """A better next point than `plain`, the image of `here`; `plain` itself while there is no memory."""
        image = flatten(plain)
        residual = image - flatten(here)
        before, self._last = self._last, (image, residual)
        self.extrapolated = before is not None and self.memory > 1
        if before is None or not self.extrapolated:
            return plain
        return unflatten(self._mixed(image, residual, before), plain)

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
        diagonal += RIDGE * np.add.reduce(diagonal) + SMALLEST
        _, weights, failed = dposv(gram, dF @ residual)  # what `solve` calls in the end
        mixed: Floats = image if failed else image - weights @ dG
        return mixed


def flatten(parameters: Parameters) -> Floats:
    """All probabilities that are estimated, as one vector."""
    return np.concatenate([parameters.accuracy.ravel(), parameters.propensity.ravel(), parameters.balance])


def unflatten(vector: Floats, like: Parameters) -> Parameters:
    """The parameters of a vector, drawn back into what is legal, in the shapes (and with the split) of `like`."""
    a, b = like.accuracy.size, like.accuracy.size + like.propensity.size
    legal = np.maximum(vector, TINY)
    np.minimum(legal[:b], 1 - TINY, out=legal[:b])
    alpha, beta, balance = legal[:a], legal[a:b], legal[b:]
    balance /= balance.sum()
    alpha, beta = alpha.reshape(like.accuracy.shape), beta.reshape(like.propensity.shape)
    return Parameters(alpha, beta, balance, like.split, like.silence)
