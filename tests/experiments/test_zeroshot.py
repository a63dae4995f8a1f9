"""The experiment on digits, clothes and animals: its tables, its splits, its features, and one sample end to end."""

import numpy as np
import pytest

from experiments.zeroshot import data as sets
from experiments.zeroshot.comparison import (
    development,
    estimates,
    harmonic_mean,
    run,
    sample,
    splits,
    table,
    untouched,
)
from experiments.zeroshot.pictures import said
from experiments.zeroshot.tables import DIGITS, FASHION, ZOO
from shortlist.zeroshot import AttributeDetectors, ZeroShotClassifier, zero_shot_scores


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


@pytest.mark.filterwarnings("ignore::shortlist.errors.ShortlistWarning")
def test_digits_that_are_believed_wrong_are_named_right():
    """Half of the rows are believed wrong, and their clusters are named right."""
    digits, unseen = sets.digits(), ("2", "4", "6")
    train, _, new = sample(digits, unseen, 0)
    model = ZeroShotClassifier(digits.table, detectors=AttributeDetectors(digits.table))
    model.fit(digits.X[train], digits.y[train], unlabelled=digits.X[new], unseen=unseen)
    believed = np.array(model.unseen_)[model.beliefs_.argmax(axis=1)]
    assert zero_shot_scores(digits.y[new], believed, unseen).unseen < 0.75
    assert model.scores(digits.X[new], digits.y[new]).unseen > 0.95


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


@pytest.mark.parametrize("attributes", [DIGITS, FASHION, ZOO])
def test_what_was_developed_on_is_not_reported(attributes):
    classes = attributes.classes
    reported, developed, fresh = set(splits(classes)), set(development(classes)), set(untouched(classes))
    assert set(splits(classes, 1001)) - reported <= developed
    assert not reported & developed
    assert not fresh & (reported | developed)
    assert len(fresh) == (25 if len(classes) == 10 else 7)  # of 35 threes of animals 23 and 5 are spent


def test_with_one_seed_intervals_are_over_splits():
    scores = {"a": [0.0, 1.0, 1.0], "b": [1.0, 1.0, 1.0]}
    runs = [{"set": "zoo", "seed": 0, "unseen": [name], "scores": {"ours": scores[name]}} for name in scores]
    strict, *_ = estimates(runs, "ours")
    assert strict.mean == pytest.approx(0.5)
    assert strict.margin == pytest.approx(12.706 * 0.5, rel=1e-3)  # t of one degree times the standard error
