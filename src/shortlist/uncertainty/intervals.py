"""Intervals for accuracies, propensities and class balance of a fitted label model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtri
from scipy.stats import beta

from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel.evidence import Gold
from shortlist.labelmodel.likelihood import Parameters
from shortlist.uncertainty.information import ABSENT, Fitted, covariance, evidence_of, observed_information
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes
from shortlist.wording import html_table, text_table

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel


class Interval(NamedTuple):
    """Lower and upper ends, in the shape of the parameters."""

    lower: Floats
    upper: Floats

    @property
    def width(self) -> Floats:
        return self.upper - self.lower


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """Intervals for the parameters of a LabelModel, of width 0 for what is given and not learned."""

    accuracy: Interval  # (n, k)
    propensity: Interval  # (n,)
    class_propensity: Interval  # (n, k)
    class_balance: Interval  # (k,)
    level: float
    labelers: tuple[str, ...]
    classes: tuple[str, ...]

    def __repr__(self) -> str:
        """A line for each labeler: the interval of its accuracy on every class."""
        return f"Intervals ({self.level:.0%}) of accuracies\n{text_table(*self._lines())}"

    def _repr_html_(self) -> str:
        return f"<div>Intervals ({self.level:.0%}) of accuracies{html_table(*self._lines())}</div>"

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        lines = [
            [name, *(f"{low:.0%} to {high:.0%}" for low, high in zip(lower, upper, strict=True))]
            for name, lower, upper in zip(self.labelers, self.accuracy.lower, self.accuracy.upper, strict=True)
        ]
        return ["labeler", *self.classes], lines


def intervals(
    model: LabelModel,
    votes: Votes | Iterable[Votes] | None = None,
    *,
    gold: Gold | None = None,
    weights: npt.ArrayLike | None = None,
    level: float = 0.9,
) -> Intervals:
    """Intervals that hold the true parameters about `level` of the time, if the model is true.

    votes   the votes the model was fitted on; None for those it remembers (with their gold labels and weights)
    level   the share of times, between 0 and 1

    The default estimator knows them from how many votes the other labelers are sure about
    (`estimate_.accuracy_interval(level)`). For the likelihood, they come from its curvature at the fit. They cover
    chance, not labelers that depend on one another beyond the class.
    """
    if not 0 < level < 1:
        raise BadFit(f"level is a share of times, between 0 and 1; got {level!r}")
    evidence = evidence_of(model, votes, gold, weights)
    panel, parameters = model.panel_, model.parameters_
    propensity = _of_shares(panel.codes(evidence.votes), evidence.weights, level)
    ends = model.estimate_.accuracy_interval(level)
    if ends is not None:
        accuracy, class_propensity = Interval(*ends), _in_proportion(propensity, parameters)
        balance = Interval(parameters.balance.copy(), parameters.balance.copy())
    else:
        accuracy, class_propensity, balance = _by_information(Fitted.of(model, evidence), propensity, level)
    return Intervals(accuracy, propensity, class_propensity, balance, level, panel.names, tuple(panel.space))


def _by_information(fitted: Fitted, propensity: Interval, level: float) -> tuple[Interval, Interval, Interval]:
    """Intervals of accuracies, class propensities and balance, by the observed information."""
    spread = covariance(observed_information(fitted))
    parameters, coordinates, basis = fitted.parameters, fitted.coordinates, fitted.coordinates.basis
    z = float(ndtri((1 + level) / 2))
    error = np.sqrt(((basis @ spread) * basis).sum(axis=1))
    accuracy = _settled(_in_log_odds(parameters.accuracy, coordinates.accuracy, error, z), fitted)
    if fitted.assumptions.learn_class_propensity:
        class_propensity = _in_log_odds(parameters.propensity, coordinates.propensity, error, z)
    else:
        class_propensity = _in_proportion(propensity, parameters)
    return accuracy, class_propensity, _of_balance(fitted, spread, z)


def _in_log_odds(p: Floats, index: npt.NDArray[np.int64], error: Floats, z: float) -> Interval:
    """p ± z standard errors in log-odds; width 0 for what is not free."""
    free = index != ABSENT
    reach = np.where(free, z * error[np.where(free, index, 0)], 0.0) if len(error) else np.zeros(p.shape)
    with np.errstate(divide="ignore"):  # 0 and 1 stay what they are
        middle = logit(p)
    return Interval(expit(middle - reach), expit(middle + reach))


def _settled(interval: Interval, fitted: Fitted) -> Interval:
    """Set accuracies that hold by construction; a labeler without any shortlist may have any accuracy."""
    layout = fitted.layout
    lower, upper = (np.where(layout.no_right, 0.0, np.where(layout.no_wrong, 1.0, ends)) for ends in interval)
    silent = np.array(layout.sizes) == 0
    lower[silent], upper[silent] = 0.0, 1.0
    return Interval(lower, upper)


def _of_shares(codes: Codes, weights: Floats, level: float) -> Interval:
    """Jeffreys' interval for the share of rows that a labeler votes on."""
    total = weights.sum()
    voted = (codes > 0).T @ weights
    tail = (1 - level) / 2
    lower = np.where(voted <= 0, 0.0, beta.ppf(tail, voted + 0.5, total - voted + 0.5))
    upper = np.where(voted >= total, 1.0, beta.ppf(1 - tail, voted + 0.5, total - voted + 0.5))
    return Interval(lower, upper)


def _in_proportion(propensity: Interval, parameters: Parameters) -> Interval:
    """Class propensities (n, k) that were not learned vary in proportion to the overall one (n,)."""
    overall = parameters.overall_propensity()[:, None]
    ratio = np.divide(parameters.propensity, overall, out=np.ones_like(parameters.propensity), where=overall > 0)
    return Interval(*(np.minimum(ends[:, None] * ratio, 1.0) for ends in propensity))


def _of_balance(fitted: Fitted, spread: Floats, z: float) -> Interval:
    pi = fitted.parameters.balance
    if not fitted.coordinates.learns_balance:
        return Interval(pi.copy(), pi.copy())
    rows = fitted.coordinates.basis[fitted.coordinates.balance]
    of_softmax = rows @ spread @ rows.T  # (k, k)
    slope = np.where(np.eye(len(pi), dtype=bool), 1.0, -pi / (1 - pi[:, None]))  # of log π_j − log(1 − π_j)
    reach = z * np.sqrt(((slope @ of_softmax) * slope).sum(axis=1))
    return Interval(expit(logit(pi) - reach), expit(logit(pi) + reach))
