"""Fisher's information of votes and prior about the parameters of a fitted label model, by Louis' identity (1982):

I = Σ_a w_a ( E[ −∂² log P(G_a, Y) ] − Cov[ ∂ log P(G_a, Y) ] ),    Y ~ P(Y | G_a)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.linalg import block_diag

from shortlist.arrays import Floats
from shortlist.errors import BadFit, NotFitted
from shortlist.labelmodel.evidence import Evidence, Gold
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import Emission, Parameters, emission, log_joint, posterior
from shortlist.labelmodel.m_step import Assumptions, vote_counts
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

Index = npt.NDArray[np.int64]
ABSENT = -1


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Position of each parameter in one vector of log-odds; −1 where it is not free, or the same for all classes.

    The balance has one coordinate a class, of which only differences matter: `basis` turns k of them into k − 1.
    """

    accuracy: Index  # (n, k)
    propensity: Index  # (n, k)
    balance: Index  # (k,)

    @classmethod
    def of(cls, assumptions: Assumptions) -> Coordinates:
        n, k = assumptions.layout.n, assumptions.layout.k
        free = assumptions.layout.free
        shared = np.where(free, _numbered(np.asarray(free.any(axis=1)))[:, None], ABSENT)
        accuracy = shared if assumptions.shared_accuracy else _numbered(free)
        size = int(accuracy.max(initial=ABSENT)) + 1
        voting = np.repeat(np.array(assumptions.layout.sizes)[:, None] > 0, k, axis=1)
        propensity = _numbered(voting, size) if assumptions.learn_class_propensity else np.full((n, k), ABSENT)
        size = max(size, int(propensity.max(initial=ABSENT)) + 1)
        balance = np.arange(size, size + k) if assumptions.learn_balance else np.full(k, ABSENT)
        return cls(accuracy, propensity, balance)

    @cached_property
    def size(self) -> int:
        """Number of coordinates, with all k of the balance."""
        return 1 + max(int(index.max(initial=ABSENT)) for index in (self.accuracy, self.propensity, self.balance))

    @cached_property
    def learns_balance(self) -> bool:
        return bool((self.balance != ABSENT).any())

    @cached_property
    def basis(self) -> Floats:
        """(size, P): the coordinates as linear functions of P free ones."""
        if not self.learns_balance:
            return np.eye(self.size)
        k = len(self.balance)
        contrasts = np.linalg.svd(np.ones((1, k)))[2][1:].T  # (k, k − 1): orthonormal
        return np.asarray(block_diag(np.eye(self.size - k), contrasts), np.float64)


def _numbered(mask: npt.NDArray[np.bool_], start: int = 0) -> Index:
    index = np.full(mask.shape, ABSENT)
    index[mask] = np.arange(start, start + int(mask.sum()))
    return index


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model for differentiation: parameters inside (0, 1), their table, and unique rows with weights."""

    panel: Panel
    assumptions: Assumptions
    parameters: Parameters
    table: Emission
    codes: Codes  # (u, n)
    weights: Floats  # (u,)
    gold: npt.NDArray[np.int64]  # (u,): −1 where unknown
    coordinates: Coordinates

    @property
    def layout(self) -> Layout:
        return self.panel.layout

    @classmethod
    def of(cls, model: LabelModel, evidence: Evidence) -> Fitted:
        """A model of the paper's family at its fitted values, moved off 0 and 1."""
        panel, parameters = model.panel_, model.parameters_
        codes = panel.codes(evidence.votes)
        counts = vote_counts(codes.T, evidence.weights, panel.layout)
        assumptions = model.estimate_.assumptions(counts, evidence.total)
        if assumptions is None:
            raise BadFit(
                f"the table of this {type(model).__name__} is not made from accuracies and propensities as in the "
                "paper, so its likelihood has no derivatives here. For intervals, let its estimate have "
                "`accuracy_interval(level)`"
            )
        table, unknown = emission(parameters, panel.layout), np.full(len(codes), -1)
        coordinates = Coordinates.of(assumptions)
        fitted = cls(panel, assumptions, parameters, table, codes, evidence.weights, unknown, coordinates)
        parameters = _inside(fitted)
        return replace(fitted, parameters=parameters, table=emission(parameters, panel.layout), gold=evidence.gold)


def evidence_of(
    model: LabelModel, votes: Votes | Iterable[Votes] | None, gold: Gold | None, weights: npt.ArrayLike | None
) -> Evidence:
    """Evidence of these votes, or, without votes, that the model was fitted on."""
    if not hasattr(model, "parameters_"):
        raise NotFitted(f"this {type(model).__name__} is not fitted: call fit(votes) first")
    if votes is not None:
        return Evidence.gather(votes, gold, weights)
    if gold is not None or weights is not None:
        raise BadFit("gold and weights go with votes: give the votes too, or neither to use what the model has seen")
    return model.evidence_


def _inside(fitted: Fitted) -> Parameters:
    """Parameters at least half a vote away from 0 and 1, so that log-odds are finite."""
    parameters, (votes, mass) = fitted.parameters, expected_counts(fitted)
    propensity = parameters.propensity
    if fitted.assumptions.propensity_by_class:
        propensity = _half_a_vote_in(propensity, np.broadcast_to(mass, propensity.shape))
    balance = np.maximum(parameters.balance, 0.5 / (mass.sum() + 1))
    accuracy = _half_a_vote_in(parameters.accuracy, votes)
    return replace(parameters, accuracy=accuracy, propensity=propensity, balance=balance / balance.sum())


def _half_a_vote_in(p: Floats, counts: Floats) -> Floats:
    least = 0.5 / (counts + 1)
    return np.clip(p, least, 1 - least)


