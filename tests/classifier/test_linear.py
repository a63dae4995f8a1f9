"""The soft linear model: the gradient is right, and the optimum is the one other tools find."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from shortlist.classifier.linear import ExpectedLoss, SoftLogisticRegression, minimise
from shortlist.classifier.noise_aware import expand
from shortlist.errors import BadFit, NotConverged

EXACT = {"tol": 1e-9, "max_iter": 10_000}


def fitted(X, beliefs, weights=None, **options):
    weights = np.ones(len(beliefs)) if weights is None else weights
    return SoftLogisticRegression(**{**EXACT, **options}).fit_beliefs(X, beliefs, weights)


def sklearn_logits(X, labels, weights, rows, C=1.0):
    model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, labels, sample_weight=weights)
    return model.predict_log_proba(rows)


def test_a_loss_worked_by_hand():
    """One row, x = mean, c = (log 3, −log 3) / 2 / constant: P = (3/4, 1/4), belief (.5, .5)."""
    one = ExpectedLoss(np.ones((1, 1)), np.array([[0.5, 0.5]]), np.ones(1), 1.0)
    c = np.log(3) / 2 / one.constant
    value, gradient, largest = one(np.array([0.0, 0.0, c, -c]))
    assert value == pytest.approx(-0.5 * np.log(3 / 4) - 0.5 * np.log(1 / 4))
    assert gradient == pytest.approx([0, 0, one.constant / 4, -one.constant / 4])
    assert largest == pytest.approx(0.25)
    assert one.weights_of(np.array([1.0, -1.0, c, -c]))[1] == pytest.approx([np.log(3) / 2 - 1, 1 - np.log(3) / 2])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_the_gradient_is_that_of_the_loss(clouds, kind):
    X, beliefs, _ = clouds
    weights = np.random.default_rng(1).dirichlet(np.ones(len(X)))
    loss = ExpectedLoss(kind(X), beliefs, weights, 0.3)
    at, along = np.random.default_rng(2).normal(size=(2, 6, 3))
    at, along = (table - table.mean(axis=1, keepdims=True) for table in (at, along))  # classes sum to zero
    (numeric,) = approx_fprime(np.zeros(1), lambda t: loss((at + t * along).ravel())[0], 1e-7)
    assert loss(at.ravel())[1] @ along.ravel() == pytest.approx(numeric, abs=1e-5)


def test_a_typical_feature_and_the_intercept_curve_the_loss_alike():
    """Two features ±1 have variance 1 each; with two classes the curvature is 1/4: 1/4 · constant² = 1/4 · 1 + 0.3."""
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert ExpectedLoss(X, np.full((4, 2), 0.5), np.full(4, 0.25), 0.3).constant ** 2 == pytest.approx(1 + 4 * 0.3)


def test_features_far_from_zero_take_no_more_steps(clouds):
    X, beliefs, _ = clouds
    assert fitted(X + 100, beliefs).n_iter_ <= fitted(X, beliefs).n_iter_ + 2
    np.testing.assert_allclose(fitted(X + 100, beliefs).coef_, fitted(X, beliefs).coef_, atol=1e-6)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_one_hot_beliefs_are_ordinary_training(clouds, C):
    X, _, labels = clouds
    positions = np.unique(labels, return_inverse=True)[1]
    ours = fitted(X, np.eye(3)[positions], C=C).log_proba(X)
    np.testing.assert_allclose(ours, sklearn_logits(X, labels, None, X, C), atol=1e-6)


def test_a_row_split_by_hand_into_its_classes_gives_the_same_optimum(clouds):
    X, beliefs, _ = clouds
    rows, classes, weights = expand(beliefs, np.ones(len(X)))
    np.testing.assert_allclose(fitted(X, beliefs).log_proba(X), sklearn_logits(X[rows], classes, weights, X), atol=1e-6)


def test_a_row_twice_at_half_its_weight_changes_nothing(clouds):
    X, beliefs, _ = clouds
    twice = fitted(np.vstack([X, X[:50]]), np.vstack([beliefs, beliefs[:50]]), np.repeat([0.5, 1, 0.5], [50, 190, 50]))
    np.testing.assert_allclose(twice.coef_, fitted(X, beliefs).coef_, atol=1e-6)


def test_sparse_features_are_the_same_features(clouds):
    X, beliefs, _ = clouds
    np.testing.assert_allclose(fitted(sp.csr_array(X), beliefs).coef_, fitted(X, beliefs).coef_, atol=1e-8)


def test_a_solver_that_is_cut_short_says_so(clouds):
    X, beliefs, _ = clouds
    with pytest.warns(NotConverged, match="after 2 steps"):
        fitted(X, beliefs, max_iter=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(X, beliefs)


@pytest.mark.parametrize("C", [0, -1, float("nan")])
def test_a_penalty_makes_sense(clouds, C):
    with pytest.raises(BadFit, match="C is a positive number"):
        fitted(*clouds[:2], C=C)


def test_single_precision_is_used_for_many_sparse_numbers_only(clouds):
    """The optimum is the same to the tolerance of the solver."""
    X, beliefs, _ = clouds
    wide = sp.csr_array(np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 500))]))
    single, double = (fitted(wide, beliefs, tol=tol) for tol in (1e-6, 9e-7))
    assert 0 < np.abs(single.coef_ - double.coef_).max() < 1e-3


def bowl(at):
    """½ (x − c)ᵀ D (x − c), with curvatures D far apart."""
    curvature, centre = np.array([1.0, 10.0, 1000.0]), np.array([1.0, -2.0, 3.0])
    gradient = curvature * (at - centre)
    return float(0.5 * curvature @ (at - centre) ** 2), gradient, float(np.abs(gradient).max())


def test_the_bottom_of_a_bowl():
    minimum = minimise(bowl, np.zeros(3), tol=1e-9, max_iter=100)
    assert minimum.converged
    assert minimum.n_iter < 40
    assert minimum.at == pytest.approx([1, -2, 3], abs=1e-8)
    assert minimum.gradient <= 1e-9
    cut = minimise(bowl, np.zeros(3), tol=1e-9, max_iter=2)
    assert (cut.converged, cut.n_iter) == (False, 2)
    assert minimise(bowl, np.zeros(3), tol=0.0, max_iter=1000).n_iter < 1000  # precision comes to its end
