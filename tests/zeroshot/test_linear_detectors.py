"""Linear detectors: what decorrelated and sparse ones read."""

from dataclasses import replace

import numpy as np

from shortlist.zeroshot.linear_detectors import decorrelated, sparse
from shortlist.zeroshot.selection import hold_out


def test_decorrelated_detectors_find_the_share_of_each_attribute():
    """Stripes go with hooves in all classes but one; each detector still looks along its own feature."""
    has = np.array([[1, 1], [1, 1], [0, 0], [0, 0], [1, 0]], bool)
    truth = np.repeat(np.arange(5), 4)
    X = (has[truth] @ np.array([[1.0, 0.0], [0.0, 1.0]])).astype("f4")  # feature 0 shows stripes, feature 1 hooves
    holdout = hold_out(truth, has, 1, np.random.default_rng(0))
    holdout = replace(holdout, held=np.zeros_like(holdout.held), fold=np.zeros(2, int), attribute=np.arange(2))
    weights = decorrelated(X, holdout, 1e-9).layers[0][0][:, :, 0]  # (attributes, features)
    np.testing.assert_allclose(weights / np.abs(weights).max(axis=1, keepdims=True), np.eye(2), atol=1e-3)
    scores = decorrelated(X, holdout, 1e-9).scores(X)
    assert ((scores > 0.5) == has[truth]).all()


def test_sparse_detectors_read_what_holds_for_every_class():
    """Feature 0 is the attribute, under noise; feature 1 is larger where one of its classes is, and says no more."""
    rng = np.random.default_rng(0)
    has = np.array([[1], [1], [0], [0]], bool)
    truth = np.repeat(np.arange(4), 20)
    X = np.column_stack([has[truth, 0] + 0.2 * rng.normal(size=80), 3.0 * (truth == 0), rng.normal(size=80)])
    holdout = hold_out(truth, has, 2, np.random.default_rng(0)).only([0])
    weights = sparse(X.astype("f4"), holdout, 1).layers[0][0][holdout.final, :, 0]
    assert (weights[:, 0] > 0).all()
    assert not weights[:, 1:].any()
