"""Rates and label sets: answers by hand, coverage in simulation, and never wider than gold alone."""

import numpy as np
import pytest

from shortlist import label_sets
from shortlist.errors import BadFit, BadRows
from shortlist.uncertainty import accuracy, class_shares, gold_needed, rate
from shortlist.uncertainty.gold_sample import frequent_classes, threshold


def calibrated(m, k, seed, sharp=3.0):
    """Beliefs, and truth that is drawn from them."""
    rng = np.random.default_rng(seed)
    beliefs = rng.dirichlet(np.full(k, 1 / sharp), m)
    return beliefs, (beliefs.cumsum(axis=1) > rng.random((m, 1))).argmax(axis=1)


def drawn(truth, n, rng):
    return {int(a): int(truth[a]) for a in rng.choice(len(truth), n, replace=False)}


# -- rates ----------------------------------------------------------------------------------------------


def test_predictions_that_are_right_leave_no_doubt_about_their_mean():
    """f = y on all rows: λ = 1, and the estimate is the mean of f over all rows, not that of the gold rows."""
    f = np.array([1.0, 0.0] * 50)
    found = rate(f[:40], f, np.arange(40))
    assert found.share == pytest.approx(0.5)
    skewed = np.r_[np.arange(0, 40, 2), np.arange(1, 11, 2)]  # 20 ones and 5 zeros
    assert rate(f[skewed], f, skewed).share == pytest.approx(0.5)
    assert found.worth > 300


def test_useless_predictions_change_nothing():
    y = np.array([1, 0, 1, 1, 0, 1, 1, 1, 0, 1] * 3)
    found = rate(y, np.full(1_000, 0.5), np.arange(30))
    assert (found.lower, found.upper) == found.gold_alone
    assert found.share == pytest.approx(0.7)


def test_wilsons_interval_by_hand():
    """10 of 20 right among many rows: (.5 + z²/40) / (1 + z²/20) ± …: .299 to .701."""
    found = rate([1, 0] * 10, np.full(10**6, 0.3), np.arange(20))
    assert found.gold_alone == (pytest.approx(0.299, abs=1e-3), pytest.approx(0.701, abs=1e-3))


def test_all_rows_gold_leaves_no_doubt():
    beliefs, truth = calibrated(60, 3, 0)
    for j, found in class_shares(beliefs, truth).items():
        assert found.upper - found.lower < 1e-9
        assert found.share == pytest.approx((truth == j).mean())


def test_intervals_hold_the_truth_and_are_never_wider_than_gold_alone():
    """95 % intervals of three shares and of the accuracy: at least 93 % of 1,600, which are 2.8 standard errors."""
    beliefs, truth = calibrated(2_000, 3, 1)
    labels, rng = beliefs.argmax(axis=1), np.random.default_rng(2)
    true = [*np.bincount(truth) / 2_000, (labels == truth).mean()]
    held, shorter = [], []
    for _ in range(400):
        gold = drawn(truth, 80, rng)
        found = [*class_shares(beliefs, gold).values(), accuracy(labels, beliefs, gold)]
        held += [one.lower <= share <= one.upper for one, share in zip(found, true, strict=True)]
        shorter += [(one.upper - one.lower) / (one.gold_alone[1] - one.gold_alone[0]) for one in found]
    assert np.mean(held) >= 0.93
    assert max(shorter) <= 1 + 1e-9
    assert np.mean(shorter) < 0.8


def test_bad_predictions_do_not_bias_the_estimate():
    beliefs, truth = calibrated(3_000, 2, 3)
    wrong, rng = beliefs[:, ::-1] ** 3, np.random.default_rng(4)
    found = [class_shares(wrong, drawn(truth, 100, rng))[0].share for _ in range(300)]
    assert np.mean(found) == pytest.approx((truth == 0).mean(), abs=0.01)


def test_accuracy_of_labels_by_name_and_of_rows_without_one():
    beliefs = np.tile([0.9, 0.1], (40, 1))
    labels = ["a"] * 30 + [None] * 10
    assert accuracy(labels, beliefs, ["a"] * 40, classes=["a", "b"]).share == pytest.approx(0.75)


def test_gold_needed_by_hand():
    """Beliefs of .8 for 10,000 rows: 1.96² · .16 / .04² = 384.1 rows, 370.0 of a finite number; all alike, no gain."""
    assert gold_needed(np.tile([0.8, 0.2], (10_000, 1)), 0.04) == {"gold alone": 370, "with beliefs": 370}
    sure = np.tile([[1.0, 0.0], [0.6, 0.4]], (5_000, 1))  # .8 on average, but half of the rows need no look
    assert gold_needed(sure, 0.04)["with beliefs"] == 281
    with pytest.raises(BadFit, match=r"0\.04 for 4 points"):
        gold_needed(sure, 4)


def test_what_rates_refuse():
    beliefs, truth = calibrated(50, 2, 0)
    with pytest.raises(BadRows, match="two random gold rows"):
        class_shares(beliefs, {0: 1})
    with pytest.raises(BadFit, match="level"):
        class_shares(beliefs, truth, level=95)
    with pytest.raises(BadRows, match="50 rows of beliefs, but 3 labels"):
        accuracy([0, 1, 1], beliefs, truth)


# -- label sets -----------------------------------------------------------------------------------------


def test_threshold_by_hand():
    """19 gold rows, 90 %: the ⌊20 · .1⌋ = second smallest. Eight are too few to leave any class out."""
    believed = np.linspace(0.05, 0.95, 19)
    assert threshold(believed, 0.9) == pytest.approx(0.1)
    assert threshold(believed[:8], 0.9) == 0
    assert threshold(believed[:9], 0.9) == pytest.approx(0.05)


def test_rare_classes_share_a_threshold():
    """100 gold rows at 90 %: a class of its own needs 20 expected ones."""
    assert frequent_classes(np.array([0.5, 0.3, 0.2]), 100, 0.9).tolist() == [2, 1, 0]
    assert frequent_classes(np.array([0.55, 0.3, 0.1, 0.05]), 100, 0.9).tolist() == [1, 0, 0, 0]
    assert set(frequent_classes(np.full(7, 1 / 7), 100, 0.9)) == {0}
    assert set(frequent_classes(np.array([0.99, 0.01]), 100, 0.9)) == {0}


@pytest.mark.parametrize("power", [0.3, 1.0, 4.0])
def test_sets_hold_the_class_however_wrong_beliefs_are(power):
    """Mean coverage of further rows over 150 draws: at least 90 % in every class, up to 1.5 points."""
    beliefs, truth = calibrated(1_500, 3, 5)
    beliefs = beliefs**power / (beliefs**power).sum(axis=1, keepdims=True)
    rng, held = np.random.default_rng(6), []
    for _ in range(150):
        gold = drawn(truth, 150, rng)
        new = np.setdiff1d(np.arange(1_500), list(gold))
        inside = label_sets(beliefs, gold).sets[new, truth[new]]
        held.append([inside[truth[new] == j].mean() for j in range(3)])
    assert np.min(np.mean(held, axis=0)) >= 0.885
    assert np.mean(held) <= 0.95


def test_sets_are_never_empty_and_say_what_they_are():
    beliefs, truth = calibrated(500, 3, 7)
    made = label_sets(beliefs, drawn(truth, 120, np.random.default_rng(0)))
    assert made.sets.any(axis=1).all()
    assert made.by_class
    assert str(made).startswith("Label sets hold the class 90 % for rows of each class (120 gold rows)")
    with pytest.raises(BadFit, match="coverage"):
        label_sets(beliefs, truth, coverage=90)
