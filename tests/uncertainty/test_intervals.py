"""intervals: exact second derivatives, coverage by simulation, and honesty where nothing is known."""

import numpy as np
import pytest
from scipy.special import expit, logit, softmax

from shortlist import LabelModel, Votes, intervals, simulate
from shortlist.errors import BadFit, NotFitted
from shortlist.labelmodel import Estimate, Parameters
from shortlist.labelmodel.likelihood import emission, log_joint, log_marginal
from shortlist.uncertainty import information
from shortlist.uncertainty.information import ABSENT, Fitted, covariance, observed_information
from tests.labelmodel.reference import likelihood

pytestmark = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")

SPACE = ["a", "b", "c"]
SAYS = [["a", "b", "c"], [{"a", "b"}, "c"], ["a", {"b", "c"}], ["b", {"a", "c"}], ["a", "b", "c"],
        [{"a", "b"}, {"b", "c"}, {"a", "c"}]]  # fmt: skip
N, K = len(SAYS), len(SPACE)
_rng = np.random.default_rng(5)
TRUE = Parameters(_rng.uniform(0.65, 0.92, (N, K)), _rng.uniform(0.5, 0.95, N), np.array([0.45, 0.33, 0.22]))


# -- the second derivative -----------------------------------------------------------------------------


def penalised(fitted, theta):
    """The penalised log-likelihood of Eq. 1 and 2 at any point, from the library's own formulae."""
    c, p = fitted.coordinates, fitted.parameters
    accuracy, propensity = p.accuracy.copy(), p.propensity.copy()
    accuracy[c.accuracy != ABSENT] = expit(theta[c.accuracy[c.accuracy != ABSENT]])
    propensity[c.propensity != ABSENT] = expit(theta[c.propensity[c.propensity != ABSENT]])
    balance = softmax(theta[c.balance]) if c.learns_balance else p.balance
    here = Parameters(accuracy, propensity, balance, p.split)
    joint = log_joint(fitted.codes, emission(here, fitted.layout), fitted.layout)
    known = joint[np.arange(len(joint)), fitted.gold]
    return fitted.weights @ np.where(fitted.gold >= 0, known, log_marginal(joint)) + fitted.assumptions.log_prior(here)


def where(fitted):
    c, p = fitted.coordinates, fitted.parameters
    theta = np.zeros(c.size)
    theta[c.accuracy[c.accuracy != ABSENT]] = logit(p.accuracy[c.accuracy != ABSENT])
    theta[c.propensity[c.propensity != ABSENT]] = logit(p.propensity[c.propensity != ABSENT])
    if c.learns_balance:
        theta[c.balance] = np.log(p.balance)
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
    fitted = Fitted.of(model, model.evidence_)
    rng = np.random.default_rng(0)
    theta, h = where(fitted), 1e-3
    observed = observed_information(fitted)
    for _ in range(6):
        free = rng.normal(size=observed.shape[0])
        step = h * fitted.coordinates.basis @ free
        bend = penalised(fitted, theta + step) - 2 * penalised(fitted, theta) + penalised(fitted, theta - step)
        assert -bend / h**2 == pytest.approx(free @ observed @ free, rel=1e-4)


# -- coverage ------------------------------------------------------------------------------------------


def covered(true, options, m, times, **how):
    """How often the intervals of a simulated fit hold the truth: (accuracy, propensity, balance) by parameter."""
    hits = ([], [], [])
    for seed in range(times):
        votes, _ = simulate(true, SAYS, m, space=SPACE, seed=seed)
        found = intervals(likelihood(**options).fit(votes), votes, **how)
        for hit, interval, truth in zip(
            hits,
            (found.accuracy, found.propensity, found.class_balance),
            (true.accuracy, true.propensity, true.balance),
            strict=True,
        ):
            hit.append((interval.lower <= truth) & (truth <= interval.upper))
    return [np.mean(hit, axis=0) for hit in hits]


