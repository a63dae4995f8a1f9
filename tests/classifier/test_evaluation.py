"""Metrics against scikit-learn, intervals against a t table, and the table itself."""

import math

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from shortlist.classifier import evaluate
from shortlist.classifier.evaluation import Estimate, score
from shortlist.errors import BadFit


@pytest.mark.parametrize("seed", range(5))
def test_the_metrics_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    truth, guess = rng.integers(0, 4, 60), rng.integers(0, 4, 60)
    found = score(truth, guess, 4)
    assert found["accuracy"] == pytest.approx(accuracy_score(truth, guess))
    assert found["macro_f1"] == pytest.approx(f1_score(truth, guess, average="macro"))
    assert found["mean_class_accuracy"] == pytest.approx(balanced_accuracy_score(truth, guess))


def test_an_interval_worked_by_hand():
    """Three seeds, mean .8, deviation .1: the half width is 4.303 · .1 / √3."""
    estimate = Estimate.of([0.7, 0.8, 0.9])
    assert estimate.mean == pytest.approx(0.8)
    assert estimate.margin == pytest.approx(4.3027 * 0.1 / math.sqrt(3), abs=1e-4)
    assert str(estimate) == "80.0 ± 24.8"
    assert str(Estimate.of([0.5])) == "50.0"


def test_methods_and_seeds_in_one_table():
    found = evaluate({"one": ["a", "b", "a"], "two": [["a", "b", "b"], ["a", "a", "b"]]}, ["a", "b", "b"])
    assert found["one"]["accuracy"].mean == pytest.approx(2 / 3)
    assert found["two"]["accuracy"].mean == pytest.approx(5 / 6)
    assert math.isnan(found["one"]["accuracy"].margin)
    assert found["two"]["accuracy"].margin > 0
    assert [len(line) for line in str(found).splitlines()] == [len(str(found).splitlines()[0])] * 3


def test_unknown_gold_is_left_out_and_foreign_guesses_are_wrong():
    assert evaluate(["a", "b", "c"], ["a", None, "b"])["method"]["accuracy"].mean == 0.5
    assert evaluate(np.array([[0, 1], [1, 1]]), [0, 1])["method"]["accuracy"].mean == 0.75
    assert evaluate(["a", None, 3], ["a", "b", "b"])["method"]["accuracy"].mean == pytest.approx(1 / 3)


def test_a_class_without_gold_rows_does_not_count():
    assert evaluate(["a", "b"], ["a", "b"])["method"]["macro_f1"].mean == 1
    assert score(np.array([0, 1]), np.array([0, 1]), 3)["macro_f1"] == pytest.approx(2 / 3)


def test_what_cannot_be_compared():
    with pytest.raises(BadFit, match="no row has a known class"):
        evaluate(["a"], [None])
    with pytest.raises(BadFit, match="2 gold labels but predictions of shape"):
        evaluate(["a"], ["a", "b"])
