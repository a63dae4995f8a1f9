"""Training of networks: batches, the head, its loss and the learning rates."""

from types import SimpleNamespace

import numpy as np
import pytest

from shortlist.classifier.finetuning import FineTuning, TokenBatches, load_encoder
from shortlist.classifier.linear import ExpectedLoss
from shortlist.classifier.training import FeatureBatches, make_head, soft_cross_entropy, train

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.heavy
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
    options = SimpleNamespace(encoder_=load_encoder(tiny_encoder), classes_=[0, 1], device="cpu", seed=0)
    tuning = FineTuning(options)
    tuning.network.eval()
    ids = torch.tensor([[2, 5, 6, 3, 0, 0]])
    short, long = ids[:, :4], ids
    np.testing.assert_allclose(
        tuning._embed(short, torch.ones_like(short)).detach(),
        tuning._embed(long, (long != 0).long()).detach(),
        atol=1e-6,
    )


def rates_of(**options):
    """The learning rate at each step of a training."""
    network, rates = make_head(torch, 2, 4, 2), []
    optimiser = torch.optim.SGD(network.parameters(), lr=1.0)
    optimiser.register_step_pre_hook(lambda *_: rates.append(optimiser.param_groups[0]["lr"]))
    X, beliefs = torch.zeros(8, 2), np.full((8, 2), 0.5)
    history = train(torch, network, optimiser, FeatureBatches(X, 4, 0), beliefs, np.ones(8), **options)
    return np.array(rates), history


def test_a_linear_schedule_rises_and_falls():
    rates, history = rates_of(steps=20, schedule="linear")
    assert rates[:3] == pytest.approx([0.5, 1, 1])
    assert rates[-1] == pytest.approx(1 / 18)
    assert (np.diff(rates[2:]) < 0).all()
    assert len(history) == 10  # of two batches each
    assert len(rates_of(steps=7, schedule="linear")[0]) == 7


def test_a_plateau_lowers_the_rate_three_times():
    """Beliefs of one half each, and features of nothing: there is nothing to learn."""
    rates, history = rates_of(steps=1000, schedule="plateau")
    assert np.unique(np.round(rates, 9)).tolist() == pytest.approx([0.01, 0.1, 1.0])
    assert len(history) < 60