@pytest.mark.parametrize("m", [500, 2000])
def test_intervals_of_90_percent_hold_the_truth_85_to_95_percent_of_the_time(m):
    accuracy, propensity, balance = covered(TRUE, {"split": "equal", "balance": "learn"}, m, 200)
    for name, share in (("accuracy", accuracy), ("propensity", propensity), ("balance", balance)):
        print(f"{m} rows, {name}: {share.mean():.3f} on average, {share.min():.3f} at least")
        assert 0.85 <= share.mean() <= 0.95
    assert accuracy.min() > 0.75  # single parameters, 200 times each


def test_coverage_of_half_and_of_99_percent():
    """The level means something: these would not pass with the intervals of another level."""
    options = {"split": "equal", "balance": "learn"}
    half = np.concatenate([share.ravel() for share in covered(TRUE, options, 1000, 40, level=0.5)])
    assert 0.4 < half.mean() < 0.6
    most = np.concatenate([share.ravel() for share in covered(TRUE, options, 1000, 40, level=0.99)])
    assert most.mean() > 0.97


def test_coverage_with_a_propensity_for_every_class_that_the_prior_could_have_drawn():
    rng = np.random.default_rng(1)
    hits = []
    for seed in range(60):
        rate = rng.uniform(0.4, 0.9, N)
        true = Parameters(rng.beta(7, 3, (N, K)), rng.beta(30 * rate, 30 * (1 - rate), (K, N)).T, np.full(K, 1 / K))
        votes, _ = simulate(true, SAYS, 1500, space=SPACE, seed=seed)
        found = intervals(likelihood(propensity="class", split="equal").fit(votes))
        for interval, truth in ((found.accuracy, true.accuracy), (found.class_propensity, true.propensity)):
            hits.append(np.mean((interval.lower <= truth) & (truth <= interval.upper)))
    print(f"accuracy {np.mean(hits[::2]):.3f}, propensity {np.mean(hits[1::2]):.3f}")
    assert 0.85 <= np.mean(hits[::2]) <= 0.95
    assert 0.85 <= np.mean(hits[1::2]) <= 0.95


# -- honesty -------------------------------------------------------------------------------------------


def test_what_nothing_is_known_about_is_wide_and_never_nan():
    """One labeler, no prior: its accuracies and the balance trade off, and any of them may be anything."""
    votes, _ = simulate(Parameters([[0.8, 0.8]], [0.9], [0.5, 0.5]), [["a", "b"]], 500, space=["a", "b"], seed=0)
    found = intervals(LabelModel.paper().fit(votes))
    for interval in (found.accuracy, found.class_balance):
        assert np.isfinite(interval).all()
        assert (interval.width > 0.95).all()
    assert (found.propensity.width < 0.06).all()  # but how often it votes is known


def test_a_flat_direction_is_wide_for_every_parameter_in_it():
    flat = np.ones(50) / np.sqrt(50)
    assert np.sqrt(np.diag(covariance(1e6 * (np.eye(50) - np.outer(flat, flat))))) == pytest.approx(5.0, rel=0.01)
    assert np.sqrt(np.diag(covariance(-np.eye(3)))).min() >= 5.0  # a saddle is no better than flat
    np.testing.assert_allclose(covariance(np.diag([4.0, 100.0])), np.diag([0.25, 0.01]))


def test_more_rows_are_narrower_by_the_square_root():
    votes, _ = simulate(TRUE, SAYS, 4000, space=SPACE, seed=2)
    model = likelihood(accuracy_votes=0, balance_rows=0, split="equal").fit(votes)
    once, four_times = intervals(model, votes), intervals(model, votes, weights=np.full(4000, 4.0))
    ratio = once.accuracy.width / four_times.accuracy.width
    assert ratio.min() > 1.8
    assert ratio.max() < 2.2


def test_known_classes_narrow_the_intervals():
    votes, truth = simulate(TRUE, SAYS, 800, space=SPACE, seed=2)
    model = likelihood(balance="learn").fit(votes, truth)
    blind, told = intervals(model, votes), intervals(model, votes, gold=truth)
    assert (told.accuracy.width < blind.accuracy.width).all()
    assert (told.class_balance.width < blind.class_balance.width).all()
    np.testing.assert_allclose(told.accuracy, intervals(model).accuracy, rtol=1e-9)  # it remembers what it was told


