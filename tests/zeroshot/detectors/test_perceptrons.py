"""Detectors that are asked together: plain arrays, the same figures as torch's own layers."""

import numpy as np
import pytest

from shortlist.zeroshot.detectors.perceptrons import Perceptrons

torch = pytest.importorskip("torch")


def test_perceptrons_compute_what_torchs_own_layers_do():
    rng = np.random.default_rng(8)
    shapes = [(5, 7), (7, 7), (7, 1)]
    layers = tuple((rng.normal(size=(2, *s)).astype("f4"), rng.normal(size=(2, 1, s[1])).astype("f4")) for s in shapes)
    X = rng.normal(size=(9, 5)).astype("f4")
    for g in range(2):
        values = torch.as_tensor(X)
        for number, (weights, biases) in enumerate(layers):
            values = torch.nn.functional.linear(values, torch.as_tensor(weights[g]).T, torch.as_tensor(biases[g, 0]))
            values = torch.nn.functional.leaky_relu(values, 0.01) if number < 2 else values
        expected = torch.sigmoid(values[:, 0]).numpy()
        np.testing.assert_allclose(Perceptrons(layers).scores(X)[:, g], expected, rtol=1e-4, atol=1e-6)


def test_linear_ones_by_hand():
    """Weights (2, −1) and bias 1; weights (0, 0) and bias 0 say a half of everything."""
    both = Perceptrons.linear(np.array([[2.0, -1.0, 1.0], [0.0, 0.0, 0.0]]))
    X = np.array([[1.0, 3.0], [0.0, 1.0]], np.float32)
    np.testing.assert_allclose(both.scores(X), [[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(both.scores(X + 1)[0, 0], 1 / (1 + np.exp(-1)))
    assert len(both) == 2
    np.testing.assert_array_equal(both.take(np.array([1])).scores(X), both.scores(X)[:, 1:])


def test_a_torch_device_gives_the_same_scores():
    rng = np.random.default_rng(0)
    some = Perceptrons.linear(rng.normal(size=(3, 5)))
    X = rng.normal(size=(7, 4)).astype("f4")
    np.testing.assert_allclose(some.scores(X, "cpu:0"), some.scores(X), atol=1e-6)
