"""Temperature, trust and unanimity."""

import warnings

import numpy as np
import pytest

from shortlist import LabelModel, MajorityVote, Votes, simulate
from shortlist.errors import LittleTrust
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.estimators.pooled.guard import agreement, unanimous
from shortlist.labelmodel.formulae.layout import Layout


def test_unanimity_is_about_classes_in_common():
    layout = Layout((2, 2), np.array([[1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0]], bool))
    beliefs = np.array([[0.5, 0.2, 0.3], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    codes = np.array([[1, 1], [2, 2], [1, 1], [0, 0]])  # in common: the second class; nothing; the second; no vote
    expected = np.array([[0.4 * 5 / 8, 0.6, 0.4 * 3 / 8], [0.5, 0.2, 0.3], [0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    assert unanimous(beliefs, codes, layout, 0.6) == pytest.approx(expected)


def test_agreement_shares_ties():
    one = np.array([[0.5, 0.5, 0], [1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])
    other = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0], [0.5, 0.5, 0]])
    # a tie is contradicted by none of its classes; of two ties, half in common is half agreed
    assert agreement(one, other, np.array([1.0, 2.0, 1.0, 3.0])) == pytest.approx((1 + 2 * 1 + 0 + 3 / 2) / 7)
    assert agreement(one, other, np.zeros(4)) == 1


def mislabeled(wrong: int):
    """Nine good labelers over five classes, of which some declare their classes in another order."""
    names = list("abcde")
    truth = Parameters(np.full((9, 5), 0.85), np.full(9, 0.7), np.full(5, 0.2))
    votes, classes = simulate(truth, [names] * 9, 4000, space=names, seed=1)
    turned = [np.roll(names, 1 + i % 4).tolist() if i < wrong else names for i in range(9)]
    return Votes(votes.codes, turned, names), classes


def test_trust_falls_when_most_tables_are_wrong():
    right, _ = mislabeled(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good = LabelModel().fit(right)
    assert good.estimate_.trust > 0.9
    wrong, _ = mislabeled(8)
    with pytest.warns(LittleTrust, match="fall back toward counting"):
        bad = LabelModel().fit(wrong)
    assert bad.estimate_.trust < 0.6
    assert np.abs(bad.predict_proba(wrong) - MajorityVote().fit(wrong).predict_proba(wrong)).mean() < 0.15


def test_evidence_is_discounted_where_rows_are_hard_for_all_at_once():
    names = list("abc")
    good, bad = (Parameters(np.full((10, 3), a), np.full(10, 0.8), np.full(3, 1 / 3)) for a in (0.8, 0.4))
    easy = simulate(good, [names] * 10, 2000, space=names, seed=0).votes
    hard = simulate(bad, [names] * 10, 2000, space=names, seed=1).votes
    assert LabelModel().fit(easy).estimate_.temperature > 0.6
    assert LabelModel().fit([easy, hard]).estimate_.temperature < 0.6
