"""Training of networks: batches, the head and its loss."""

import numpy as np
import pytest

from shortlist.classifier.finetuning import TokenBatches, load_encoder, text_network_class
from shortlist.classifier.linear import ExpectedLoss
from shortlist.classifier.training import FeatureBatches, make_head, soft_cross_entropy

torch = pytest.importorskip("torch")
WINDOW = TokenBatches.window


def tokens(m=1000, size=8):
    rng = np.random.default_rng(0)
    ids = [np.arange(10, 10 + n, dtype=np.int32) for n in rng.integers(3, 40, m)]
    return TokenBatches(ids, size, 5, torch=torch, device="cpu", pad=0)


@pytest.mark.parametrize("batches", [FeatureBatches(np.zeros((103, 2)), 10, 5), tokens(), tokens(9)])
def test_an_epoch_reads_every_row_once(batches):
    epoch = batches.epoch(3)
    assert len(epoch) == len(batches)
    rows = np.concatenate(epoch)
    assert sorted(rows.tolist()) == list(range(len(rows)))
    assert max(map(len, epoch)) <= batches.size
    assert min(map(len, epoch)) >= 2  # batch normalisation cannot do with one


def test_epochs_differ_and_can_be_had_again():
    batches = tokens()
    assert np.concatenate(batches.epoch(0)).tolist() == np.concatenate(batches.epoch(0)).tolist()
    assert np.concatenate(batches.epoch(0)).tolist() != np.concatenate(batches.epoch(1)).tolist()


def test_bucketing_saves_most_of_the_padding():
    def padding(batches, cut):
        return sum(batches.lengths[rows].max() * len(rows) - batches.lengths[rows].sum() for rows in cut)

    batches = tokens(8 * WINDOW)
    shuffled = np.array_split(np.random.default_rng(1).permutation(8 * WINDOW), WINDOW)
    assert padding(batches, batches.epoch(0)) < 0.1 * padding(batches, shuffled)


def test_padding_and_mask():
    batches = TokenBatches(
        [np.array([5, 6, 7], np.int32), np.array([8], np.int32)], 2, 0, torch=torch, device="cpu", pad=0
    )
    ids, mask = batches.inputs(np.array([1, 0]))
    assert ids.tolist() == [[8, 0, 0], [5, 6, 7]]
    assert mask.tolist() == [[1, 0, 0], [1, 1, 1]]
    assert np.concatenate(batches.in_order()).tolist() == [1, 0]


def test_the_paper_s_head():
    head = make_head(torch, 10, 256, 6)
    kinds = [type(layer).__name__ for layer in head]
    assert kinds == ["Linear", "BatchNorm1d", "LeakyReLU", "Dropout"] * 2 + ["Linear"]
    assert [layer.out_features for layer in head if hasattr(layer, "out_features")] == [256, 256, 6]
    assert head[3].p == 0.5


def test_the_loss_is_that_of_the_linear_model(clouds):
    """The linear model's W is zero here, and its classes sum to zero: only the intercept matters."""
    X, beliefs, _ = clouds
    weights = np.random.default_rng(0).dirichlet(np.ones(len(X)))
    linear = ExpectedLoss(X, beliefs, weights, 0.0)
    at = linear.start().reshape(-1, 3)
    at[-1] = [0.5, -0.2, -0.3]
    logits = torch.as_tensor(np.tile(linear.constant * at[-1], (len(X), 1)))
    ours = soft_cross_entropy(logits, torch.as_tensor(beliefs), torch.as_tensor(weights))
    assert ours.item() == pytest.approx(linear(at.ravel())[0], rel=1e-5)


def test_pooling_does_not_see_the_padding(tiny_encoder):
    encoder = load_encoder(tiny_encoder)
    for pooling in ("mean", "cls"):
        reader = text_network_class()(encoder.network, make_head(torch, 16, 4, 2), pooling).eval()
        ids = torch.tensor([[2, 5, 6, 3, 0, 0]])
        short, long = ids[:, :4], ids
        np.testing.assert_allclose(
            reader.embed(short, torch.ones_like(short)).detach(),
            reader.embed(long, (long != 0).long()).detach(),
            atol=1e-6,
        )
