"""The design a linear model learns with: the same model in other coordinates, and fewer steps to its optimum."""

import numpy as np
import pytest
import scipy.sparse as sp

from shortlist.classifier.design import Design, centred
from shortlist.classifier.lbfgs import minimise
from shortlist.classifier.linear import ExpectedLoss


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.random((60, 7)) + 3.0  # features that are far from zero
    return X, rng.dirichlet(np.ones(3), 60), rng.dirichlet(np.ones(60))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_products_are_those_of_the_features_less_their_mean(rows, kind):
    X, beliefs, weights = rows
    mean = weights @ X
    design = centred(kind(X), weights, 0.1, 3, np.float64)
    np.testing.assert_allclose(design.back(beliefs), (X - mean).T @ beliefs)
    table = np.random.default_rng(1).normal(size=(8, 3))
    W, b = design.weights(table)
    np.testing.assert_allclose(X @ W + b, design.ahead(table[:-1]) + design.constant * table[-1])


def test_a_typical_feature_and_the_intercept_bend_the_loss_alike():
    """Two features ±1 have variance 1 each; with two classes the curvature is 1/4: 1/4 · constant² = 1/4 · 1 + 0.3."""
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert centred(X, np.full(4, 0.25), 0.3, 2, np.float64).constant ** 2 == pytest.approx(1 + 4 * 0.3)


def test_the_optimum_is_the_same_and_found_in_fewer_steps(rows):
    X, beliefs, weights = rows
    steps, found = [], []
    for design in (Design(X), centred(X, weights, 0.01, 3, np.float64)):
        loss = ExpectedLoss(design, beliefs, weights, 0.01)
        minimum = minimise(loss, tol=1e-9, max_iter=10_000)
        steps.append(minimum.n_iter)
        found.append(np.vstack(design.weights(loss.table(minimum.at))))
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert steps[1] < steps[0]
