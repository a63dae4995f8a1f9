"""Bayes' rule for votes and rows, by hand."""

import numpy as np

from shortlist.joint.bayes import class_shares, lift, posterior, row_likelihood, vote_likelihood


def test_votes_are_divided_by_the_balance_that_is_in_them():
    beliefs, balance = np.array([[0.8, 0.2]]), np.array([0.8, 0.2])
    assert np.allclose(vote_likelihood(beliefs, balance), [[0.5, 0.5]])  # they say nothing beyond the balance


def test_predictions_are_divided_by_their_mean():
    predictions = np.array([[0.9, 0.1], [0.6, 0.4]])  # mean (.75, .25): lifts 1.2 : 0.4 and 0.8 : 1.6
    assert np.allclose(lift(predictions), [[1.2, 0.4], [0.8, 1.6]])
    assert np.allclose(row_likelihood(lift(predictions), 1.0), [[0.75, 0.25], [1 / 3, 2 / 3]])
    assert np.allclose(row_likelihood(lift(predictions), 2.0), [[0.9, 0.1], [0.2, 0.8]])  # 9 : 1 and 1 : 4


def test_product_rule():
    votes, rows, balance = np.array([[0.5, 0.3, 0.2]]), np.array([[0.2, 0.6, 0.2]]), np.array([0.5, 0.25, 0.25])
    # .5·.2·.5 = .05, .3·.6·.25 = .045, .2·.2·.25 = .01
    assert np.allclose(posterior(votes, rows, balance), np.array([[0.05, 0.045, 0.01]]) / 0.105)


def test_rows_that_say_nothing_leave_the_votes_and_the_shares():
    votes, balance = np.array([[0.7, 0.3]]), np.array([0.5, 0.5])
    assert np.allclose(posterior(votes, np.array([[0.5, 0.5]]), balance), votes)


def test_a_class_that_no_vote_allows_can_still_win_by_its_row():
    votes = vote_likelihood(np.array([[1.0, 0.0]]), np.array([0.5, 0.5]))
    assert posterior(votes, np.array([[1e-9, 1.0]]), np.array([0.5, 0.5]))[0, 1] > 0.5


def test_class_shares_are_those_of_gold_with_k_rows_of_mean_belief():
    votes = np.array([[0.9, 0.1], [0.7, 0.3]])  # mean .8 and .2
    assert np.allclose(class_shares(votes, np.array([-1, -1])), [0.8, 0.2])
    assert np.allclose(class_shares(votes, np.array([1, 1, 1, -1])), [1.6 / 5, 3.4 / 5])  # (0 + 1.6, 3 + .4) of 5
