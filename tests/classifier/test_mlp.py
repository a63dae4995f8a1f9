"""The paper's head on features: it learns, lowers its rate on a plateau, and comes back from files."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from shortlist.classifier import MLPClassifier
from shortlist.errors import BadFile, BadFit

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.heavy
SMALL = {"hidden": 32, "epochs": 12, "lr": 0.01, "batch_size": 32, "device": "cpu"}
NOT_MET = {
    "check_sample_weight_equivalence_on_dense_data": "a row twice is read in other batches than a row of weight two",
}


@parametrize_with_checks([MLPClassifier(**SMALL)], expected_failed_checks=lambda _: NOT_MET)
@pytest.mark.slow
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_it_learns_from_beliefs(clouds):
    X, beliefs, labels = clouds
    model = MLPClassifier(**SMALL).fit(X, beliefs, classes=["cat", "dog", "owl"])
    assert model.score(X, labels) > 0.75  # a linear model gets .8
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.history_[-1] < model.history_[0]


def test_one_hot_beliefs_are_labels(clouds):
    X, _, labels = clouds
    positions = np.unique(labels, return_inverse=True)[1]
    by_label = MLPClassifier(**SMALL).fit(X, labels).predict_proba(X)
    np.testing.assert_array_equal(MLPClassifier(**SMALL).fit(X, np.eye(3)[positions]).predict_proba(X), by_label)


def test_the_seed_decides_and_nothing_else(clouds):
    X, beliefs, _ = clouds
    torch.manual_seed(7)
    before = torch.get_rng_state()
    first = MLPClassifier(**SMALL).fit(X, beliefs).predict_proba(X)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(8)
    np.testing.assert_array_equal(MLPClassifier(**SMALL).fit(X, beliefs).predict_proba(X), first)
    assert np.abs(MLPClassifier(**SMALL, seed=1).fit(X, beliefs).predict_proba(X) - first).max() > 1e-3


def test_a_plateau_lowers_the_rate_and_ends_the_training(clouds):
    X, beliefs, _ = clouds
    flat = MLPClassifier(**{**SMALL, "epochs": 200, "lr": 1e-12}).fit(X, beliefs)
    assert len(flat.history_) < 30


def test_it_comes_back_from_its_file(clouds, tmp_path):
    X, beliefs, labels = clouds
    model = MLPClassifier(**SMALL).fit(X, beliefs, classes=["cat", "dog", "owl"]).calibrate(X, labels)
    model.save(tmp_path / "mlp.safetensors")
    back = MLPClassifier.load(tmp_path / "mlp.safetensors")
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    assert back.predict(X).tolist() == model.predict(X).tolist()
    whole = (tmp_path / "mlp.safetensors").read_bytes()
    for length in (0, 10, len(whole) // 2):
        (tmp_path / "mlp.safetensors").write_bytes(whole[:length])
        with pytest.raises(BadFile, match="truncated"):
            MLPClassifier.load(tmp_path / "mlp.safetensors")
    with pytest.raises(BadFile, match="does not exist"):
        MLPClassifier.load(tmp_path / "nothing")


def test_one_row_is_too_few():
    with pytest.raises(BadFit, match="at least two"):
        MLPClassifier(**SMALL).fit([[1.0, 2.0], [0.0, 1.0]], [[0.9, 0.1], [0.5, 0.5]])
