"""The seam: a solver that shortlist does not know, written as somebody else would."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from shortlist import LabelModel, simulate
from shortlist.errors import BadFile, BadFit
from shortlist.labelmodel import EM, Likelihood, Parameters
from shortlist.labelmodel.formulae.likelihood import emission
from shortlist.labelmodel.solvers.solver import Fit, Solver, highest


@dataclass(frozen=True)
class Plain(Solver):
    """So many plain EM steps, whatever they gain."""

    kind: ClassVar[str] = "plain"
    steps: int = 3000

    def maximise(self, problem, assumptions, start) -> Fit:
        here, history = start, []
        for _ in range(self.steps):
            counts = problem.expectation(emission(here, problem.layout))
            history.append((counts.log_likelihood + assumptions.log_prior(here)) / problem.expectation.total)
            here = assumptions.estimate(counts)
        return Fit(here, np.array(history), True, self.steps)


@pytest.fixture(scope="module")
def votes():
    truth = Parameters(np.full((4, 3), 0.8), np.array([0.9, 0.7, 0.8, 0.6]), np.array([0.5, 0.3, 0.2]))
    says = [["a", "b", "c"], ["a", {"b", "c"}], [{"a", "b"}, "c"], ["b", {"a", "c"}]]
    return simulate(truth, says, 3000, space=["a", "b", "c"], seed=0).votes


def test_a_foreign_solver_reaches_the_same_optimum(votes, tmp_path):
    mine = LabelModel(estimator=Likelihood(solver=Plain()), balance="learn").fit(votes)
    ours = LabelModel(estimator=Likelihood(), balance="learn", tol=1e-13).fit(votes)
    assert (mine.n_iter_, len(mine.history_)) == (3000, 3000)
    assert mine.history_[-1] == pytest.approx(ours.history_[-1], abs=1e-8)
    assert mine.accuracy_ == pytest.approx(ours.accuracy_, abs=1e-3)
    mine.save(tmp_path / "model.npz")
    with pytest.raises(BadFile, match="no solver 'plain'"):
        LabelModel.load(tmp_path / "model.npz")


def test_the_memory_of_em_is_a_setting(votes):
    slow, fast = (LabelModel(estimator=Likelihood(solver=EM(memory=m)), tol=1e-11).fit(votes) for m in (1, 12))
    assert fast.n_iter_ < slow.n_iter_
    assert fast.history_[-1] == pytest.approx(slow.history_[-1], abs=1e-8)
    with pytest.raises(BadFit, match="memory"):
        EM(memory=0)


def test_of_fits_that_differ_by_rounding_the_first_is_kept():
    low, high, higher = (Fit(None, np.array([value]), True, 1) for value in (-2.0, -1.0, -1.0 + 1e-12))
    assert highest([low, high, higher]) is high
    assert highest([high, low]) is high
