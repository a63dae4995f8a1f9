from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shortlist import LabelModel, Votes, simulate
from shortlist.errors import BadFit
from shortlist.labelmodel import EM, Likelihood, Parameters
from shortlist.labelmodel.e_step import Expectation
from shortlist.labelmodel.em import Optimum, Solver, highest, maximise
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.likelihood import emission
from shortlist.labelmodel.m_step import Counts
from shortlist.labelmodel.paper import scattered
from tests.labelmodel.reference import joint, likelihood, some_votes

OPTIONS = st.fixed_dictionaries({
    "accuracy": st.sampled_from(["class", "labeler"]),
    "propensity": st.sampled_from(["labeler", "class"]),
    "split": st.sampled_from(["equal", "frequency"]),
    "balance": st.sampled_from(["uniform", "learn"]),
    "accuracy_votes": st.sampled_from([0.0, 3.0, 40.0]),
    "propensity_rows": st.sampled_from([0.0, 5.0]),
    "balance_rows": st.sampled_from([0.0, 2.0]),
})  # fmt: skip


def problem(votes, **options):
    panel = Panel.of(votes)
    expectation = Expectation(Evidence.gather(votes), panel.layout, threads=1)
    learn = options.pop("balance", "uniform") == "learn"
    k = panel.layout.k
    assumptions = Likelihood(**options).assume(
        panel, expectation.vote_counts, expectation.total, np.full(k, 1 / k), learn
    )
    return expectation, assumptions, panel


def objective(expectation, assumptions, parameters):
    table = emission(parameters, assumptions.layout)
    return (expectation(table).log_likelihood + assumptions.log_prior(parameters)) / expectation.total


@settings(max_examples=60, deadline=None)
@given(some_votes(), OPTIONS, st.integers(0, 5))
def test_no_step_loses_ground_whatever_the_options(votes, options, start):
    expectation, assumptions, panel = problem(votes, **options)
    first = scattered(assumptions, assumptions.start(), panel, (0, start))
    fit = maximise(expectation, assumptions, first, max_iter=60, tol=0.0)
    assert np.diff(fit.history, prepend=fit.history[0]).min() >= -1e-12
    for array in (fit.parameters.accuracy, fit.parameters.propensity, fit.parameters.balance):
        assert np.isfinite(array).all()
        assert ((array >= 0) & (array <= 1)).all()
    assert objective(expectation, assumptions, fit.parameters) >= fit.history[-1] - 1e-12


def test_one_m_step_by_hand():
    """Two labelers, four rows, known beliefs: accuracies are shares of right votes, with the prior's among them."""
    votes = Votes([[1, 1], [1, 2], [2, 0], [0, 1]], [["a", "b"], ["a", "b"]], ["a", "b"])
    expectation, assumptions, _ = problem(
        votes, accuracy_votes=2.0, accuracy_mean=0.5, balance="learn", balance_rows=0.0
    )
    beliefs = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 0.0]])
    counts = np.zeros((4, 2))
    for row, belief in zip(votes.codes, beliefs, strict=True):
        for i, code in enumerate(row):
            if code:
                counts[2 * i + code - 1] += belief
    found = assumptions.estimate(Counts(counts, beliefs.sum(axis=0), 0.0))
    # labeler 1 votes on rows 1-3: on class a 1.5 times, always right; on class b 1.5 times, right once
    assert found.accuracy[0] == pytest.approx([(1.5 + 1) / 3.5, (1 + 1) / 3.5])
    # labeler 2 votes on rows 1, 2, 4: on class a 2.5 times, right twice; on class b .5 times, always right
    assert found.accuracy[1] == pytest.approx([(2 + 1) / 4.5, (0.5 + 1) / 2.5])
    assert found.propensity == pytest.approx([0.75, 0.75])
    assert found.balance == pytest.approx([2.5 / 4, 1.5 / 4])
    assert expectation.total == 4


OVERLAPPING = [
    ["a", {"a", "b"}, "c"],
    [{"b", "c"}, {"a", "c"}, "b"],
    ["a", "b", "c"],
    [{"a", "b"}, {"b", "c"}, {"a", "c"}],
]


@pytest.fixture(scope="module")
def overlapping():
    rng = np.random.default_rng(3)
    truth = Parameters(rng.uniform(0.6, 0.9, (4, 3)), np.array([0.9, 0.6, 0.8, 0.5]), np.array([0.5, 0.3, 0.2]))
    return truth, simulate(truth, OVERLAPPING, 20_000, space=list("abc"), seed=4).votes


def test_the_optimum_is_a_maximum_of_equation_1_written_out(overlapping):
    """Overlapping shortlists: nudging any parameter lowers the likelihood computed by enumeration."""
    _, votes = overlapping
    model = LabelModel.paper(tol=1e-13, max_iter=5000).fit(votes)
    codes, counts = votes.pattern_counts()
    patterns = type(votes)(codes, votes.codomains, votes.space)

    def value(accuracy, balance):
        return counts @ np.log(joint(patterns, accuracy, model.propensity_, balance).sum(axis=1)) / counts.sum()

    best = value(model.accuracy_, model.class_balance_)
    assert best == pytest.approx(model.history_[-1], abs=1e-9)
    for i in range(4):
        for j in range(3):
            for step in (-0.02, 0.02):
                moved = model.accuracy_.copy()
                moved[i, j] += step
                assert value(moved, model.class_balance_) < best
    for j in range(3):
        moved = model.class_balance_.copy()
        moved[j] += 0.02
        assert value(model.accuracy_, moved / moved.sum()) < best


