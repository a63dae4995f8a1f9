"""Balance: how frequent classes are among the rows with a vote, as these votes have it, and rows of known class."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from shortlist.arrays import Floats

BALANCE_ROWS = 30.0  # rows that the prior is worth: equal classes to votes, and what votes say to gold rows
UNEXPLAINED = 0.05  # gold rows whose class has nothing to do with their votes, as far as the balance is concerned


def believed_balance(beliefs: Floats, weights: Floats) -> Floats:
    """(k,): the mean of beliefs (u, k) under equal classes, where rows weigh `weights` (u,)."""
    balance: Floats = weights @ beliefs + BALANCE_ROWS / beliefs.shape[1]
    shares: Floats = balance / np.sum(balance)
    return shares


def balance_with_gold(counted: Floats, beliefs: Floats, known: Floats) -> Floats:
    """(k,): the balance that is the likeliest for gold rows, given their votes. The `counted` one is worth some rows.

    It maximises Σ_a Σ_j known_aj log P(j | votes of a) + worth · Σ_j counted_j log P(j). P(j | votes) is in proportion
    to P(j) times the `beliefs` under equal classes (u, k); rows with these votes are `known` to be of each class
    (u, k). So gold rows may have been picked by their votes, as long as beliefs do not rest on them.
    """
    if not known.any():
        return counted
    likelihood = np.log((1 - UNEXPLAINED) * beliefs + UNEXPLAINED / beliefs.shape[1])
    rows, seen = known.sum(axis=1), known.sum(axis=0) + BALANCE_ROWS * counted

    def loss(balance: Floats) -> tuple[float, Floats]:
        of_rows, of_all = log_softmax(likelihood + balance, axis=1), log_softmax(balance)
        expected = rows @ np.exp(of_rows) + BALANCE_ROWS * np.exp(of_all)
        return -float((known * of_rows).sum() + BALANCE_ROWS * counted @ of_all), expected - seen

    best: Floats = np.exp(log_softmax(minimize(loss, np.log(counted), jac=True, method="L-BFGS-B").x))
    return best
