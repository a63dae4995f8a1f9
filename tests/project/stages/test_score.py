"""A model is scored on known classes that it was not fitted with."""

import numpy as np
import pytest

from shortlist import Votes
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.project.stages.score import gold_scores, judged_by_halves


class Memory:
    """Believes of a row what the rows with the same votes were known to be; else, the first class."""

    def __init__(self, evidence: Evidence) -> None:
        known = evidence.gold >= 0
        self.seen = dict(zip(map(bytes, evidence.votes.codes[known]), evidence.gold[known], strict=True))
        self.class_balance_ = np.full(2, 0.5)

    def predict_proba(self, votes):
        return np.eye(2)[[self.seen.get(bytes(row), 0) for row in votes.codes]]


def tally():
    """Six kinds of rows: three of x and two of y are known, and one that is not."""
    votes = Votes([[1, 1], [1, 2], [2, 1], [2, 2], [1, 0], [2, 0]], [["x", "y"]] * 2, ["x", "y"])
    return Evidence(votes, np.array([2.0, 1, 1, 3, 1, 5]), np.array([0, 0, 0, 1, 1, -1]))


def test_who_has_seen_the_answers_is_scored_by_halves():
    evidence, fitted = tally(), []

    def fit(one):
        fitted.append(one)
        return Memory(one)

    assert gold_scores(evidence, Memory(evidence))["accuracy"] == 1.0
    found = judged_by_halves(evidence, fit)
    # numbered 1 to 8, the rows of the fifth kind have one: in one half, it is unknown and taken for x
    assert found == {"accuracy": 7 / 8, "counting": pytest.approx(found["counting"]), "gold_rows": 8}
    assert [one.weights[one.gold >= 0].sum() for one in fitted] == [4, 4]
    assert [one.total for one in fitted] == [13, 13]


def test_counting_is_scored_on_the_same_rows():
    # x x: right twice; x y and y x: tied, so the first class, right; y y: right three times; x alone: wrong
    assert gold_scores(tally(), Memory(tally()))["counting"] == 7 / 8
