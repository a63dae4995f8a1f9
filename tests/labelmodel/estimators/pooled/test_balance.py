"""The balance that votes have."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.balance import EQUAL_ROWS, believed_balance


def test_half_way_between_mean_beliefs_and_most_likely_classes_by_hand():
    beliefs = np.array([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2]])
    rows = 300 * (beliefs[0] + [1, 0, 0]) / 2 + 100 * (beliefs[1] + [0.5, 0.5, 0]) / 2  # the second row is a tie
    expected = (rows + EQUAL_ROWS / 3) / (400 + EQUAL_ROWS)
    assert believed_balance(beliefs, np.array([300.0, 100.0])) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
@pytest.mark.parametrize("kind", ["labelers that name all classes", "rules with one answer"])
def test_a_frequent_class_is_found_half_of_the_way_at_least_and_never_too_frequent(kind):
    rng = np.random.default_rng(0)
    truth = (rng.random(20_000) < 0.2).astype(int)
    if kind == "rules with one answer":
        fires = [rng.random(20_000) < np.where(truth == j, 0.4, 0.03) for j in (0, 0, 1, 1)]
        votes = Votes(np.column_stack(fires), [["a"], ["a"], ["b"], ["b"]], ["a", "b"])
    else:
        names = [1 + np.where(rng.random(20_000) < 0.8, truth, 1 - truth) for _ in range(4)]
        votes = Votes(np.column_stack(names), [["a", "b"]] * 4, ["a", "b"])
    share = 1 - truth[votes.covered].mean()
    assert (0.5 + share) / 2 < LabelModel().fit(votes).class_balance_[0] < share + 0.02
