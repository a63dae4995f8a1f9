"""RowEvidence: leave-one-out ridge regression, against fits that really leave a row out."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from shortlist.joint import row_evidence
from shortlist.joint.row_evidence import RowEvidence


@pytest.fixture
def data():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(40, 6))
    beliefs = draw.dirichlet([1, 1, 1], 40)
    return X, beliefs, draw.uniform(0.5, 2, 40)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_each_row_is_predicted_by_all_others(data, kind):
    X, beliefs, weights = data
    evidence = RowEvidence(kind(X))
    features = np.asarray(evidence.X.todense() if sp.issparse(evidence.X) else evidence.X, float)
    mean = weights @ beliefs / weights.sum()
    predicted = evidence.predict(beliefs, weights)
    for a in (0, 7, 39):
        rest = np.arange(40) != a
        ridge = Ridge(row_evidence.PENALTY, fit_intercept=False)
        ridge.fit(features[rest], beliefs[rest] - mean, sample_weight=weights[rest])
        assert predicted[a] == pytest.approx(mean + ridge.predict(features[[a]])[0], abs=1e-4)


def test_a_rows_own_belief_changes_its_prediction_only_by_the_common_mean(data):
    X, beliefs, weights = data
    changed = beliefs.copy()
    changed[7] = [1, 0, 0]
    before, after = (RowEvidence(X).predict(each, weights) for each in (beliefs, changed))
    shift = weights[7] * (changed[7] - beliefs[7]) / weights.sum()
    assert np.abs(after[7] - before[7]).max() <= np.abs(shift).max() * 1.5
    assert np.abs(after - before).max() > np.abs(shift).max()  # others did learn from it


def test_chunks_are_averaged_and_every_row_is_predicted(data, monkeypatch):
    monkeypatch.setattr(row_evidence, "CHUNK", 15)
    X, beliefs, weights = data
    evidence = RowEvidence(X)
    assert [len(chunk) for chunk in evidence.chunks] == [14, 13, 13]
    predicted = evidence.predict(beliefs, weights)
    assert predicted.shape == beliefs.shape
    assert np.allclose(predicted.sum(axis=1), 1, atol=1e-4)


def test_more_rows_than_are_learned_from(data, monkeypatch):
    monkeypatch.setattr(row_evidence, "CHUNK", 5)
    X, beliefs, weights = data
    evidence = RowEvidence(X)
    assert sum(map(len, evidence.chunks)) == 5 * row_evidence.MOST_CHUNKS == 25
    assert np.isfinite(evidence.predict(beliefs, weights)).all()


def test_features_without_any_spread_say_nothing(data):
    _, beliefs, weights = data
    predicted = RowEvidence(np.ones((40, 3))).predict(beliefs, weights)
    assert predicted.std(axis=0).max() < 0.05
