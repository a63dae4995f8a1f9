"""Balance: how frequent classes are among the rows with a vote, as these votes have it, and rows of known class."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.says import Says

BALANCE_ROWS = 30.0  # rows that the prior is worth: equal classes to votes, and what votes say to gold rows
FEWEST = 3  # labelers, and votes on a row: with two, it is not determined which of them is right
UNEVEN = 0.25  # of its mean: the number of votes on a row differs by less (standard deviation), where it is even
UNEXPLAINED = 0.05  # gold rows whose class has nothing to do with their votes, as far as the balance is concerned


def believed_balance(mass: Floats) -> Floats:
    """(k,): the shares of classes, of which so many rows (k,) are expected. Some rows of equal classes are added."""
    balance: Floats = mass + BALANCE_ROWS / len(mass)
    shares: Floats = balance / np.sum(balance)
    return shares


def balance_weight(sample: Sample, says: Says) -> float:
    """How far labelers show how frequent classes are, by how often they name each: 0, not at all, to 1.

    They name each class by itself, and are assigned to rows. They show it on rows with at least three of their votes,
    as far as it is no preference of theirs.
    """
    naming = says.naming
    if np.count_nonzero(naming) < FEWEST:
        return 0.0
    votes = sample.votes_of(naming)
    if not evenly_spread(votes, sample.weights):
        return 0.0
    often = float(sample.weights @ (votes >= FEWEST)) / float(sample.weights.sum())
    return often * no_preference(says.answers[naming], says.propensity[naming])


def evenly_spread(votes: Floats, weights: Floats) -> bool:
    """Whether rows have nearly the same number of votes (u,). So it is with people who are assigned to rows.

    Rules choose their rows: how many of them vote differs from row to row.
    """
    mean = float(np.average(votes, weights=weights))
    return float(np.average((votes - mean) ** 2, weights=weights)) <= (UNEVEN * mean) ** 2


def no_preference(answers: Floats, votes: Floats) -> float:
    """The part of what labelers (n, k) answer more or less often that is no preference of single labelers: 0 to 1.

    Classes may be unequal, or each labeler may prefer some. If all of it were preference, the squared distance D of
    their mean answer from equal classes would be expected to be V, as far as labelers differ from one another. So
    1 − V / D is the rest. What all of them prefer is not seen.
    """
    weights = votes / votes.sum()
    mean, alone = weights @ answers, float(weights @ weights)
    differ = float(weights @ ((answers - mean) ** 2).sum(axis=1))
    apart = float(((mean - 1 / len(mean)) ** 2).sum())
    return max(0.0, 1 - differ * alone / ((1 - alone) * apart)) if apart > 0 and alone < 1 else 0.0


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
