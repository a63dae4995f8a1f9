"""Balance: how frequent classes are among the rows with a vote, as these votes have it, and rows of known class."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from shortlist.arrays import Floats
from shortlist.beliefs import leading

PRIOR_ROWS = 30.0  # rows that it is worth that classes are equal; and gold rows, that they are as votes have them
NEVER = 1e-12  # what is believed of a class that votes rule out, and that a row is of all the same


def believed_balance(beliefs: Floats, weights: Floats) -> Floats:
    """(k,): from beliefs (u, k) under equal classes, and what rows weigh (u,).

    Mean beliefs are too equal, since doubt is shared among all classes. The shares of the most likely classes are too
    unequal, since doubtful rows go to the frequent ones. So it is half way between the two.
    """
    first = leading(beliefs)
    both = (beliefs + first / first.sum(axis=1, keepdims=True)) / 2
    balance: Floats = weights @ both + PRIOR_ROWS / beliefs.shape[1]
    shares: Floats = balance / np.sum(balance)
    return shares


def balance_with_gold(counted: Floats, beliefs: Floats, known: Floats) -> Floats:
    """(k,): the balance that is the likeliest for gold rows, given their votes. The `counted` one is worth some rows.

    It maximises Σ_a Σ_j known_aj log P(j | votes of a) + worth · Σ_j counted_j log P(j), where P(j | votes) is in
    proportion to P(j) times the `beliefs` under equal classes (u, k), and rows with these votes are `known` to be of
    each class (u, k). So it does not matter which votes gold rows were picked by, only what they turned out to be.
    """
    if not known.any():
        return counted
    likelihood, rows = np.log(np.maximum(beliefs, NEVER)), known.sum(axis=1)
    seen = known.sum(axis=0) + PRIOR_ROWS * counted

    def loss(balance: Floats) -> tuple[float, Floats]:
        of_rows, of_all = log_softmax(likelihood + balance, axis=1), log_softmax(balance)
        expected = rows @ np.exp(of_rows) + PRIOR_ROWS * np.exp(of_all)
        return -float((known * of_rows).sum() + PRIOR_ROWS * counted @ of_all), expected - seen

    best: Floats = np.exp(log_softmax(minimize(loss, np.log(counted), jac=True, method="L-BFGS-B").x))
    return best
