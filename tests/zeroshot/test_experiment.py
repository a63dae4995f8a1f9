"""The experiment on digits, clothes and animals: its tables, its splits, its features, and one sample end to end."""

import numpy as np
import pytest

from experiments.zeroshot import data as sets
from experiments.zeroshot.comparison import estimates, harmonic_mean, run, sample, splits, table
from experiments.zeroshot.pictures import said
from experiments.zeroshot.tables import DIGITS, FASHION, ZOO


@pytest.mark.parametrize("attributes", [DIGITS, FASHION, ZOO])
def test_no_two_classes_look_alike(attributes):
    assert attributes.twins(attributes.classes) == []
    assert not attributes.has.all(axis=0).any()


def test_splits_are_five_different_threes_and_stay_what_they_are():
    found = splits(DIGITS.classes)
    assert len(set(found)) == 5
    assert len({name for some in found[:3] for name in some}) == 9  # dealt, not drawn
    assert found == splits(DIGITS.classes)
    assert found[0] == ("2", "4", "6")  # the documentation shows this one


def test_a_digits_shape_by_hand():
    ring = np.zeros((8, 8))
    ring[1:7, 2:6] = 16
    ring[2:6, 3:5] = 0
    found = sets.shape(ring)
    assert len(found) == 63
    assert found[:3] == [1, 4, 4]  # one loop, of eight cells, half of them above the middle
    assert found[3:6] == pytest.approx([1, 1, 1])  # symmetric every way
    assert sets.loops(np.zeros((8, 8))) == [0, 0, 0]


def test_samples_hold_no_unseen_row_among_the_seen():
    digits = sets.digits()
    train, test, new = sample(digits, ("2", "4", "6"), 0)
    assert set(digits.y[new]) == {"2", "4", "6"}
    assert not {"2", "4", "6"} & set(digits.y[np.concatenate([train, test])])
    assert not set(train) & set(test)
    assert (len(train), len(test), len(new)) == (560, 140, 300)


def test_a_package_that_is_not_the_one_is_refused():
    with pytest.raises(SystemExit, match="not the file"):
        sets.check(b"other", sets.ZOO_HASH, "zoo.tab")


@pytest.mark.slow
def test_one_sample_by_every_method():
    digits = sets.digits()
    found = run((digits, ("2", "4", "6"), 0))
    wanted = {"ours", "counting votes", "label model", "ConSE", "ESZSL", "SynC", "VCL", "QFSL", "WDVSc"}
    assert wanted <= set(found["scores"])
    assert all(0 <= scores[0] <= 1 for scores in found["scores"].values())
    assert "| ours |" in table([found])


def test_intervals_are_over_seeds():
    scores = {seed: {"ours": [0.5 + 0.1 * seed, 0.4, 0.8]} for seed in (0, 1)}
    runs = [{"set": "zoo", "seed": seed, "scores": scores[seed]} for seed in (0, 1) for _ in range(5)]
    strict, unseen, seen, harmonic = estimates(runs, "ours")
    assert strict.mean == pytest.approx(0.55)
    assert strict.margin == pytest.approx(12.706 * 0.1 / np.sqrt(2) / np.sqrt(2), rel=1e-3)
    assert (unseen.margin, seen.mean) == pytest.approx((0, 0.8))
    assert harmonic.mean == pytest.approx(harmonic_mean(0.4, 0.8)) == pytest.approx(0.64 / 1.2)


def test_a_vote_is_right_or_wrong_by_the_table():
    assert said(0, True)[0] == "–"
    assert said(1, True)[1] == said(2, False)[1] != said(2, True)[1]
