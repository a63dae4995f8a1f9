"""The balance that votes have."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.balance import EQUAL_ROWS, believed_balance
from shortlist.labelmodel.estimators.pooled.says import Says


def test_half_way_between_mean_beliefs_and_most_likely_classes_by_hand():
    beliefs = np.array([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2]])
    rows = 300 * (beliefs[0] + [1, 0, 0]) / 2 + 100 * (beliefs[1] + [0.5, 0.5, 0]) / 2  # the second row is a tie
    expected = (rows + EQUAL_ROWS / 3) / (400 + EQUAL_ROWS)
    assert believed_balance(beliefs, np.array([300.0, 100.0])) == pytest.approx(expected)


def of_two_classes(kind: str, m: int = 20_000) -> tuple[Votes, float]:
    """Votes on two classes of 80 and 20 %, and the share of the first among rows with a vote."""
    rng = np.random.default_rng(0)
    truth = (rng.random(m) < 0.2).astype(int)
    columns, says = [], []
    if kind != "rules with one answer":
        columns += [1 + np.where(rng.random(m) < 0.8, truth, 1 - truth) for _ in range(4)]
        says += [["a", "b"]] * 4
    if kind != "labelers that name all classes":
        columns += [(rng.random(m) < np.where(truth == j, 0.4, 0.03)).astype(int) for j in (0, 0, 1, 1)]
        says += [["a"], ["a"], ["b"], ["b"]]
    votes = Votes(np.column_stack(columns), says, ["a", "b"])
    return votes, 1 - float(truth[votes.covered].mean())


def test_a_frequent_class_is_found_half_of_the_way_at_least_and_never_too_frequent():
    votes, share = of_two_classes("labelers that name all classes")
    assert (0.5 + share) / 2 < LabelModel().fit(votes).class_balance_[0] < share + 0.02


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_rules_with_one_answer_do_not_tell_how_frequent_classes_are():
    """How often they vote says what rules were written for."""
    votes, _ = of_two_classes("rules with one answer")
    assert LabelModel().fit(votes).class_balance_ == pytest.approx([0.5, 0.5])


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_a_balance_is_taken_as_far_as_votes_are_of_labelers_that_name_all_classes(monkeypatch):
    votes, share = of_two_classes("both")
    named = votes.codes[:, :4].astype(bool).sum() / votes.codes.astype(bool).sum()
    assert 0.7 < named < 0.9  # otherwise nothing is tested
    estimate = LabelModel().fit(votes).estimate_
    monkeypatch.setattr(Says, "share_naming_all", 1.0)
    whole = LabelModel().fit(votes).class_balance_[0]
    assert whole < share + 0.02
    assert estimate.parameters.balance[0] - 0.5 == pytest.approx(named * (whole - 0.5), abs=1e-9)
