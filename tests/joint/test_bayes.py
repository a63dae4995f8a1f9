"""Bayes' rule for votes and rows, by hand."""

import numpy as np
import pytest

from shortlist import MajorityVote, Votes
from shortlist.joint.bayes import agreed_shares, class_shares, likelihood_of, posterior, row_likelihood, tempered


def test_votes_are_divided_by_the_balance_that_is_in_them():
    class Model:
        class_balance_ = np.array([0.8, 0.2])

        def predict_proba(self, votes):
            return np.array([[0.8, 0.2], [0.5, 0.5]])

    votes = Votes([[1], [0]], [["a", "b"]], ["a", "b"])
    assert np.allclose(likelihood_of(Model(), votes), [[0.5, 0.5], [0.5, 0.5]])  # nothing beyond the balance; no vote
    assert likelihood_of(MajorityVote().fit(votes), votes)[0] == pytest.approx([1, 0], abs=1e-5)


def test_predictions_are_divided_by_their_mean():
    predictions = np.array([[0.9, 0.1], [0.6, 0.4]])  # mean (.75, .25): lifts 1.2 : 0.4 and 0.8 : 1.6
    assert np.allclose(row_likelihood(predictions, 1.0), [[0.75, 0.25], [1 / 3, 2 / 3]])
    assert np.allclose(row_likelihood(predictions, 2.0), [[0.9, 0.1], [0.2, 0.8]])  # 9 : 1 and 1 : 4


def test_product_rule():
    votes, rows, balance = np.array([[0.5, 0.3, 0.2]]), np.array([[0.2, 0.6, 0.2]]), np.array([0.5, 0.25, 0.25])
    # .5·.2·.5 = .05, .3·.6·.25 = .045, .2·.2·.25 = .01
    assert np.allclose(posterior(votes, rows, balance), np.array([[0.05, 0.045, 0.01]]) / 0.105)


def test_rows_that_say_nothing_leave_the_votes_and_the_shares():
    votes, balance = np.array([[0.7, 0.3]]), np.array([0.5, 0.5])
    assert np.allclose(posterior(votes, np.array([[0.5, 0.5]]), balance), votes)


def test_a_class_that_no_vote_allows_can_still_win_by_its_row():
    assert posterior(np.array([[1.0, 0.0]]), np.array([[1e-9, 1.0]]), np.array([0.5, 0.5]))[0, 1] > 0.5


def test_tempered_beliefs_keep_their_order():
    assert np.allclose(tempered(np.array([[0.8, 0.2]]), 0.5), [[2 / 3, 1 / 3]])  # √.8 : √.2 = 2 : 1


def test_shares_for_which_votes_and_rows_agree_are_found():
    draw, shares = np.random.default_rng(0), np.array([0.8, 0.2])
    truth = draw.choice(2, 5000, p=shares)
    right = np.where(draw.random((2, 5000)) < 0.8, truth, 1 - truth)  # votes and rows, each right on 80 %
    votes, rows = np.where(np.eye(2)[right], 0.8, 0.2)
    assert votes.mean(axis=0) == pytest.approx([0.6 * 0.68 + 0.2, 1 - 0.6 * 0.68 - 0.2], abs=0.01)
    assert agreed_shares(votes, rows) == pytest.approx(shares, abs=0.02)


def test_class_shares_are_those_of_gold_with_k_rows_of_a_guess():
    votes = np.array([[0.9, 0.1], [0.7, 0.3]])  # mean .8 and .2
    rows = np.full((2, 2), 0.5)
    guess = (votes.mean(axis=0) + agreed_shares(votes, rows)) / 2
    assert np.allclose(class_shares(votes, rows, np.array([-1, -1])), guess)
    assert np.allclose(class_shares(votes, rows, np.array([1, 1, 1, -1])), ([0, 3] + 2 * guess) / 5)
