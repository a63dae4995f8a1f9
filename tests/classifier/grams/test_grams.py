"""n-grams of numbers: what stands where, which are kept, and that files can bring them back."""

import numpy as np

from shortlist.classifier.grams.grams import Grams
from shortlist.classifier.grams.ragged import Ragged


def rows(*lists):
    return Ragged.of_lengths(np.array([x for row in lists for x in row], np.int64), [len(row) for row in lists])


def as_lists(ragged):
    return [ragged.items[a:b].tolist() for a, b in zip(ragged.ends, ragged.ends[1:], strict=False)]


def test_n_grams_worked_by_hand():
    grams = Grams((1, 2), 9)
    counts = grams.fit_count(rows([0, 1, 0, 1], [], [2]), 3)
    assert as_lists(grams.grams()) == [[0], [1], [2], [0, 1], [1, 0]]
    assert counts.toarray().tolist() == [[2, 2, 0, 2, 1], [0] * 5, [0, 0, 1, 0, 0]]


def test_a_row_shorter_than_all_n_grams_is_one_itself_where_that_is_asked_for():
    short = rows([0, 1], [0, 1, 1])
    for whole, expected in ((True, [[0, 1], [0, 1, 1]]), (False, [[0, 1, 1]])):
        grams = Grams((3, 3), 9, whole=whole)
        grams.fit_count(short, 2)
        assert as_lists(grams.grams()) == expected


def test_rows_that_weigh_more_decide_what_is_kept():
    grams = Grams((1, 1), 1)
    grams.fit_count(rows([0, 0], [1]), 2, np.array([1.0, 3.0]))
    assert as_lists(grams.grams()) == [[1]]


def test_of_equally_frequent_ones_the_first_are_kept_whatever_the_order_of_rows():
    for order in ([[2], [0], [1]], [[1], [2], [0]]):
        grams = Grams((1, 1), 2)
        grams.fit_count(rows(*order), 3)
        assert as_lists(grams.grams()) == [[0], [1]]


def test_restored_n_grams_keep_the_order_they_are_given_in():
    known = rows([1, 0], [2], [0])
    grams = Grams((1, 2), 9).restore(known, 3)
    assert as_lists(grams.grams()) == as_lists(known)
    assert grams.count(rows([1, 0, -1, 0, 2, 1])).toarray().tolist() == [[1, 1, 2]]
