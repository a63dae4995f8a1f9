"""The names of kinds of array mean what NumPy makes, and short rows are summed as NumPy does."""

from typing import get_args

import numpy as np
import pytest

from shortlist.arrays import Floats, Mask, Positions, row_largest, row_sums


@pytest.mark.parametrize(
    ("kind", "made"), [(Floats, np.ones(2)), (Positions, np.flatnonzero([1])), (Mask, np.ones(2) > 0)]
)
def test_a_name_stands_for_what_numpy_makes(kind, made):
    (scalar,) = get_args(get_args(kind)[1])
    assert scalar is made.dtype.type


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (5, 2), (7, 64), (7, 64 + 1)])
def test_sums_and_maxima_of_rows_are_those_of_numpy(shape):
    table = np.random.default_rng(0).normal(size=shape)
    assert np.allclose(row_sums(table), table.sum(axis=1, keepdims=True))
    assert np.array_equal(row_largest(table), table.max(axis=1, keepdims=True))
