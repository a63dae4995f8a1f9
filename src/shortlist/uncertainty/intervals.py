"""Intervals for the accuracies of a fitted label model.

The default estimator has its own. For the likelihood, they come from Fisher's information of votes and prior about the
log-odds of the parameters, by Louis' identity (1982):

I = Σ_a w_a ( E[ −∂² log P(G_a, Y) ] − Cov[ ∂ log P(G_a, Y) ] ),    Y ~ P(Y | G_a)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtri

from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.labelmodel.likelihood import Parameters, emission, log_joint, posterior
from shortlist.labelmodel.m_step import vote_counts
from shortlist.votes import Votes
from shortlist.wording import text_table

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

Index = npt.NDArray[np.int64]
ABSENT = -1


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """Intervals for the accuracies α_ij of a LabelModel: lower and upper ends, (n, k) both."""

    lower: Floats
    upper: Floats
    level: float
    labelers: tuple[str, ...]
    classes: tuple[str, ...]

    def __repr__(self) -> str:
        """A line for each labeler: the interval of its accuracy on every class."""
        lines = [
            [name, *(f"{low:.0%} to {high:.0%}" for low, high in zip(lower, upper, strict=True))]
            for name, lower, upper in zip(self.labelers, self.lower, self.upper, strict=True)
        ]
        return f"Intervals ({self.level:.0%}) of accuracies\n{text_table(['labeler', *self.classes], lines)}"


def intervals(model: LabelModel, *, level: float = 0.9) -> Intervals:
    """Intervals that hold the true accuracies about `level` of the time, if the model is true.

    The default estimator knows them from how many votes the other labelers are sure about. For the likelihood, they
    come from its curvature at the fit. They cover chance, not labelers that depend on one another beyond the class.
    """
    if not 0 < level < 1:
        raise BadFit(f"level is a share of times, between 0 and 1; got {level!r}")
    if not hasattr(model, "estimate_"):
        from shortlist.errors import NotFitted  # imports scikit-learn

        raise NotFitted(f"this {type(model).__name__} is not fitted: call fit(votes) first")
    ends = model.estimate_.accuracy_interval(level)
    lower, upper = Curvature(model).intervals(level) if ends is None else ends
    return Intervals(lower, upper, level, model.panel_.names, tuple(model.panel_.space))


class Curvature:
    """The penalised likelihood of a fitted model near the fit, in the log-odds of its free parameters.

    Parameters are moved to at least half a vote away from 0 and 1, so that their log-odds are finite. `accuracy_at`
    and `propensity_at` (n, k) and `balance_at` (k,) say where in one vector each parameter is; −1: it is not free.
    """

    def __init__(self, model: LabelModel) -> None:
        evidence, self.layout = _sampled(model.evidence_), model.panel_.layout
        self.codes, self.weights, self.gold = model.panel_.codes(evidence.votes), evidence.weights, evidence.gold
        counts = vote_counts(self.codes.T, self.weights, self.layout)
        assumptions = model.estimate_.assumptions(counts, evidence.total)
        if assumptions is None:
            raise BadFit(
                f"the table of this {type(model).__name__} is not made from accuracies and propensities as in the "
                "paper, so its likelihood has no derivatives here. For intervals, let its estimate have "
                "`accuracy_interval(level)`"
            )
        self.assumptions = assumptions
        self.voted = (self.codes > 0).astype(np.float64)  # (u, n)
        self._number_coordinates()
        self.parameters = model.parameters_
        self.beliefs = self._beliefs()
        self.parameters = self._inside()
        self.beliefs = self._beliefs()

    def _number_coordinates(self) -> None:
        """A shared accuracy has one place for all classes; of the balance, the last class has none."""
        free, k = self.layout.free, self.layout.k
        numbered = np.any(free, axis=1, keepdims=True) if self.assumptions.shared_accuracy else free
        self.accuracy_at = np.where(free, _numbered(numbered), ABSENT)
        voting = np.repeat(np.array(self.layout.sizes)[:, None] > 0, k, axis=1)
        self.size = 1 + int(self.accuracy_at.max(initial=ABSENT))
        self.propensity_at = _numbered(voting & self.assumptions.learn_class_propensity, self.size)
        self.size = max(self.size, 1 + int(self.propensity_at.max(initial=ABSENT)))
        self.balance_at = _numbered((np.arange(k) < k - 1) & self.assumptions.learn_balance, self.size)
        self.size = max(self.size, 1 + int(self.balance_at.max(initial=ABSENT)))

    def _beliefs(self) -> Floats:
        beliefs = posterior(log_joint(self.codes, emission(self.parameters, self.layout), self.layout))
        known = self.gold >= 0
        beliefs[known] = np.eye(self.layout.k)[self.gold[known]]
        return beliefs

    @property
    def _expected(self) -> tuple[Floats, Floats]:
        """Expected votes of each labeler on rows of each class (n, k), and rows of each class (k,)."""
        rows = self.weights[:, None] * self.beliefs
        return self.voted.T @ rows, rows.sum(axis=0)

    def _inside(self) -> Parameters:
        def half_a_vote_in(p: Floats, counts: Floats) -> Floats:
            least = 0.5 / (counts + 1)
            return np.clip(p, least, 1 - least)

        parameters, (votes, mass) = self.parameters, self._expected
        propensity = parameters.propensity
        if self.assumptions.learn_class_propensity:
            propensity = half_a_vote_in(propensity, mass)
        balance = np.maximum(parameters.balance, 0.5 / (mass.sum() + 1))
        accuracy = half_a_vote_in(parameters.accuracy, votes)
        return replace(parameters, accuracy=accuracy, propensity=propensity, balance=balance / balance.sum())

    def _gradient(self, j: int) -> tuple[Index, Floats]:
        """∂ log P(G_a, y_j): the coordinates that class j has, and (u, p)."""
        p = self.parameters
        accuracies = np.flatnonzero(self.accuracy_at[:, j] != ABSENT)
        propensities = np.flatnonzero(self.propensity_at[:, j] != ABSENT)
        classes = np.flatnonzero(self.balance_at != ABSENT)
        hits = self.layout.member[self.layout.rows_of(self.codes)[:, accuracies], j]
        parts = [
            self.voted[:, accuracies] * (hits - p.accuracy[accuracies, j]),
            self.voted[:, propensities] - p.propensity[propensities, j],
            np.tile((classes == j) - p.balance[classes], (len(self.weights), 1)),
        ]
        index = (self.accuracy_at[accuracies, j], self.propensity_at[propensities, j], self.balance_at[classes])
        return np.concatenate(index), np.concatenate(parts, axis=1)

    def _complete(self) -> Floats:
        """(size, size): the information of votes and prior if all classes were known."""
        (votes, mass), p, assumptions = self._expected, self.parameters, self.assumptions
        counts, variance = np.zeros(self.size), np.zeros(self.size)
        for at, expected, share, worth in (
            (self.accuracy_at, votes, p.accuracy, assumptions.accuracy_votes),
            (self.propensity_at, np.broadcast_to(mass, votes.shape), p.propensity, assumptions.propensity_rows),
        ):
            free = at != ABSENT
            counts[at[free]] = worth
            np.add.at(counts, at[free], expected[free])
            variance[at[free]] = (share * (1 - share))[free]
        information = np.diag(counts * variance)
        classes = self.balance_at != ABSENT
        pi, at = p.balance[classes], self.balance_at[classes]
        total = mass.sum() + assumptions.balance_rows
        information[np.ix_(at, at)] += total * (np.diag(pi) - np.outer(pi, pi))
        return information

    def information(self) -> Floats:
        """(size, size): minus the second derivative; what is lost because classes are unknown is Σ_a w_a Cov[∂]."""
        total, mean = self._complete(), np.zeros((len(self.weights), self.size))
        for j in range(self.layout.k):
            at, slope = self._gradient(j)
            mean[:, at] += self.beliefs[:, j, None] * slope
            total[np.ix_(at, at)] -= slope.T @ ((self.weights * self.beliefs[:, j])[:, None] * slope)
        total += mean.T @ (self.weights[:, None] * mean)
        return total

    @cached_property
    def covariance(self) -> Floats:
        with one_blas_thread():
            return inverse(self.information())

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Lower and upper ends of accuracies, (n, k). A labeler without any shortlist may have any accuracy."""
        free, p = self.accuracy_at != ABSENT, self.parameters.accuracy
        reach = np.zeros(p.shape)
        reach[free] = ndtri((1 + level) / 2) * np.sqrt(self.covariance.diagonal())[self.accuracy_at[free]]
        silent = np.array(self.layout.sizes) == 0
        ends = []
        for sign, any_value in ((-1, 0.0), (1, 1.0)):
            end = self.assumptions.settled(expit(logit(p) + sign * reach))
            end[silent] = any_value
            ends.append(end)
        return ends[0], ends[1]

    def errors(self, weights: Floats) -> Floats:
        """(n,): standard errors of the weighted means (n, k) of each labeler's accuracies, by the delta method."""
        alpha, free = self.parameters.accuracy, self.accuracy_at != ABSENT
        slopes = np.zeros((len(alpha), self.size))
        np.add.at(slopes, (np.nonzero(free)[0], self.accuracy_at[free]), (weights * alpha * (1 - alpha))[free])
        errors: Floats = np.sqrt(np.einsum("ij,jk,ik->i", slopes, self.covariance, slopes))
        return errors


def _numbered(mask: npt.NDArray[np.bool_], start: int = 0) -> Index:
    index = np.full(mask.shape, ABSENT)
    index[mask] = np.arange(start, start + int(mask.sum()))
    return index


def _sampled(evidence: Evidence, most: int = 5_000) -> Evidence:
    """All rows, or a random sample that weighs as much: its curvature is right to a percent or two."""
    if len(evidence.weights) <= most:
        return evidence
    drawn = np.random.default_rng(0).multinomial(most, evidence.weights / evidence.total)
    kept = drawn > 0
    codes = Votes(evidence.votes.codes[kept], evidence.votes.codomains, evidence.votes.space, evidence.votes.names)
    weights: Floats = drawn[kept] * np.float64(evidence.total / most)
    return Evidence(codes, weights, evidence.gold[kept])


def inverse(information: Floats) -> Floats:
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
