import numpy as np

from shortlist import LabelSpace
from shortlist.labelmodel.layout import Layout, one_hot
from shortlist.labelmodel.m_step import vote_counts
from shortlist.votes import Codomain

SPACE = LabelSpace(["a", "b", "c"])


def layout(*says):
    return Layout.of([Codomain(tuple(frozenset(s) for s in labeler)) for labeler in says], SPACE)


def test_shortlists_stand_one_below_the_other():
    shape = layout(["a", "bc"], [], ["ab", "c", "b"])
    assert shape.owner.tolist() == [0, 0, 2, 2, 2]
    assert shape.starts.tolist() == [0, 2, 2]
    assert shape.member[3].tolist() == [False, False, True]


def test_sums_per_labeler_leave_those_without_shortlists_at_zero():
    shape = layout([], ["a", "bc"], [], ["ab", "c"], [])
    assert shape.per_labeler(np.array([1.0, 2, 3, 4])).tolist() == [0, 3, 0, 7, 0]
    assert layout([], []).per_labeler(np.zeros((0, 3))).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_an_accuracy_is_a_parameter_only_where_a_labeler_can_be_right_and_wrong():
    shape = layout(["ab", "a"], [])  # a in all, c in none; and a labeler that never speaks
    assert shape.no_wrong.tolist() == [[True, False, False], [False] * 3]
    assert shape.no_right.tolist() == [[False, False, True], [False] * 3]
    assert shape.free.tolist() == [[False, True, False], [False] * 3]


def test_the_rows_of_a_labeler_by_code():
    shape = layout(["a", "bc"], [], ["ab", "c", "b"])
    votes, abstain = np.arange(10.0).reshape(5, 2), np.array([[-1.0, -1.0], [-2.0, -2.0], [-3.0, -3.0]])
    assert shape.by_code(0, votes, abstain).tolist() == [[-1, -1], [0, 1], [2, 3]]
    assert shape.by_code(1, votes, abstain).tolist() == [[-2, -2]]
    assert shape.by_code(2, votes).tolist() == [[0, 0], [4, 5], [6, 7], [8, 9]]
    assert shape.rows_of(np.array([[2, 0, 3], [1, 0, 1]], np.uint8))[:, [0, 2]].tolist() == [[1, 4], [0, 2]]
    assert shape.rows_of(np.array([[0, 0, 0]], np.uint8)).min() >= 0


def test_votes_as_zeros_and_ones():
    shape, out = layout(["a", "bc"], ["c"]), np.full((3, 4), 7.0)
    one_hot(np.array([[1, 2, 0, 2], [1, 0, 0, 1]]), shape.sizes, out)
    assert out.tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [1, 0, 0, 1]]


def test_how_often_each_shortlist_was_voted():
    shape = layout(["a", "bc"], [], ["c"])
    columns = np.array([[1, 2, 0, 2], [0, 0, 0, 0], [1, 0, 0, 1]])
    assert vote_counts(columns, np.array([1.0, 2.0, 3.0, 4.0]), shape).tolist() == [1, 6, 5]
