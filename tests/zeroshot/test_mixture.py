"""SeededMixture: clusters that take their names from beliefs."""

import numpy as np
import pytest

from shortlist import NoiseAwareClassifier
from shortlist.errors import NotFitted
from shortlist.zeroshot import SeededMixture
from shortlist.zeroshot.mixture import gaussians


def clouds(seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 5)) + 4 * np.eye(3, 5)[truth]
    return X, truth


def test_the_mixture_needs_only_a_hint():
    """Beliefs that are right on 6 rows in 10 are enough to name well separated clusters."""
    X, truth = clouds()
    rng = np.random.default_rng(1)
    said = np.where(rng.random(180) < 0.6, truth, rng.integers(0, 3, 180))
    beliefs = 0.7 * np.eye(3)[said] + 0.1
    assert (SeededMixture().fit(X, beliefs).predict(X) == truth).mean() > 0.97
    assert (NoiseAwareClassifier().fit(X, beliefs, classes=range(beliefs.shape[1])).predict(X) == truth).mean() < 1


def test_labels_are_kept_and_zero_rules_out():
    X, truth = clouds()
    names = np.array(["a", "b", "c"])
    swapped = np.eye(3)[(truth + 1) % 3]  # labels are kept, whatever the rows look like
    assert SeededMixture().fit(X, swapped, classes=names).score(X, names[(truth + 1) % 3]) > 0.95
    beliefs = np.where(truth[:, None] == 0, [0.5, 0.25, 0.25], [0.0, 0.5, 0.5])
    beliefs[truth == 1] = [0.0, 0.6, 0.4]
    assert SeededMixture().fit(X, beliefs, classes=names).score(X, names[truth]) > 0.95


def test_the_m_step_by_hand():
    Z = np.array([[0.0], [2.0], [10.0]])
    means, precision = gaussians(Z, np.array([[1.0, 0], [1.0, 0], [0, 1.0]]), 0.0)
    assert means.ravel().tolist() == [1.0, 10.0]
    assert precision[0, 0] == pytest.approx(1 / (2 / 3), rel=1e-4)  # squares 1 + 1 + 0 over three rows


def test_row_order_does_not_matter():
    X, truth = clouds()
    beliefs = 0.6 * np.eye(3)[truth] + 0.4 / 3
    order = np.random.default_rng(0).permutation(len(X))
    one, other = SeededMixture().fit(X, beliefs), SeededMixture().fit(X[order], beliefs[order])
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_it_is_fitted_first():
    X, _ = clouds()
    with pytest.raises(NotFitted):
        SeededMixture().predict(X)


def test_it_can_be_calibrated_as_every_classifier_can():
    X, truth = clouds()
    model = SeededMixture().fit(X, 0.6 * np.eye(3)[truth] + 0.4 / 3)
    before = model.predict(X).tolist()
    assert model.calibrate(X[::5], (truth[::5] + (np.arange(36) % 4 == 0)) % 3).temperature_ > 1
    assert model.predict(X).tolist() == before
