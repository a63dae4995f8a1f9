"""intervals: exact second derivatives, coverage by simulation, and honesty where nothing is known."""

import sys
from functools import partial

import numpy as np
import pytest
from scipy.special import expit, logit, softmax

from shortlist import LabelModel, intervals, simulate
from shortlist.errors import BadFit, NotFitted
from shortlist.labelmodel import Estimate, Parameters
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.likelihood import emission, log_joint, log_marginal
from shortlist.uncertainty.intervals import ABSENT, Curvature, _sampled, inverse
from tests.labelmodel.reference import likelihood

module = sys.modules[Curvature.__module__]
pytestmark = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")

SPACE = ["a", "b", "c"]
SAYS = [["a", "b", "c"], [{"a", "b"}, "c"], ["a", {"b", "c"}], ["b", {"a", "c"}], ["a", "b", "c"],
        [{"a", "b"}, {"b", "c"}, {"a", "c"}]]  # fmt: skip
N, K = len(SAYS), len(SPACE)
_rng = np.random.default_rng(5)
TRUE = Parameters(_rng.uniform(0.65, 0.92, (N, K)), _rng.uniform(0.5, 0.95, N), np.array([0.45, 0.33, 0.22]))


# -- the second derivative -----------------------------------------------------------------------------


def penalised(fit, theta):
    """The penalised log-likelihood of Eq. 1 and 2 at any point, from the library's own formulae."""
    p = fit.parameters
    accuracy, propensity = p.accuracy.copy(), p.propensity.copy()
    accuracy[fit.accuracy_at != ABSENT] = expit(theta[fit.accuracy_at[fit.accuracy_at != ABSENT]])
    propensity[fit.propensity_at != ABSENT] = expit(theta[fit.propensity_at[fit.propensity_at != ABSENT]])
    balance = softmax([*theta[fit.balance_at[:-1]], 0.0]) if fit.assumptions.learn_balance else p.balance
    here = Parameters(accuracy, propensity, balance, p.split)
    joint = log_joint(fit.codes, emission(here, fit.layout), fit.layout)
    known = joint[np.arange(len(joint)), fit.gold]
    return fit.weights @ np.where(fit.gold >= 0, known, log_marginal(joint)) + fit.assumptions.log_prior(here)


def where(fit):
    p = fit.parameters
    theta = np.zeros(fit.size)
    theta[fit.accuracy_at[fit.accuracy_at != ABSENT]] = logit(p.accuracy[fit.accuracy_at != ABSENT])
    theta[fit.propensity_at[fit.propensity_at != ABSENT]] = logit(p.propensity[fit.propensity_at != ABSENT])
    if fit.assumptions.learn_balance:
        theta[fit.balance_at[:-1]] = np.log(p.balance[:-1] / p.balance[-1])
    return theta


@pytest.mark.parametrize("with_gold", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"accuracy": "labeler"},
        {"propensity": "class", "balance": "learn"},
        {"balance": "learn", "split": "equal"},
    ],
    ids=str,
)
def test_the_information_is_the_second_derivative(options, with_gold):
    votes, truth = simulate(TRUE, SAYS, 600, space=SPACE, seed=1)
    gold = dict(enumerate(truth[:40])) if with_gold else None
    model = likelihood(**options).fit(votes, gold)
    fit = Curvature(model)
    rng = np.random.default_rng(0)
    theta, h = where(fit), 1e-3
    observed = fit.information()
    for _ in range(6):
        free = rng.normal(size=fit.size)
        step = h * free
        bend = penalised(fit, theta + step) - 2 * penalised(fit, theta) + penalised(fit, theta - step)
        assert -bend / h**2 == pytest.approx(free @ observed @ free, rel=1e-4)


# -- coverage ------------------------------------------------------------------------------------------


