"""Formulae: Bayes' rule for votes and rows.

Given the class, what labelers say about a row and what else the row holds are taken to be independent:

    P(class | votes, row)  ∝  P(votes | class) · P(row | class) · P(class)

- P(votes | class) is, up to a factor for each row, what votes make believe, divided by the class shares in it.
- P(row | class) is, likewise, a prediction from the row, divided by its mean, to a power (`Teacher`): a model that
  learns from uncertain labels is less sure than it could be. The prediction must not have seen the row's own votes, or
  they would count twice (`RowEvidence`).

The result teaches the next round, in which rows without a vote take part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from shortlist.arrays import Floats, Mask, Positions
from shortlist.joint.row_evidence import RowEvidence
from shortlist.votes import Votes

ROUNDS = 3  # how often votes and rows are combined
STEPS = 20  # of the search for class shares
SURENESS = 0.4  # power of beliefs in the end: votes and rows are not independent, and err together
LEAST = 1e-6  # belief in a class that no vote allows: rows can be wrong about their votes
FLOOR = 0.02  # of predictions, spread over all classes


class Combined(NamedTuple):
    """Beliefs (m, k), what rows alone say (m, k), and class shares (k,)."""

    beliefs: Floats
    rows: Floats
    shares: Floats


def combine(
    tables: Sequence[Floats],
    powers: Sequence[float],
    covered: Mask,
    gold: Positions,
    balance: Floats | None,
    evidence: RowEvidence,
    weights: Floats,
) -> list[Combined]:
    """Beliefs by each table of P(votes | class) and power of the rows; gold rows (−1: unknown) have their class.

    What is believed of a gold row is what its votes and the other rows say: its own gold label has no part in it.
    """
    k = tables[0].shape[1]
    certain, is_gold = np.eye(k)[np.maximum(gold, 0)], (gold >= 0)[:, None]
    every = [np.where(covered[:, None], table, table[covered].mean(axis=0)) for table in tables]
    for _ in range(ROUNDS):
        lessons = np.hstack([np.where(is_gold, certain, beliefs) for beliefs in every])
        predicted = np.hsplit(np.maximum(evidence.predict(lessons, weights), 0.0) + FLOOR / k, len(tables))
        made = [
            _combined(table, each, power, covered, gold, balance)
            for table, each, power in zip(tables, predicted, powers, strict=True)
        ]
        every = [one.beliefs for one in made]
    return made


def _combined(
    table: Floats, predicted: Floats, power: float, covered: Mask, gold: Positions, balance: Floats | None
) -> Combined:
    rows = row_likelihood(predicted, power)
    shares = class_shares(table[covered], rows[covered], gold) if balance is None else balance
    return Combined(posterior(table, rows, shares), normalised(predicted), shares)


def normalised(table: Floats) -> Floats:
    """Each row divided by its sum."""
    shares: Floats = table / table.sum(axis=1, keepdims=True)
    return shares


def row_likelihood(predicted: Floats, power: float) -> Floats:
    """P(row | class) of each row, up to a factor: predictions over their mean, to the power."""
    lifts = predicted / predicted.mean(axis=0)
    return normalised((lifts / lifts.max(axis=1, keepdims=True)) ** power)


def posterior(votes: Floats, rows: Floats, shares: Floats) -> Floats:
    """P(class | votes, row) from both likelihoods (m, k) and the class shares (k,)."""
    return normalised(np.maximum(votes, LEAST) * np.maximum(rows, LEAST**2) * shares)


def tempered(beliefs: Floats, power: float = SURENESS) -> Floats:
    """Beliefs to a power: the same classes, less sure."""
    return normalised((beliefs / beliefs.max(axis=1, keepdims=True)) ** power)


def likelihood_of(model: Any, votes: Votes) -> Floats:
    """P(votes | class) up to a factor, by a fitted label model; equal for rows without a vote."""
    beliefs = np.maximum(model.predict_proba(votes), LEAST) / np.maximum(model.class_balance_, LEAST)
    return np.where(votes.covered[:, None], normalised(beliefs), 1 / beliefs.shape[1])


def class_shares(votes: Floats, rows: Floats, gold: Positions) -> Floats:
    """(k,): the shares of gold rows; k rows of a guess count beside them, which is all without gold.

    The guess is half way between the mean of the votes, which are equally likely for frequent and rare classes, and the
    shares for which votes and rows agree. The first is too equal, the second can run away.
    """
    k = votes.shape[1]
    counts = np.bincount(gold[gold >= 0], minlength=k)
    guess = (votes.mean(axis=0) + agreed_shares(votes, rows)) / 2
    shares: Floats = (counts + k * guess) / (counts.sum() + k)
    return shares


def agreed_shares(votes: Floats, rows: Floats) -> Floats:
    """(k,): the shares with which P(class | row) and P(class | votes, row) have the same mean."""
    shares: Floats = votes.mean(axis=0)
    for _ in range(STEPS):
        shares = shares * posterior(votes, rows, shares).mean(axis=0) / normalised(rows * shares).mean(axis=0)
        shares /= shares.sum()
    return shares
