"""Accuracy on held-out classes, and the band in which a detector keeps silent."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shortlist.zeroshot.detectors.validation import choose_band, class_weights, information, validate

HAS = np.array([True, False, False])


def test_classes_count_alike_and_sides_count_alike():
    truth = np.array([0, 0, 1, 1, 1, 1, 2])
    scores = np.array([0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.9])  # yes: 1 of 2; no: all of one class, none of the other
    found = validate(scores, truth, HAS)
    assert found.accuracy == (0.5 + (1 + 0) / 2) / 2
    assert found.worst == 0
    np.testing.assert_allclose(class_weights(truth, HAS), [0.25, 0.25, 1 / 16, 1 / 16, 1 / 16, 1 / 16, 0.25])


def test_nothing_to_validate_on():
    found = validate(np.full(3, np.nan), np.arange(3), HAS)
    assert np.isnan(found.accuracy)
    assert found.band == (0.5, 0.5)


def test_information_by_hand():
    assert information(np.array([[0.5, 0.0], [0.0, 0.5]])) == 1.0  # always right: one bit a row
    assert abs(information(np.array([[0.25, 0.25], [0.25, 0.25]]))) < 1e-12  # a coin: none
    assert abs(information(np.array([[0.25, 0.0], [0.0, 0.25]])) - 0.5) < 1e-12  # silent half the time: half a bit


def test_a_perfect_detector_never_keeps_silent():
    truth = np.repeat([0, 1, 2], 20)
    assert choose_band(np.where(HAS[truth], 0.8, 0.2), truth, HAS) == (0.5, 0.5)


def test_silence_where_it_only_guesses():
    """Sure scores are right; those between .3 and .7 are a coin's."""
    truth = np.repeat([0, 1], 100)
    scores = np.concatenate(
        [np.full(50, 0.95), np.tile([0.35, 0.65], 25), np.full(50, 0.04), np.tile([0.35, 0.65], 25)]
    )
    low, high = choose_band(scores, truth, HAS[:2])
    assert low <= 0.35 < 0.65 < high


@given(st.integers(0, 200))
def test_a_chosen_band_is_a_band(seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], 5)
    low, high = choose_band(rng.random(15), truth, HAS)
    assert 0 < low <= high < 1
