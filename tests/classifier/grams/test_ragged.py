"""Rows of different lengths: taken in any order, and joined."""

import numpy as np

from shortlist.classifier.grams.ragged import Ragged

ROWS = Ragged.of_lengths(np.array([7, 8, 9]), [2, 0, 1])  # [7, 8], [], [9]


def test_each_item_knows_its_row():
    assert len(ROWS) == 3
    assert ROWS.rows.tolist() == [0, 0, 2]


def test_rows_are_taken_in_any_order_and_more_than_once():
    taken = ROWS.take(np.array([2, 0, 1, 2]))
    assert taken.items.tolist() == [9, 7, 8, 9]
    assert taken.lengths.tolist() == [1, 2, 0, 1]


def test_groups_of_rows_become_rows():
    joined = ROWS.joined(Ragged.of_lengths(np.array([0, 2, 1]), [2, 1]))  # rows 0 and 2, then row 1
    assert joined.items.tolist() == [7, 8, 9]
    assert joined.lengths.tolist() == [3, 0]
