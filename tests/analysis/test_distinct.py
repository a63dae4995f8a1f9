"""Whether rows repeat, by a look at some of them."""

import numpy as np
import pytest

from shortlist import Votes
from shortlist.analysis.distinct import LOOK, seldom_repeat


def votes_of(codes):
    n = codes.shape[1]
    return Votes(codes, [[frozenset(["yes"])]] * n, ["yes", "no"], [f"rule {i}" for i in range(n)])


@pytest.mark.parametrize("n", [20, 80])  # rows of one word of 64 bits, and of two
def test_rows_that_differ_and_rows_that_repeat(n):
    m = LOOK + 2_000
    number = np.arange(m)[:, None] >> np.arange(n) % 20 & 1  # every row another number, in bits
    assert seldom_repeat(votes_of(number.astype(np.uint8)))
    half = (np.arange(m) // 2)[:, None] >> np.arange(n) % 20 & 1  # every row twice
    assert not seldom_repeat(votes_of(half.astype(np.uint8)))
    assert not seldom_repeat(votes_of(number[:LOOK].astype(np.uint8)))  # few rows are not worth the look
