"""Pairs of classes: by hand, and against the definition."""

import numpy as np
import pytest

from shortlist import Analysis, Votes
from shortlist.analysis.classes import confusion, errors
from shortlist.labelmodel.predictor import MajorityVote
from tests.analysis.worked import GOLD, newspaper, oracle


def test_the_newspaper():
    table = Analysis(newspaper(), oracle(), gold=GOLD).classes()
    assert table.select("class", "other").rows() == [("business", "sports"), ("business", "world"), ("sports", "world")]
    # business | sports: all three labelers said one without the other, on all rows with a vote;
    # sports | world: only goal did
    assert table["labelers"].to_list() == [3, 2, 1]
    assert table["rows"].to_list() == [5 / 6, 5 / 6, 3 / 6]
    # Σ min / Σ both, from the beliefs of rows with a vote: business 1.7, sports 2.3, world 1
    assert table["error"].to_list() == pytest.approx([0.9 / 4, 0.2 / 2.7, 0.2 / 3.3])
    assert table["separation"].to_list() == pytest.approx([1 - 1.8 / 4, 1 - 0.4 / 2.7, 1 - 0.4 / 3.3])
    # row 2 is a tie, which goes to business, the first; one of 4 gold rows of business or sports is taken for the other
    assert table["gold_error"].to_list() == [1 / 4, 0, 0]


def test_a_gold_row_without_a_vote_is_not_mixed_up_with_the_first_class():
    """It was counted as labelled with the first class: half of the rows of b seemed to be taken for a."""
    codes = [[1, 1, 1]] * 10 + [[2, 2, 2]] * 10 + [[0, 0, 0]] * 10
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"])
    table = Analysis(votes, MajorityVote().fit(votes), gold=["a"] * 10 + ["b"] * 20).classes()
    assert table["gold_error"].to_list() == [0]
    assert table["error"].to_list() == [0]


def test_without_a_model_it_tells_who_tells_them_apart():
    assert Analysis(newspaper()).classes().columns == ["class", "other", "labelers", "rows"]


def test_errors_are_between_nothing_and_a_coin():
    rng = np.random.default_rng(0)
    beliefs, counts = rng.dirichlet(np.ones(4), 50), rng.integers(1, 9, 50)
    found = errors(beliefs, counts)
    rows = np.repeat(beliefs, counts, axis=0)
    for j in range(4):
        for other in range(4):
            both = rows[:, [j, other]]
            assert found[j, other] == pytest.approx(both.min(axis=1).sum() / both.sum())
    assert (found >= 0).all()
    assert (found <= 0.5 + 1e-12).all()


def test_equal_beliefs_cannot_be_told_apart():
    assert errors(np.full((5, 2), 0.5), np.ones(5, int))[0, 1] == 0.5


def test_a_class_nobody_believes_in_is_a_coin():
    assert errors(np.array([[1.0, 0.0, 0.0]]), np.array([3]))[1, 2] == 0.5


def test_confusion_by_hand():
    gold, guess = np.array([0, 0, 1, -1]), np.array([0, 1, 1, 0])
    assert confusion(gold, guess, 2).tolist() == [[1, 1], [0, 1]]