@dataclass(frozen=True, eq=False)
class PatternBlock:
    """Patterns with their weights, beliefs and votes."""

    weights: Floats  # (u,)
    beliefs: Floats  # (u, k)
    voted: Floats  # (u, n)
    at: Index  # (u, n): row of the vote in the layout; any row where there is none


def blocks(fitted: Fitted, size: int = 4096) -> Iterator[PatternBlock]:
    """All patterns in blocks. A gold label is the belief."""
    layout = fitted.layout
    for start in range(0, len(fitted.codes), size):
        part = slice(start, start + size)
        codes, gold = fitted.codes[part], fitted.gold[part]
        beliefs = posterior(log_joint(codes, fitted.table, layout))
        beliefs[gold >= 0] = np.eye(layout.k)[gold[gold >= 0]]
        yield PatternBlock(fitted.weights[part], beliefs, (codes > 0).astype(np.float64), layout.rows_of(codes))


def expected_counts(fitted: Fitted) -> tuple[Floats, Floats]:
    """Expected votes of each labeler on rows of each class (n, k), and rows of each class (k,)."""
    votes, mass = np.zeros((fitted.layout.n, fitted.layout.k)), np.zeros(fitted.layout.k)
    for block in blocks(fitted):
        rows = block.weights[:, None] * block.beliefs
        votes += block.voted.T @ rows
        mass += rows.sum(axis=0)
    return votes, mass


def _gradient(block: PatternBlock, fitted: Fitted, j: int) -> tuple[Index, Floats]:
    """∂ log P(G_a, y_j): the coordinates that class j has, and (u, p)."""
    coordinates, parameters = fitted.coordinates, fitted.parameters
    accuracies = np.flatnonzero(coordinates.accuracy[:, j] != ABSENT)
    propensities = np.flatnonzero(coordinates.propensity[:, j] != ABSENT)
    hits = fitted.layout.member[block.at[:, accuracies], j]
    index = [coordinates.accuracy[accuracies, j], coordinates.propensity[propensities, j]]
    parts = [block.voted[:, accuracies] * (hits - parameters.accuracy[accuracies, j])]
    if len(propensities):
        parts.append(block.voted[:, propensities] - parameters.propensity[propensities, j])
    if coordinates.learns_balance:
        index.append(coordinates.balance)
        parts.append(np.tile(np.eye(fitted.layout.k)[j] - parameters.balance, (len(block.weights), 1)))
    return np.concatenate(index), np.concatenate(parts, axis=1)


def scores(block: PatternBlock, fitted: Fitted) -> Floats:
    """∂ log P(G_a) for each pattern, (u, size): the mean of the gradients under the beliefs."""
    total = np.zeros((len(block.weights), fitted.coordinates.size))
    for j in range(fitted.layout.k):
        index, slope = _gradient(block, fitted, j)
        total[:, index] += block.beliefs[:, j, None] * slope
    return total


def _lost(block: PatternBlock, fitted: Fitted) -> Floats:
    """Σ_a w_a Cov[∂ log P(G_a, Y)]: the information that is lost because classes are unknown."""
    mean = scores(block, fitted)
    total = -(mean.T @ (block.weights[:, None] * mean))
    for j in range(fitted.layout.k):
        index, slope = _gradient(block, fitted, j)
        total[np.ix_(index, index)] += slope.T @ ((block.weights * block.beliefs[:, j])[:, None] * slope)
    return total


def complete_information(fitted: Fitted, *, prior: bool) -> Floats:
    """(size, size): the information if all classes were known."""
    votes, mass = expected_counts(fitted)
    coordinates, parameters, assumptions = fitted.coordinates, fitted.parameters, fitted.assumptions
    counts, variance = np.zeros(coordinates.size), np.zeros(coordinates.size)
    rows = np.broadcast_to(mass, votes.shape)
    for index, expected, p, worth in (
        (coordinates.accuracy, votes, parameters.accuracy, assumptions.accuracy_votes),
        (coordinates.propensity, rows, parameters.propensity, assumptions.propensity_rows),
    ):
        free = index != ABSENT
        if free.any():  # propensities that are not free may be (n,)
            counts[index[free]] = worth * prior
            np.add.at(counts, index[free], expected[free])
            variance[index[free]] = (p * (1 - p))[free]
    information = np.diag(counts * variance)
    if coordinates.learns_balance:
        pi, at = parameters.balance, coordinates.balance
        total = mass.sum() + assumptions.balance_rows * prior
        information[np.ix_(at, at)] += total * (np.diag(pi) - np.outer(pi, pi))
    return information


def observed_information(fitted: Fitted) -> Floats:
    """(P, P): minus the second derivative of the penalised log-likelihood, in the coordinates of the basis."""
    total = complete_information(fitted, prior=True)
    for block in blocks(fitted):
        total -= _lost(block, fitted)
    return np.asarray(fitted.coordinates.basis.T @ total @ fitted.coordinates.basis)


def covariance(information: Floats) -> Floats:
    """Invert the information. Flat directions, and those that bend the wrong way, get a wide interval, never NaN."""
    size = len(information)
    # A standard error of 5 in log-odds reaches from .0003 to .9997 at 90 %. All coordinates may share a flat direction
    least = 1 / (5.0**2 * max(size, 1))
    try:
        np.linalg.cholesky(information - least * np.eye(size))  # fails unless every direction is steeper than that
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(information)
        return np.asarray((vectors / np.maximum(values, least)) @ vectors.T, np.float64)
    return np.asarray(np.linalg.inv(information), np.float64)
