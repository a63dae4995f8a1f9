"""What one more labeler would bring."""

import numpy as np
import pytest

from shortlist import Analysis, Votes
from shortlist.reporting.advising.prospects import Average, mixed_pairs, uncovered_gain, value_of_a_vote
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn


def test_the_value_of_a_vote_by_hand():
    beliefs = np.array([[0.5, 0.5], [0.9, 0.1], [0.7, 0.3], [0.3, 0.3]])
    assert value_of_a_vote(beliefs, 0.8) == pytest.approx([0.3, 0.0, 0.1, 0.18])
    assert value_of_a_vote(beliefs, 1.0) == pytest.approx(beliefs.min(axis=1))  # an oracle mends every mistake
    assert value_of_a_vote(beliefs, 0.5) == pytest.approx([0, 0, 0, 0])  # a coin mends none


def test_the_average_labeler_counts_votes_and_knows_gold_first():
    votes = Votes([[1, 0], [1, 0], [1, 1], [2, 0]], [["a", "b"], ["a"]], ["a", "b"])
    average = Average.of(Analysis(votes, gold=["a", "b", "b", "b"]).labelers())
    assert average.coverage == pytest.approx((1 + 0.25) / 2)
    assert average.accuracy == pytest.approx((2 + 0) / 5)


def test_classes_that_no_labeler_tells_apart_gain_most():
    votes = Votes([[1, 1, 1], [2, 2, 2]] * 50, [["a", {"b", "c"}]] * 3, ["a", "b", "c"])
    analysis = Analysis(votes, quietly_fitted(votes))
    first, *others = mixed_pairs(analysis, Average(0.5, 0.8))
    assert {first.one, first.other} == {"b", "c"}
    assert first.gain == pytest.approx(0.5 * 0.3 * 50, rel=0.1)  # on half of the 50 rows, by .3 each
    assert first.gain > 5 * max(pair.gain for pair in others)


def test_gold_rows_that_show_no_mistake_promise_nothing():
    votes, _ = drawn(600)
    model = quietly_fitted(votes)
    believed = mixed_pairs(Analysis(votes, model), Average(0.5, 0.9))
    agreeing = Analysis(votes, model, gold=list(model.predict(votes)))
    assert believed[0].gain > 1
    assert max(pair.gain for pair in mixed_pairs(agreeing, Average(0.5, 0.9))) == 0
    assert mixed_pairs(agreeing, Average(0.5, 0.9))[0].counted


def test_gold_rows_without_a_vote_are_not_mixed_up():
    codes = np.array([[1, 1, 1]] * 30 + [[2, 2, 2]] * 30 + [[0, 0, 0]] * 60)
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"])
    model = quietly_fitted(votes)
    (pair,) = mixed_pairs(Analysis(votes, model, gold=["a"] * 30 + ["b"] * 90), Average(0.5, 0.9))
    assert pair.counted
    assert (pair.error, pair.gain) == (0, 0)
    (few,) = mixed_pairs(Analysis(votes, model, gold=dict.fromkeys(range(50, 120), "b")), Average(0.5, 0.9))
    assert not few.counted  # ten gold rows with a vote count nothing


def test_rows_without_a_vote():
    codes = np.array([[1, 1, 1]] * 60 + [[0, 0, 0]] * 40)
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"])
    gain = uncovered_gain(Analysis(votes, quietly_fitted(votes, balance="uniform")), Average(0.5, 0.9))
    assert gain == pytest.approx(40 * 0.5 * 0.4)
