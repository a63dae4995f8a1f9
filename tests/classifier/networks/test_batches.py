"""Every row once an epoch, rows of like length together, the same batches for the same seed and epoch."""

import numpy as np
import pytest

from shortlist.classifier.networks.batches import WINDOW, FeatureBatches, TokenBatches

torch = pytest.importorskip("torch")


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
    assert np.concatenate(batches.in_order(1)).tolist() == [1, 0]
