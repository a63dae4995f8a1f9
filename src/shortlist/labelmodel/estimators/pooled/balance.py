"""Balance: how frequent classes are among the rows with a vote, as these votes have it."""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats
from shortlist.beliefs import leading

EQUAL_ROWS = 30.0  # rows that it is worth that classes are equal


def believed_balance(beliefs: Floats, weights: Floats) -> Floats:
    """(k,): from beliefs (u, k) under equal classes, and what rows weigh (u,).

    Mean beliefs are too equal, since doubt is shared among all classes. The shares of the most likely classes are too
    unequal, since doubtful rows go to the frequent ones. So it is half way between the two.
    """
    first = leading(beliefs)
    both = (beliefs + first / first.sum(axis=1, keepdims=True)) / 2
    balance: Floats = weights @ both + EQUAL_ROWS / beliefs.shape[1]
    shares: Floats = balance / np.sum(balance)
    return shares
