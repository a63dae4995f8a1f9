"""From beliefs to classes, sets of classes and the table of labels, by hand."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from shortlist.beliefs import LabelTable, Said, most_likely, recalibration, smallest_sets
from shortlist.errors import BadFile

BELIEFS = np.array([[0.024, 0.878, 0.098], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])


def test_ties_go_to_the_larger_share_then_to_the_first_class():
    beliefs = np.array([[0.4, 0.4, 0.2], [0.4, 0.4 - 1e-13, 0.2], [0.3, 0.4, 0.3], [1 / 3, 1 / 3, 1 / 3]])
    assert most_likely(beliefs, np.array([1, 1, 1]) / 3).tolist() == [0, 0, 1, 0]
    assert most_likely(beliefs, np.array([0.3, 0.5, 0.2])).tolist() == [1, 1, 1, 1]


def test_the_smallest_set_by_hand():
    beliefs = np.array([[0.05, 0.9, 0.05], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    assert smallest_sets(beliefs, 0.9).tolist() == [[False, True, False], [True, True, True], [True, True, True]]
    assert smallest_sets(beliefs, 0.8).tolist() == [[False, True, False], [True, True, False], [True, False, True]]


def test_labels_by_hand():
    table = LabelTable(["business", "sports", "world"], ("id", pl.String()))
    frame = table.frame(BELIEFS, np.array([2, 1, 0])).insert_column(0, pl.Series("id", ["a", "b", "c"]))
    assert frame.schema == pl.Schema(table.schema)
    assert frame["class"].to_list() == ["sports", "business", None]  # a tie goes to the first; nobody voted on c
    assert np.allclose(frame["belief"], [0.878, 0.5, 1 / 3])
    assert np.allclose(frame["margin"], [0.78, 0.0, 0.0])
    assert frame["shortlist"].to_list() == [
        ["sports", "world"],
        ["business", "sports"],
        ["business", "sports", "world"],
    ]
    assert frame["votes"].to_list() == [2, 1, 0]
    assert np.array_equal(frame.select(pl.col("^belief_.*$")).to_numpy(), BELIEFS)


def test_ties_of_the_table_go_by_the_balance():
    table = LabelTable(["a", "b", "c"], ("row", pl.UInt32()), balance=np.array([0.1, 0.8, 0.1]), voted=False)
    frame = table.frame(BELIEFS)
    assert frame["class"].to_list() == ["b", "b", "b"]
    assert "votes" not in frame.columns


def test_how_much_belief_a_shortlist_holds():
    table = LabelTable(["a", "b", "c"], ("row", pl.UInt32()), held=0.8, voted=False)
    assert table.frame(BELIEFS)["shortlist"].to_list()[0] == ["b"]


@pytest.mark.parametrize("name", ["class", "belief", "belief_a", "votes"])
def test_an_id_may_not_bear_the_name_of_a_label(name):
    with pytest.raises(BadFile, match="give it another name"):
        LabelTable(["a", "b"], (name, pl.String()))


def penalised(x, beliefs, classes, weights, said):
    """The objective of a recalibration, row by row, as its docstring has it."""
    n, k = said.owner.max() + 1, beliefs.shape[2]
    powers, of_labelers, offsets = np.split(x, [2, 2 + n])
    spread, loss = 0.0, 0.0
    for a, j in enumerate(classes):
        given = said.answers[[a]].nonzero()[1]
        logs = powers @ np.log(beliefs[:, a] + 1e-9) + of_labelers[said.owner[given]] @ said.evidence[given] + offsets
        loss += weights[a] * (np.log(np.exp(logs).sum()) - logs[j])
        spread += weights[a] * said.evidence[given].var(axis=1).sum() / weights.sum()
    start = np.concatenate([[1, 0], np.zeros(n + k)])
    precision = 3 * np.concatenate([np.ones(2), np.full(n, spread), np.ones(k)])
    return loss + precision @ (x - start) ** 2 / 2


def test_a_recalibration_is_where_its_objective_is_least():
    draw = np.random.default_rng(0)
    beliefs, classes, weights = draw.dirichlet(np.ones(3), (2, 30)), draw.integers(0, 3, 30), draw.uniform(0.5, 2, 30)
    said = Said(sp.csr_matrix(draw.random((30, 5)) < 0.5), draw.normal(size=(5, 3)), np.array([0, 0, 1, 2, 2]))
    x = recalibration(beliefs, classes, weights, said)
    assert len(x) == 2 + 3 + 3
    least = penalised(x, beliefs, classes, weights, said)
    for step in np.vstack([np.eye(8), -np.eye(8)]) * 0.01:
        assert penalised(x + step, beliefs, classes, weights, said) > least
