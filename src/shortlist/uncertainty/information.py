"""Information: how sharply the votes, and the prior, point at the fitted parameters.

The observed information is minus the second derivative of the penalised log-likelihood, exact by Louis' identity
(1982): the information there would be were the classes known, less what is lost because they are not,

    I = Σ_a w_a ( E[ −∂² log P(G_a, Y) ] − Cov[ ∂ log P(G_a, Y) ] ),    Y ~ P(Y | G_a).

In log-odds, the first term is counts × p (1 − p), and the gradient under the covariance is what happened less what
was expected. Rows whose class is known lose nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.likelihood import log_joint, posterior
from shortlist.uncertainty.coordinates import ABSENT, Index
from shortlist.uncertainty.fitted import BLOCK, Fitted


@dataclass(frozen=True, eq=False)
class Block:
    """Some patterns: what they weigh, what is believed of them, who voted, and which shortlist."""

    weights: Floats  # (u,)
    beliefs: Floats  # (u, k)
    voted: Floats  # (u, n)
    at: Index  # (u, n): the row of the vote in the layout; any row where there is none


def blocks(fitted: Fitted) -> Iterator[Block]:
    """All patterns, some at a time. A class that is known is believed."""
    layout = fitted.layout
    for start in range(0, len(fitted.codes), BLOCK):
        part = slice(start, start + BLOCK)
        codes, gold = fitted.codes[part], fitted.gold[part]
        beliefs = posterior(log_joint(codes, fitted.table, layout))
        beliefs[gold >= 0] = np.eye(layout.k)[gold[gold >= 0]]
        yield Block(fitted.weights[part], beliefs, (codes > 0).astype(np.float64), layout.rows_of(codes))


def gradient(block: Block, fitted: Fitted, j: int) -> tuple[Index, Floats]:
    """∂ log P(G_a, y_j) for the coordinates that class j has: which they are, and (u, p)."""
    coordinates, parameters = fitted.coordinates, fitted.parameters
    able, counted = coordinates.of_class(j)
    hits = fitted.layout.member[block.at[:, able], j]
    index = [coordinates.accuracy[able, j], coordinates.propensity[counted, j]]
    parts = [block.voted[:, able] * (hits - parameters.accuracy[able, j])]
    if len(counted):
        parts.append(block.voted[:, counted] - parameters.propensity[counted, j])
    if coordinates.learns_balance:
        index.append(coordinates.balance)
        parts.append(np.tile(np.eye(fitted.layout.k)[j] - parameters.balance, (len(block.weights), 1)))
    return np.concatenate(index), np.concatenate(parts, axis=1)


def scores(block: Block, fitted: Fitted) -> Floats:
    """∂ log P(G_a) for each pattern, (u, size): the gradients as far as each class is believed."""
    total = np.zeros((len(block.weights), fitted.coordinates.size))
    for j in range(fitted.layout.k):
        index, slope = gradient(block, fitted, j)
        total[:, index] += block.beliefs[:, j, None] * slope
    return total


def lost(block: Block, fitted: Fitted) -> Floats:
    """Σ_a w_a Cov[∂ log P(G_a, Y)]: the information that is missing with the classes."""
    mean = scores(block, fitted)
    total = -(mean.T @ (block.weights[:, None] * mean))
    for j in range(fitted.layout.k):
        index, slope = gradient(block, fitted, j)
        total[np.ix_(index, index)] += slope.T @ ((block.weights * block.beliefs[:, j])[:, None] * slope)
    return total


def complete(fitted: Fitted) -> Floats:
    """The information there would be were all classes known, with the prior's."""
    votes, mass = expected_counts(fitted)
    coordinates, parameters = fitted.coordinates, fitted.parameters
    counts, variance = coordinates.prior_weights(fitted.assumptions), np.zeros(coordinates.size)
    for index, seen, p in (
        (coordinates.accuracy, votes, parameters.accuracy),
        (coordinates.propensity, np.broadcast_to(mass, votes.shape), parameters.propensity),
    ):
        free = index != ABSENT
        if free.any():
            np.add.at(counts, index[free], seen[free])
            variance[index[free]] = (p * (1 - p))[free]
    information = np.diag(counts * variance)
    if coordinates.learns_balance:
        pi, at = parameters.balance, coordinates.balance
        rows = mass.sum() + fitted.assumptions.balance_rows
        information[np.ix_(at, at)] += rows * (np.diag(pi) - np.outer(pi, pi))
    return information


def expected_counts(fitted: Fitted) -> tuple[Floats, Floats]:
    """Votes of each labeler on rows of each class (n, k), and rows of each class (k,), as believed."""
    votes, mass = np.zeros((fitted.layout.n, fitted.layout.k)), np.zeros(fitted.layout.k)
    for block in blocks(fitted):
        rows = block.weights[:, None] * block.beliefs
        votes += block.voted.T @ rows
        mass += rows.sum(axis=0)
    return votes, mass


def observed_information(fitted: Fitted) -> Floats:
    """(P, P): minus the second derivative of the penalised log-likelihood, in the coordinates of the basis."""
    total = complete(fitted)
    for block in blocks(fitted):
        total -= lost(block, fitted)
    information: Floats = fitted.coordinates.basis.T @ total @ fitted.coordinates.basis
    return information