def test_the_gradient_of_the_objective_vanishes_at_the_optimum(overlapping):
    """Central differences of the likelihood by enumeration, in every accuracy."""
    _, votes = overlapping
    model = LabelModel.paper(tol=1e-14, max_iter=5000).fit(votes)
    codes, counts = votes.pattern_counts()
    patterns = type(votes)(codes, votes.codomains, votes.space)

    def value(accuracy):
        both = joint(patterns, accuracy, model.propensity_, model.class_balance_).sum(axis=1)
        return counts @ np.log(both) / counts.sum()

    start = np.full((4, 3), 0.7)

    def slope(accuracy, i, j, h=1e-5):
        up, down = accuracy.copy(), accuracy.copy()
        up[i, j] += h
        down[i, j] -= h
        return (value(up) - value(down)) / (2 * h)

    at_start = [abs(slope(start, i, j)) for i in range(4) for j in range(3)]
    at_end = [abs(slope(model.accuracy_, i, j)) for i in range(4) for j in range(3)]
    assert max(at_start) > 1e-2
    assert max(at_end) < 1e-5


def test_overlapping_shortlists_are_recovered(overlapping):
    truth, votes = overlapping
    model = LabelModel.paper().fit(votes)
    assert model.accuracy_ == pytest.approx(truth.accuracy, abs=0.05)
    assert model.class_balance_ == pytest.approx(truth.balance, abs=0.03)
    assert model.propensity_ == pytest.approx(truth.propensity, abs=0.02)


def test_acceleration_reaches_what_plain_em_reaches_and_sooner(overlapping):
    _, votes = overlapping
    expectation, assumptions, _ = problem(votes, split="equal", balance="learn", accuracy_votes=0.0, balance_rows=0.0)
    plain = maximise(expectation, assumptions, assumptions.start(), max_iter=20_000, tol=1e-12, memory=1)
    fast = maximise(expectation, assumptions, assumptions.start(), max_iter=20_000, tol=1e-12)
    assert plain.converged
    assert fast.converged
    assert fast.history[-1] >= plain.history[-1] - 1e-8
    assert fast.n_iter < plain.n_iter / 3
    assert fast.parameters.accuracy == pytest.approx(plain.parameters.accuracy, abs=1e-3)


def test_float32_first_arrives_at_the_same_place(overlapping):
    """Enough different rows for several blocks: the first iterations run in single precision."""
    rng = np.random.default_rng(1)
    truth = Parameters(rng.uniform(0.6, 0.9, (9, 4)), rng.uniform(0.5, 0.9, 9), np.full(4, 0.25))
    votes = simulate(truth, [["a", "b", {"c", "d"}, {"b", "d"}]] * 9, 40_000, space=list("abcd"), seed=2).votes
    expectation, assumptions, _ = problem(votes)
    assert expectation.large
    mixed = maximise(expectation, assumptions, assumptions.start(), max_iter=500, tol=1e-11)
    expectation.large = False
    double = maximise(expectation, assumptions, assumptions.start(), max_iter=500, tol=1e-11)
    assert np.diff(mixed.history).min() >= 0
    assert mixed.parameters.accuracy == pytest.approx(double.parameters.accuracy, abs=1e-5)
    assert mixed.history[-1] == pytest.approx(double.history[-1], abs=1e-9)


def test_a_step_that_was_taken_back_is_not_the_end():
    """After a loss the acceleration knows little and gains are small; with two of them it used to stop there."""
    says = [
        ["a", {"b", "c"}],
        ["a", "b", "c"],
        [{"a", "b"}, {"b", "c"}, {"a", "c"}],
        ["b", {"a", "c"}],
    ]
    accuracy = np.array([[0.9, 0.8, 0.8], [0.7, 0.7, 0.9], [0.8, 0.6, 0.7], [0.9, 0.9, 0.6]])
    truth = Parameters(accuracy, np.array([0.9, 0.6, 0.8, 0.5]), np.array([0.5, 0.3, 0.2]))
    votes = simulate(truth, says, 20_000, space=list("abc"), seed=0).votes
    usual = likelihood(balance="learn").fit(votes)
    patient = likelihood(balance="learn", tol=1e-13).fit(votes)
    assert len(usual.history_) < usual.n_iter_  # a step was taken back
    assert usual.accuracy_ == pytest.approx(patient.accuracy_, abs=0.003)


# -- solvers: one that shortlist does not know, and options --------------------------------------------


@dataclass(frozen=True)
class Plain(Solver):
    """So many plain EM steps, whatever they gain."""

    kind: ClassVar[str] = "plain"
    steps: int = 3000

    def maximise(self, problem, assumptions, start) -> Optimum:
        here, history = start, []
        for _ in range(self.steps):
            counts = problem.expectation(emission(here, problem.layout))
            history.append((counts.log_likelihood + assumptions.log_prior(here)) / problem.expectation.total)
            here = assumptions.estimate(counts)
        return Optimum(here, np.array(history), True, self.steps)


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
    assert LabelModel.load(tmp_path / "model.npz").estimator == mine.estimator


def test_the_memory_of_em_is_a_setting(votes):
    slow, fast = (LabelModel(estimator=Likelihood(solver=EM(memory=m)), tol=1e-11).fit(votes) for m in (1, 12))
    assert fast.n_iter_ < slow.n_iter_
    assert fast.history_[-1] == pytest.approx(slow.history_[-1], abs=1e-8)
    with pytest.raises(BadFit, match="memory"):
        EM(memory=0)


def test_of_fits_that_differ_by_rounding_the_first_is_kept():
    low, high, higher = (Optimum(None, np.array([value]), True, 1) for value in (-2.0, -1.0, -1.0 + 1e-12))
    assert highest([low, high, higher]) is high
    assert highest([high, low]) is high
