"""Known classes in two halves: a model that is fitted with one is judged by the other."""

import numpy as np

from shortlist import Votes
from shortlist.labelmodel.formulae import folds
from shortlist.labelmodel.formulae.evidence import Evidence, unique
from shortlist.labelmodel.formulae.folds import random_half, two_folds


def tally():
    """Six kinds of rows: three of x and two of y are known, and one that is not."""
    votes = Votes([[1, 1], [1, 2], [2, 1], [2, 2], [1, 0], [2, 0]], [["x", "y"]] * 2, ["x", "y"])
    return Evidence(votes, np.array([2.0, 1, 1, 3, 1, 5]), np.array([0, 0, 0, 1, 1, -1]))


def test_every_known_row_judges_once_and_no_row_is_lost():
    found = list(two_folds(tally()))
    assert sum(judging for _, judging in found).tolist() == [2, 1, 1, 3, 1]
    assert [fold.known().total for fold, _ in found] == [4, 4]
    assert [fold.total for fold, _ in found] == [13, 13]
    assert [fold.known().total + judging.sum() for fold, judging in found] == [8, 8]
    again = [judging.tolist() for _, judging in two_folds(tally())]
    assert again == [judging.tolist() for _, judging in found]


def test_where_votes_tell_nothing_one_half_does_not_tell_the_other():
    """By turns, in the order of votes and classes, it was 59 %: both halves had the same classes for the same votes."""
    rng = np.random.default_rng(0)
    votes = Votes(rng.integers(1, 9, (4000, 3)), [list("abcdefgh")] * 3, list("abcdefgh"))
    evidence = unique(votes, rng.integers(0, 2, 4000), None)
    right = 0.0
    for fold, judging in two_folds(evidence):
        seen = np.zeros((9, 9, 9, 2))
        known, judged = fold.known(), evidence.known()
        np.add.at(seen, (*known.votes.codes.T, known.gold), known.weights)
        guess = seen[tuple(judged.votes.codes.T)]
        right += judging @ np.where(guess[:, 0] == guess[:, 1], 0.5, guess.argmax(axis=1) == judged.gold)
    assert abs(right / 4000 - 0.5) < 0.03  # more than three standard errors


def test_weights_of_a_sample_and_more_rows_than_can_be_drawn_from(monkeypatch):
    half = random_half(np.array([1.7, 2.2, 5.0]))
    assert half.sum() == 4
    assert (half <= [1, 2, 5]).all()
    monkeypatch.setattr(folds, "MOST", 10)
    assert random_half(np.array([7.0, 8.0])).tolist() == [3, 4]