def test_known_classes_give_the_binomial_answer():
    """With every class known and no prior, the error of log-odds is 1 / √(votes · α (1 − α)), by hand."""
    votes, truth = simulate(TRUE, SAYS, 900, space=SPACE, seed=4)
    model = likelihood(accuracy_votes=0).fit(votes, truth)
    found = intervals(model)
    for j, y in enumerate(SPACE):
        count = ((votes.codes[:, 0] > 0) & (truth == y)).sum()
        alpha = model.accuracy_[0, j]
        reach = 1.6448536 / np.sqrt(count * alpha * (1 - alpha))
        assert found.accuracy.lower[0, j] == pytest.approx(expit(logit(alpha) - reach), abs=1e-6)
        assert found.accuracy.upper[0, j] == pytest.approx(expit(logit(alpha) + reach), abs=1e-6)


def test_what_is_given_or_settled_has_no_width():
    votes = Votes([[1, 1, 1], [2, 2, 0], [1, 2, 1], [2, 2, 1]] * 20, [["a", "b"], ["a", "b"], ["a"]], ["a", "b"])
    found = intervals(likelihood(balance=[0.3, 0.7], accuracy="labeler").fit(votes))
    assert (found.class_balance.width == 0).all()
    assert found.class_balance.lower.tolist() == pytest.approx([0.3, 0.7])
    np.testing.assert_array_equal(
        found.accuracy.lower[:, 0], found.accuracy.lower[:, 1]
    )  # one accuracy for all classes


def test_estimates_are_inside_their_intervals():
    votes, _ = simulate(TRUE, SAYS, 300, space=SPACE, seed=8)
    settings = ({}, {"propensity": "class"}, {"balance": "learn"}, {"accuracy": "labeler"})
    for model in (LabelModel(), *(likelihood(**options) for options in settings)):
        model.fit(votes)
        found = intervals(model, votes)
        for interval, value in (
            (found.accuracy, model.accuracy_),
            (found.propensity, model.propensity_),
            (found.class_propensity, model.class_propensity_),
            (found.class_balance, model.class_balance_),
        ):
            assert interval.lower.shape == value.shape
            assert (interval.lower <= value + 1e-12).all()
            assert (value <= interval.upper + 1e-12).all()


def test_labelers_that_always_and_never_vote():
    votes = Votes([[1, 0, 1], [2, 0, 2]] * 30, [["a", "b"]] * 3, ["a", "b"])
    found = intervals(LabelModel().fit(votes)).propensity
    assert found.upper[0] == 1
    assert 0.95 < found.lower[0] < 1
    assert found.lower[1] == 0
    assert 0 < found.upper[1] < 0.05


def test_order_and_pattern_counts_do_not_matter():
    votes, _ = simulate(TRUE, SAYS, 400, space=SPACE, seed=9)
    model = LabelModel().fit(votes)
    remembered, given = intervals(model), intervals(model, votes[::-1])
    np.testing.assert_allclose(remembered.accuracy, given.accuracy, rtol=1e-9)
    shuffled = intervals(model, votes[:, [3, 1, 0, 2, 5, 4]])  # the labelers in another order
    np.testing.assert_allclose(remembered.accuracy, shuffled.accuracy, rtol=1e-9)


def test_blocks_add_up(monkeypatch):
    votes, _ = simulate(TRUE, SAYS, 400, space=SPACE, seed=9)
    model = likelihood().fit(votes)
    whole = intervals(model)
    monkeypatch.setattr(information.blocks, "__defaults__", (7,))
    np.testing.assert_allclose(intervals(model).accuracy, whole.accuracy, rtol=1e-9)


def test_bad_input():
    votes, _ = simulate(TRUE, SAYS, 100, space=SPACE, seed=9)
    model = LabelModel().fit(votes)
    with pytest.raises(NotFitted):
        intervals(LabelModel(), votes)
    with pytest.raises(BadFit, match="level"):
        intervals(model, level=90)
    with pytest.raises(BadFit, match="votes"):
        intervals(model, gold={0: "a"})


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
