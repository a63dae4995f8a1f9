import numpy as np

from shortlist import LabelSpace
from shortlist.labelmodel.formulae.layout import Layout
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
