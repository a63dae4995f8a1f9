"""Formulae: Bayes' rule for votes and rows.

Given the class, what labelers say about a row and what else the row holds are taken to be independent:

    P(class | votes, row)  ∝  P(votes | class) · P(row | class) · P(class)

- P(votes | class) is, up to a factor for each row, what votes make believe, divided by the class shares in it.
- P(row | class) is, likewise, what a classifier predicts, divided by its mean prediction. The classifier must not have
  seen the row's own votes, or they would count twice. So it is cross-fitted.
- A classifier that learns from uncertain labels is less sure than it could be: its log-odds are too small. They are
  multiplied by `power`. With a power of 1 the division would let the shares decide most rows.
"""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats, Positions

LEAST = 1e-6  # belief in a class that no vote allows: rows can be wrong about their votes


def normalised(table: Floats) -> Floats:
    """Each row divided by its sum."""
    shares: Floats = table / table.sum(axis=1, keepdims=True)
    return shares


def vote_likelihood(beliefs: Floats, balance: Floats) -> Floats:
    """P(votes | class) of each row, up to a factor: beliefs from votes without the balance that is in them."""
    return normalised(np.maximum(beliefs, LEAST) / np.maximum(balance, LEAST))


def lift(predictions: Floats) -> Floats:
    """Predictions of one classifier, divided by their mean."""
    shares: Floats = np.maximum(predictions, LEAST) / np.maximum(predictions.mean(axis=0), LEAST)
    return shares


def row_likelihood(lifts: Floats, power: float) -> Floats:
    """P(row | class) of each row, up to a factor: lifts to the power."""
    return normalised((lifts / lifts.max(axis=1, keepdims=True)) ** power)


def posterior(votes: Floats, rows: Floats, balance: Floats) -> Floats:
    """P(class | votes, row) from both likelihoods (m, k) and the class shares (k,) or (m, k)."""
    return normalised(np.maximum(votes, LEAST) * np.maximum(rows, LEAST**2) * balance)


def class_shares(votes: Floats, gold: Positions) -> Floats:
    """(k,): the shares of gold rows; k rows with the mean belief of votes count beside them."""
    k = votes.shape[1]
    counts = np.bincount(gold[gold >= 0], minlength=k)
    shares: Floats = (counts + k * votes.mean(axis=0)) / (counts.sum() + k)
    return shares


def one_hot(classes: Positions, k: int) -> Floats:
    return np.eye(k)[classes]
