"""The names of kinds of array mean what NumPy makes."""

from typing import get_args

import numpy as np
import pytest

from shortlist.arrays import Floats, Mask, Positions


@pytest.mark.parametrize(
    ("kind", "made"), [(Floats, np.ones(2)), (Positions, np.flatnonzero([1])), (Mask, np.ones(2) > 0)]
)
def test_a_name_stands_for_what_numpy_makes(kind, made):
    (scalar,) = get_args(get_args(kind)[1])
    assert scalar is made.dtype.type
