"""Rules that give the same votes on the same rows are one witness."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.copies import first_copies
from tests.labelmodel.estimators.pooled.parts import parts

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def rules(copies, m=3000, seed=0):
    """Four rules, right four times of five; the first, which is right only six times of ten, is there several times."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, m)
    fires = [
        rng.random(m) < np.where(truth == c, p, q)
        for c, p, q in ((0, 0.3, 0.2), (0, 0.4, 0.1), (1, 0.4, 0.1), (1, 0.4, 0.1))
    ]
    columns, says = [fires[0]] * copies + fires[1:], [["x"]] * copies + [["x"], ["y"], ["y"]]
    return Votes(np.column_stack(columns).astype(int), says, ["x", "y"]), truth


def test_copies_are_found_and_others_are_not():
    votes, _ = rules(3)
    says, rows, _ = parts(votes)
    assert first_copies(rows, says).tolist() == [0, 0, 0, 3, 4, 5]


def test_near_copies_are_copies():
    votes, _ = rules(2)
    codes = np.array(votes.codes)
    codes[np.flatnonzero(codes[:, 1])[:10], 1] = 0
    says, rows, _ = parts(Votes(codes, votes.codomains, votes.space))
    assert first_copies(rows, says)[:2].tolist() == [0, 0]
    codes[np.flatnonzero(codes[:, 1])[:100], 1] = 0
    says, rows, _ = parts(Votes(codes, votes.codomains, votes.space))
    assert first_copies(rows, says)[:2].tolist() == [0, 1]


def test_people_who_agree_are_no_copies():
    says, rows, _ = parts(Votes([[1, 1], [2, 2]] * 50, [["x", "y"]] * 2, ["x", "y"]))
    assert first_copies(rows, says).tolist() == [0, 1]


@quiet
def test_copies_change_no_belief():
    once, _ = rules(1)
    often, _ = rules(4)
    one = LabelModel(balance="uniform").fit(once).predict_proba(once)
    many = LabelModel(balance="uniform").fit(often).predict_proba(often)
    assert np.abs(one - many).mean() < 0.03  # counting votes, as far as it is asked, sees four