def covered(true, options, m, times, **how):
    """(n, k): how often the intervals of a simulated fit hold the true accuracies."""
    hits = []
    for seed in range(times):
        votes, _ = simulate(true, SAYS, m, space=SPACE, seed=seed)
        found = intervals(likelihood(**options).fit(votes), **how)
        hits.append((found.lower <= true.accuracy) & (true.accuracy <= found.upper))
    return np.mean(hits, axis=0)


@pytest.mark.parametrize("m", [500, 2000])
def test_intervals_of_90_percent_hold_the_truth_85_to_95_percent_of_the_time(m):
    share = covered(TRUE, {"split": "equal", "balance": "learn"}, m, 200)
    assert 0.85 <= share.mean() <= 0.95
    assert share.min() > 0.75  # single parameters, 200 times each


def test_coverage_of_half_and_of_99_percent():
    """The level means something: these would not pass with the intervals of another level."""
    options = {"split": "equal", "balance": "learn"}
    assert 0.4 < covered(TRUE, options, 1000, 40, level=0.5).mean() < 0.6
    assert covered(TRUE, options, 1000, 40, level=0.99).mean() > 0.97


def test_coverage_with_a_propensity_for_every_class_that_the_prior_could_have_drawn():
    rng = np.random.default_rng(1)
    hits = []
    for seed in range(60):
        rate = rng.uniform(0.4, 0.9, N)
        true = Parameters(rng.beta(7, 3, (N, K)), rng.beta(30 * rate, 30 * (1 - rate), (K, N)).T, np.full(K, 1 / K))
        votes, _ = simulate(true, SAYS, 1500, space=SPACE, seed=seed)
        found = intervals(likelihood(propensity="class", split="equal").fit(votes))
        hits.append(np.mean((found.lower <= true.accuracy) & (true.accuracy <= found.upper)))
    assert 0.85 <= np.mean(hits) <= 0.95


# -- honesty -------------------------------------------------------------------------------------------


def test_what_nothing_is_known_about_is_wide_and_never_nan():
    """One labeler, no prior: its accuracies and the balance trade off, and any of them may be anything."""
    votes, _ = simulate(Parameters([[0.8, 0.8]], [0.9], [0.5, 0.5]), [["a", "b"]], 500, space=["a", "b"], seed=0)
    found = intervals(LabelModel.paper().fit(votes))
    assert np.isfinite([found.lower, found.upper]).all()
    assert (found.upper - found.lower > 0.95).all()


def test_a_flat_direction_is_wide_for_every_parameter_in_it():
    flat = np.ones(50) / np.sqrt(50)
    assert np.sqrt(np.diag(inverse(1e6 * (np.eye(50) - np.outer(flat, flat))))) == pytest.approx(5.0, rel=0.01)
    assert np.sqrt(np.diag(inverse(-np.eye(3)))).min() >= 5.0  # a saddle is no better than flat
    np.testing.assert_allclose(inverse(np.diag([4.0, 100.0])), np.diag([0.25, 0.01]))


def width(found):
    return found.upper - found.lower


def test_more_rows_are_narrower_by_the_square_root():
    votes, _ = simulate(TRUE, SAYS, 4000, space=SPACE, seed=2)
    plain = likelihood(accuracy_votes=0, balance_rows=0, split="equal")
    once, four_times = (intervals(plain.fit(votes, weights=np.full(4000, times))) for times in (1.0, 4.0))
    ratio = width(once) / width(four_times)
    assert ratio.min() > 1.8
    assert ratio.max() < 2.2


def test_known_classes_narrow_the_intervals():
    votes, truth = simulate(TRUE, SAYS, 800, space=SPACE, seed=2)
    blind, informed = (intervals(likelihood(balance="learn").fit(votes, gold)) for gold in (None, truth))
    assert width(informed).mean() < 0.9 * width(blind).mean()


