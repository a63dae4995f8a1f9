"""Trials: known answers of the effect, and a rule that helps is told from one that harms."""

import numpy as np
import pytest

from shortlist.browse.trial import DOUBT, TRUST, SteadyEvidence, TrialFit, answers, expected_gain, measured
from shortlist.joint.row_evidence import RowEvidence
from shortlist.votes import Votes

BEFORE = np.array([[0.6, 0.4], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8]])  # half of the rows in each class
AFTER = np.array([[0.2, 0.8], [0.7, 0.3], [0.2, 0.8], [0.2, 0.8]])


def test_the_gain_of_a_row_is_worked_by_hand():
    """From (.6, .4) to (.2, .8): (.4, .6) on average. The label moves to the second class, that of half of the rows."""
    gain, variance = expected_gain(BEFORE, AFTER)
    assert gain.tolist() == pytest.approx([0.2, 0.0, 0.0, 0.0])
    assert variance.tolist() == pytest.approx([1 - 0.2**2, 0.0, 0.0, 0.0])


def test_beliefs_before_do_not_count_for_a_class_that_no_row_had():
    """The second class is new: only (.2, .8) counts."""
    gain, variance = expected_gain(BEFORE[:2], AFTER[:2])
    assert gain.tolist() == pytest.approx([0.6, 0.0])
    assert variance.tolist() == pytest.approx([1 - 0.6**2, 0.0])


def test_the_gain_of_calibrated_beliefs_is_the_mean_of_three():
    """The first row: .6 by beliefs after, −.2 by those before, and .2 in belief. The second keeps its label: −.2."""
    gain, _ = expected_gain(BEFORE, AFTER, calibrated=True)
    assert gain.tolist() == pytest.approx([(0.6 - 0.2 + 0.2) / 3, -0.2 / 3, 0.0, 0.0])


def test_labels_that_stay_are_no_gain_however_sure():
    before, after = np.tile([0.6, 0.4], (80, 1)), np.tile([0.9, 0.1], (80, 1))
    found = measured(before, after, np.where(np.arange(80) < 40, 0, -1), 1000)
    assert (found.rows, found.changed) == (0, 0)


def test_without_gold_the_effect_is_the_expected_gain():
    before, after = np.tile([0.6, 0.4], (10, 1)), np.tile([0.6, 0.4], (10, 1))
    after[:5] = [0.2, 0.8]
    found = measured(before, after, np.full(10, -1), 1000)
    assert (found.rows, found.changed, found.gold) == (pytest.approx(300), 500, 0)
    assert found.error == pytest.approx(1000 * np.sqrt((1 - 0.6**2) / 20 + (DOUBT * 0.5) ** 2))


def test_gold_rows_that_get_worse_correct_the_expectation():
    """All 40 gold rows were right and would be wrong: each counts −1 where (1.2 + .2) / 3 was expected."""
    before, after = np.tile([0.6, 0.4], (80, 1)), np.tile([0.2, 0.8], (80, 1))
    gold = np.where(np.arange(80) < 40, 0, -1)
    share = 40 / (40 + TRUST)
    assert measured(before, after, gold, 100).rows == pytest.approx(100 * (1.4 / 3 + share * (-1 - 1.4 / 3)))
    assert measured(before, after, gold, 100).gold == 40


def test_answers_are_scored_by_hand():
    """Four rows are of the first class, six of the second. It says the first on three of the former, and one other."""
    codes, truth = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0]), np.eye(2)[[0] * 4 + [1] * 6]
    (line,) = answers(codes, np.array([[True, False]]), truth)
    assert line == {"judged": 4, "precision": 0.75, "chance": 0.4, "recall": 0.75, "recall_chance": 0.4}


def test_a_good_rule_is_told_from_one_that_guesses():
    """Rows of two classes in two clouds; a labeler covers a fifth. One more is right, another guesses, on half."""
    draw, truth = np.random.default_rng(0), np.repeat([0, 1], 300)
    X = truth[:, None] * 1.0 + draw.normal(size=(600, 3))
    base = np.where(draw.random(600) < 0.2, np.where(draw.random(600) < 0.8, truth, 1 - truth) + 1, 0)
    gold = np.where(draw.random(600) < 0.2, truth, -1)
    votes = Votes(base[:, None], [[{"a"}, {"b"}]], ["a", "b"])
    trial = TrialFit(votes, gold, SteadyEvidence(X))

    def effect(said):
        codes = np.where(draw.random(600) < 0.5, said + 1, 0)
        return trial.effect(Votes(codes[:, None], [[{"a"}, {"b"}]], ["a", "b"], ["new"]), None, int((gold < 0).sum()))

    good, bad = effect(truth), effect(draw.integers(2, size=600))
    assert good.rows > good.error
    assert abs(bad.rows) < bad.error
    assert bad.rows < good.rows


def test_predictions_of_a_sample_are_those_of_row_evidence():
    draw = np.random.default_rng(0)
    X, beliefs, weights = draw.random((50, 8)), draw.dirichlet([1, 1, 1], 50), draw.uniform(1, 3, 50)
    quick, plain = SteadyEvidence(X), RowEvidence(X)
    np.testing.assert_allclose(quick.predict(beliefs, weights), plain.predict(beliefs, weights), atol=1e-5)
