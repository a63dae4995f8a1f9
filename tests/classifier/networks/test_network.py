"""The head has the paper's layers, and the loss is the expected log loss."""

import numpy as np
import pytest

from shortlist.classifier.design import Design
from shortlist.classifier.linear import ExpectedLoss
from shortlist.classifier.networks.network import (
    make_head,
    set_likelihood,
    soft_cross_entropy,
    text_network_class,
)

torch = pytest.importorskip("torch")


def test_the_paper_s_head():
    head = make_head(torch, 10, 256, 6, 0.5)
    kinds = [type(layer).__name__ for layer in head]
    assert kinds == ["Linear", "BatchNorm1d", "LeakyReLU", "Dropout"] * 2 + ["Linear"]
    assert [layer.out_features for layer in head if hasattr(layer, "out_features")] == [256, 256, 6]
    assert head[3].p == 0.5


def test_the_loss_is_that_of_the_linear_model(clouds):
    X, beliefs, _ = clouds
    weights = np.random.default_rng(0).random(len(X))
    theta = np.random.default_rng(1).normal(size=(6, 3))
    logits = torch.as_tensor(X @ theta[:-1] + theta[-1])
    ours = soft_cross_entropy(logits, torch.as_tensor(beliefs), torch.as_tensor(weights))
    assert ours.item() == pytest.approx(ExpectedLoss(Design(X), beliefs, weights, 0.0).value(theta.ravel()), rel=1e-5)


def test_a_set_likelihood_worked_by_hand():
    """P(text) = (3/4, 1/4), beliefs (.5, .5) and (1, 0): −2 log(1/2) − log(3/4) with weights 2 and 1."""
    logits = torch.tensor([[np.log(3.0), 0.0]] * 2)
    loss = set_likelihood(logits, torch.tensor([[0.5, 0.5], [1.0, 0.0]]), torch.tensor([2.0, 1.0]))
    assert loss.item() == pytest.approx(2 * np.log(2) - np.log(3 / 4))


def test_pooling_does_not_see_the_padding(tiny_encoder):
    from shortlist.classifier.networks.encoder import load_encoder

    encoder = load_encoder(tiny_encoder)
    for pooling in ("mean", "cls"):
        reader = text_network_class()(encoder.network, make_head(torch, 16, 4, 2, 0.0), pooling).eval()
        ids = torch.tensor([[2, 5, 6, 3, 0, 0]])
        short, long = ids[:, :4], ids
        np.testing.assert_allclose(
            reader.embed(short, torch.ones_like(short)).detach(),
            reader.embed(long, (long != 0).long()).detach(),
            atol=1e-6,
        )
