"""Table 2 without end model: how it is scored, and what it shows on the paper's own votes."""

import numpy as np
import pytest

from experiments.table2 import PUBLISHED, SETS, believed, line, score, table, votes_and_gold
from shortlist import LabelModel, NearestClass


def test_ties_share_the_credit_and_unknown_rows_do_not_count():
    beliefs = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [1.0, 0.0]])
    accuracy, class_accuracy = score(beliefs, np.array([0, 0, 0, -1]))
    assert accuracy == pytest.approx((0.5 + 1 + 0) / 3)
    assert class_accuracy == accuracy
    assert score(beliefs, np.array([0, 0, 1, 1]))[1] == pytest.approx((0.75 + 0.5) / 2)


def test_splits_are_averaged_within_a_set_and_sets_over_all():
    found = {f"lad/{letter}{split}": (0.1 * (split + 1), 0.0) for letter in SETS for split in range(3)}
    assert line({**found, "awa2": (0.3, 0.7)}) == pytest.approx([20] * 6 + [70])
    assert "NC (w/o End), published" in table({"ours": found})
    for values in PUBLISHED.values():
        if values[0] is not None:
            assert np.mean(values[:5]) == pytest.approx(values[5], abs=0.11)


@pytest.mark.slow
def test_on_the_papers_votes_the_label_model_is_far_ahead_of_counting(data_home):
    votes, gold = votes_and_gold("awa2", data_home)
    ours, counting = (score(believed(make, votes), gold)[1] for make in (LabelModel, NearestClass))
    assert ours > 0.682  # the paper's label model
    assert counting < 0.55
