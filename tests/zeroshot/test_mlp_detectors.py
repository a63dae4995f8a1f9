"""The paper's detectors, trained as one batched model: each is what it would be alone."""

import sys

import numpy as np
import pytest

from shortlist.errors import MissingPackage
from shortlist.zeroshot import mlp_detectors as mlp
from shortlist.zeroshot.mlp_detectors import MLPTraining, train
from shortlist.zeroshot.selection import hold_out
from tests.zeroshot.animals import TABLE, parts

torch = pytest.importorskip("torch")


def test_trained_together_each_is_what_it_would_be_alone():
    """Jobs share nothing: without dropout, a detector trained in company has the weights of one trained alone."""
    X, y, _, _ = parts()
    seen = sorted(set(y))
    truth = np.array([seen.index(name) for name in y])
    holdout = hold_out(truth, TABLE.rows(seen), 3, np.random.default_rng(0))
    options = MLPTraining((8,), epochs=4, lr=1e-2, batch_size=32, dropout=0.0, seed=5, where="cpu")
    X = X.astype(np.float32)
    together = train(X, holdout, 8, options)
    for i in (0, 3):
        alone = train(X, holdout.only([i]), 8, options)
        chosen = together.take(np.flatnonzero(holdout.attribute == i))
        np.testing.assert_allclose(chosen.scores(X), alone.scores(X), atol=1e-4)


def test_batch_normalisation_is_folded_exactly():
    """What the training network says in evaluation is what its perceptrons say."""
    X, y, _, _ = parts()
    seen = sorted(set(y))
    holdout = hold_out(np.array([seen.index(name) for name in y]), TABLE.rows(seen), 1, np.random.default_rng(0))
    options = MLPTraining((8,), epochs=2, lr=1e-2, batch_size=32, dropout=0.5, seed=0, where="cpu")
    network = mlp._Network(torch, X.shape[1], 8, holdout, options, "cpu")
    features = torch.as_tensor(X, dtype=torch.float32)
    for _ in range(3):
        network(features.expand(holdout.jobs, *features.shape), training=True)  # moves the running statistics
    said = torch.sigmoid(network(features, training=False)).detach().numpy().T
    folded = mlp._Best(network, mlp._Rows(torch, features.numpy(), holdout, options, "cpu")).perceptrons()
    np.testing.assert_allclose(folded.scores(X.astype("f4")), said, atol=1e-5)


def test_asking_needs_no_torch_unless_a_device_of_torch_is_named(monkeypatch):
    options = MLPTraining((8,), epochs=1, lr=1e-2, batch_size=8, dropout=0.0, seed=0, where="auto")
    assert options.device() == ("cuda" if torch.cuda.is_available() else "cpu")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert options.device() == "cpu"
    with pytest.raises(MissingPackage):
        MLPTraining((8,), epochs=1, lr=1e-2, batch_size=8, dropout=0.0, seed=0, where="cuda").device()
