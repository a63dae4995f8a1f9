"""Balance: how frequent classes are among the rows with a vote, as these votes have it, and rows of known class."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.estimators.pooled.says import Says

BALANCE_ROWS = 30.0  # rows that the prior is worth: equal classes to votes, and what votes say to gold rows
FEWEST = 3  # labelers: with two, it is not determined which of their answers are right
ASKED = 0.5  # the number of votes on a row varies by less than this part of what it would if each chose its rows
UNEXPLAINED = 0.05  # gold rows whose class has nothing to do with their votes, as far as the balance is concerned


def believed_balance(mass: Floats) -> Floats:
    """(k,): the shares of classes that so many rows each are believed to be of (k,)."""
    balance: Floats = mass + BALANCE_ROWS / len(mass)
    shares: Floats = balance / np.sum(balance)
    return shares


def told(sample: Sample, says: Says) -> float:
    """How far labelers tell how frequent classes are, by how often they name each: 0, not at all, to 1.

    They name each class by itself, and were asked about rows. It is told on rows where they vote, as far as it is no
    preference of theirs.
    """
    naming = says.naming
    if np.count_nonzero(naming) < FEWEST or not were_asked(sample, naming):
        return 0.0
    return no_preference(says.answers[naming], says.propensity[naming]) * sample.share_with(naming)


def were_asked(sample: Sample, labelers: Mask) -> bool:
    """Whether labelers (n,) were asked about given rows: these have nearly the same number of their votes.

    If each chooses its rows on its own, as rules do, that number has the variance Σ_i β_i (1 − β_i), or more.
    """
    votes = sample.hot @ labelers[sample.layout.owner].astype(np.float64)
    often = sample.layout.per_labeler(sample.weights @ sample.hot)[labelers] / sample.weights.sum()
    variance = float(np.average((votes - often.sum()) ** 2, weights=sample.weights))
    return variance <= ASKED * float((often * (1 - often)).sum())


def no_preference(answers: Floats, votes: Floats) -> float:
    """The part of what labelers (n, k) answer more or less often that is no preference of single labelers: 0 to 1.

    Classes may be unequal, or each labeler may prefer some. If all of it were preference, the mean of their answers
    would be at a squared distance V from equal classes, as far as labelers differ from one another. It is at D. The
    factor of James and Stein, 1 − V / D, is the rest. What all of them prefer is not seen.
    """
    weights = votes / votes.sum()
    mean, many = weights @ answers, 1 / (weights @ weights)  # as many labelers with the same number of votes
    preference = float(weights**2 @ ((answers - mean) ** 2).sum(axis=1)) * many / (many - 1)
    apart = float(((mean - 1 / len(mean)) ** 2).sum())
    return max(0.0, 1 - preference / apart) if apart > 0 else 0.0


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
