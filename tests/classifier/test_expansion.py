"""Every belief becomes a weighted copy of its row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from shortlist.classifier.expansion import all_classes, expand, fit_expanded, weight_argument
from shortlist.errors import BadFit


def test_an_expansion_worked_by_hand():
    rows, classes, weights = expand(np.array([[0.7, 0.3], [0.0, 1.0]]), np.array([1.0, 2.0]))
    assert rows.tolist() == [0, 0, 1]
    assert classes.tolist() == [0, 1, 1]
    assert weights == pytest.approx([0.7, 0.3, 2.0])


@given(st.integers(0, 10_000))
def test_every_row_keeps_its_weight(seed):
    rng = np.random.default_rng(seed)
    beliefs = rng.dirichlet(np.full(4, 0.02), 20)  # nearly one-hot: much is negligible
    weights = rng.random(20)
    rows, _, shares = expand(beliefs, weights)
    np.testing.assert_allclose(np.bincount(rows, shares, 20), weights)


def test_what_is_pruned_does_not_matter(clouds):
    """Beliefs with 1e-6 hidden in them train the same model as the pruned ones, to far below any use of it."""
    X, beliefs, _ = clouds
    sharp = 0.9999985 * np.eye(3)[beliefs.argmax(axis=1)] + 0.0000005
    exact = LogisticRegression(tol=1e-10, max_iter=5000)
    pruned = fit_expanded(exact, X, sharp, np.ones(len(X))).predict_proba(X)
    rows, classes = np.nonzero(np.ones_like(sharp))
    whole = exact.fit(X[rows], classes, sample_weight=sharp[rows, classes]).predict_proba(X)
    assert len(expand(sharp, np.ones(len(X)))[0]) == len(X) < len(rows)
    assert np.abs(pruned - whole).max() < 1e-5


def test_the_weights_of_a_pipeline_go_to_its_last_step():
    nested = make_pipeline(make_pipeline(CountVectorizer()), make_pipeline(LogisticRegression()))
    assert weight_argument(nested) == "pipeline-2__logisticregression__sample_weight"


def test_an_estimator_without_weights_is_refused():
    with pytest.raises(BadFit, match="KNeighborsClassifier takes no sample_weight"):
        weight_argument(KNeighborsClassifier())


def test_classes_never_seen_have_no_chance():
    assert np.exp(all_classes(np.log([[0.4, 0.6]]), np.array([0, 2]), 3)).tolist() == [[0.4, 0.0, 0.6]]