def test_known_classes_give_the_binomial_answer():
    """With every class known and no prior, the error of log-odds is 1 / √(votes · α (1 − α)), by hand."""
    votes, truth = simulate(TRUE, SAYS, 900, space=SPACE, seed=4)
    model = likelihood(accuracy_votes=0).fit(votes, truth)
    found = intervals(model)
    for j, y in enumerate(SPACE):
        count = ((votes.codes[:, 0] > 0) & (truth == y)).sum()
        alpha = model.accuracy_[0, j]
        reach = 1.6448536 / np.sqrt(count * alpha * (1 - alpha))
        assert found.lower[0, j] == pytest.approx(expit(logit(alpha) - reach), abs=1e-6)
        assert found.upper[0, j] == pytest.approx(expit(logit(alpha) + reach), abs=1e-6)


def test_a_shared_accuracy_has_one_interval():
    votes = simulate(TRUE, SAYS, 300, space=SPACE, seed=8).votes
    found = intervals(likelihood(balance=[0.3, 0.3, 0.4], accuracy="labeler").fit(votes))
    np.testing.assert_array_equal(found.lower[0], found.lower[0, 0])


def test_estimates_are_inside_their_intervals():
    votes, _ = simulate(TRUE, SAYS, 300, space=SPACE, seed=8)
    settings = ({}, {"propensity": "class"}, {"balance": "learn"}, {"accuracy": "labeler"})
    for model in (LabelModel(), *(likelihood(**options) for options in settings)):
        found = intervals(model.fit(votes))
        assert found.lower.shape == model.accuracy_.shape
        assert (found.lower <= model.accuracy_ + 1e-12).all()
        assert (model.accuracy_ <= found.upper + 1e-12).all()


def test_a_sample_of_unique_rows_is_enough(monkeypatch):
    votes, _ = simulate(TRUE, SAYS, 4000, space=SPACE, seed=9)
    model = likelihood().fit(votes)
    everything = intervals(model)
    monkeypatch.setattr(module, "_sampled", partial(module._sampled, most=800))
    assert width(intervals(model)) == pytest.approx(width(everything), rel=0.25)


def test_standard_errors_are_how_far_estimates_scatter():
    """Fits to 60 draws scatter as far as the information of one of them says."""
    says = [["a", "b"], ["a", "b"], ["a", "b"], ["b", "a"]]
    true = Parameters(np.array([[0.9, 0.7], [0.8, 0.8], [0.6, 0.9], [0.7, 0.7]]), np.full(4, 0.8), np.full(2, 0.5))
    draws = (simulate(true, says, 1500, space=["a", "b"], seed=seed).votes for seed in range(60))
    fits = [likelihood().fit(votes) for votes in draws]
    scatter = np.std([fit.accuracy_.mean(axis=1) for fit in fits], axis=0)
    found = np.mean([Curvature(fit).errors(np.full((4, 2), 0.5)) for fit in fits], axis=0)
    assert found == pytest.approx(scatter, rel=0.3)


def test_a_sample_weighs_as_much_as_the_whole():
    evidence = Evidence.gather(simulate(TRUE, SAYS, 400, space=SPACE, seed=9).votes)
    part = _sampled(evidence, 30)
    assert part.weights.sum() == pytest.approx(evidence.total)
    assert len(part.weights) <= 30
    assert _sampled(evidence) is evidence


def test_bad_input():
    votes, _ = simulate(TRUE, SAYS, 100, space=SPACE, seed=9)
    model = LabelModel().fit(votes)
    with pytest.raises(NotFitted):
        intervals(LabelModel())
    with pytest.raises(BadFit, match="level"):
        intervals(model, level=90)


def test_a_model_whose_table_is_made_otherwise_is_not_differentiated():
    votes, _ = simulate(TRUE, SAYS, 100, space=SPACE, seed=9)
    model = LabelModel().fit(votes)
    found = model.estimate_
    model.estimate_ = Estimate(
        panel=found.panel, parameters=found.parameters, emission=found.emission, history=found.history,
        converged=True, n_iter=1,
    )  # fmt: skip
    with pytest.raises(BadFit, match="accuracy_interval"):
        intervals(model)
