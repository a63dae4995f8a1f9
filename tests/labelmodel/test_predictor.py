import numpy as np

from shortlist.labelmodel.predictor import most_likely, smallest_sets


def test_ties_go_to_the_larger_share_then_to_the_first_class():
    beliefs = np.array([[0.4, 0.4, 0.2], [0.4, 0.4 - 1e-13, 0.2], [0.3, 0.4, 0.3], [1 / 3, 1 / 3, 1 / 3]])
    assert most_likely(beliefs, np.array([1, 1, 1]) / 3).tolist() == [0, 0, 1, 0]
    assert most_likely(beliefs, np.array([0.3, 0.5, 0.2])).tolist() == [1, 1, 1, 1]


def test_the_smallest_set_by_hand():
    beliefs = np.array([[0.05, 0.9, 0.05], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    assert smallest_sets(beliefs, 0.9).tolist() == [[False, True, False], [True, True, True], [True, True, True]]
    assert smallest_sets(beliefs, 0.8).tolist() == [[False, True, False], [True, True, False], [True, False, True]]
