"""The soft linear model: the gradient is right, and the optimum is the one other tools find."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from shortlist.classifier.design import Design
from shortlist.classifier.expansion import expand
from shortlist.classifier.linear import ExpectedLoss, LossInRows, SoftLogisticRegression
from shortlist.errors import BadFit, NotConverged

EXACT = {"tol": 1e-9, "max_iter": 10_000}


def fitted(X, beliefs, weights=None, **options):
    weights = np.ones(len(beliefs)) if weights is None else weights
    return SoftLogisticRegression(**{**EXACT, **options}).fit_beliefs(X, beliefs, weights)


def sklearn_logits(X, labels, weights, rows, C=1.0):
    model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X, labels, sample_weight=weights)
    return model.predict_log_proba(rows)


def test_a_loss_worked_by_hand():
    """One row, x = 1, W = (log 3, 0): P = (3/4, 1/4), belief (.5, .5); the penalty adds (log 3)²/2."""
    theta = np.array([np.log(3), 0.0, 0.0, 0.0])
    one = ExpectedLoss(Design(np.ones((1, 1))), np.array([[0.5, 0.5]]), np.ones(1), 1.0)
    loss, (gradient, largest) = one.value(theta), one.gradient(theta)
    assert largest == pytest.approx(0.25 + np.log(3))
    assert loss == pytest.approx(-0.5 * np.log(3 / 4) - 0.5 * np.log(1 / 4) + np.log(3) ** 2 / 2)
    assert gradient == pytest.approx([0.25 + np.log(3), -0.25, 0.25, -0.25])


def test_the_gradient_is_that_of_the_loss(clouds):
    X, beliefs, _ = clouds
    weights = np.random.default_rng(1).dirichlet(np.ones(len(X)))
    theta = np.random.default_rng(2).normal(size=6 * 3)
    loss = ExpectedLoss(Design(X, X.mean(axis=0), 0.7), beliefs, weights, 0.3)
    numeric = approx_fprime(theta, loss.value, 1e-7)
    np.testing.assert_allclose(loss.gradient(theta)[0], numeric, atol=1e-5)


def test_at_the_optimum_the_gradient_vanishes(clouds):
    X, beliefs, _ = clouds
    model = fitted(X, beliefs)
    theta = np.vstack([model.coef_.T, model.intercept_]).ravel()
    weights = np.full(len(X), 1 / len(X))
    whole = ExpectedLoss(Design(X), beliefs, weights, 1 / len(X))
    loss, (gradient, _) = whole.value(theta), whole.gradient(theta)
    assert np.linalg.norm(gradient) < 1e-7
    assert loss == pytest.approx(model.loss_)


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


def test_more_features_than_rows_make_no_difference(clouds):
    """Vectors are kept by rows then; the optimum, its loss and its gradient are the same."""
    X, beliefs, _ = clouds
    wide = sp.csr_matrix(np.hstack([X[:20], np.random.default_rng(0).normal(size=(20, 40))]))
    weights = np.random.default_rng(1).dirichlet(np.ones(20))
    design = Design(wide, weights @ wide, 0.7)
    plain, by_rows = (kind(design, beliefs[:20], weights, 0.05) for kind in (ExpectedLoss, LossInRows))
    inside, last = np.random.default_rng(2).normal(size=(20, 3)), np.array([[0.1, -0.2, 0.3]])
    inside -= inside.mean(axis=1, keepdims=True)  # classes sum to zero, as on the way to the optimum
    at = np.concatenate([inside, design.ahead(design.back(inside)), last]).ravel()
    theta = np.concatenate([design.back(inside), last]).ravel()
    assert by_rows.value(at) == pytest.approx(plain.value(theta))
    (turned, largest), (gradient, expected) = by_rows.gradient(at), plain.gradient(theta)
    assert largest == pytest.approx(expected)
    np.testing.assert_allclose(by_rows.table(turned).ravel(), gradient, atol=1e-12)
    assert by_rows.dot(at, turned) == pytest.approx(theta @ gradient)
    sparse, dense = fitted(wide, beliefs[:20]), fitted(wide.toarray(), beliefs[:20])
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-6)
    np.testing.assert_allclose(sparse.intercept_, dense.intercept_, atol=1e-6)
