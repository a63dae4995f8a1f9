"""Agreement of people, with answers worked by hand."""

import numpy as np
import pytest

from shortlist.analysis.agreement import Agreement, cohen_kappa, krippendorff_alpha

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", C: nominal data, four observers, missing values.
OBSERVERS = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]).T - 1  # fmt: skip


def test_alpha_of_the_example_of_krippendorff():
    assert Agreement.of(OBSERVERS, list("abcd")).alpha == pytest.approx(0.743, abs=5e-4)


def test_alpha_of_two_people_by_hand():
    """Rows aa, aa, bb, ab: 8 labels, 5 a and 3 b. Observed 2, expected (64 − 34) / 7 = 30 / 7: 1 − 14 / 30."""
    assert krippendorff_alpha(np.array([[2, 0], [2, 0], [0, 2], [1, 1]])) == pytest.approx(8 / 15)


def test_kappa_by_hand():
    """20 + 15 of 50 agree: .7. Chance: .5 · .6 + .5 · .4 = .5. So (.7 − .5) / .5."""
    one = np.repeat([0, 0, 1, 1], [20, 5, 10, 15])
    other = np.repeat([0, 1, 0, 1], [20, 5, 10, 15])
    assert cohen_kappa(one, other) == pytest.approx(0.4)


def test_one_class_only_says_nothing_about_chance():
    found = Agreement.of(np.zeros((4, 2), int), ["anna", "bob"])
    assert (found.alpha, found.pairs[0].kappa, found.rows, found.same) == (None, None, 4, 4)
    assert str(found) == "anna, bob: 100% of 4 rows with several labels have one class."


def test_rows_with_one_label_do_not_count():
    labels = np.array([[0, -1, -1], [0, 0, -1], [1, -1, 0], [-1, 1, -1]])
    found = Agreement.of(labels, ["anna", "bob", "eve"])
    assert (found.rows, found.same) == (2, 1)
    assert [(pair.one, pair.other, pair.rows) for pair in found.pairs] == [("anna", "bob", 1), ("anna", "eve", 1)]
    assert Agreement.of(labels[[0, 3]], ["anna", "bob", "eve"]) is None


def test_independent_labels_agree_by_chance_only():
    labels = np.random.default_rng(0).integers(3, size=(20_000, 3))
    found = Agreement.of(labels, ["anna", "bob", "eve"])
    assert abs(found.alpha) < 0.02
    assert max(abs(pair.kappa) for pair in found.pairs) < 0.02
