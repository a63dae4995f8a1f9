"""intervals: how far accuracies, propensities and balance are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtri
from scipy.stats import beta

from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel.formulae.evidence import Evidence, Gold
from shortlist.labelmodel.formulae.likelihood import Parameters
from shortlist.uncertainty.bootstrap import refits
from shortlist.uncertainty.coordinates import ABSENT
from shortlist.uncertainty.fitted import Fitted, evidence_of
from shortlist.uncertainty.information import observed_information
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes
from shortlist.wording import html_table, text_table

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel

WIDEST = 5.0  # standard error, in log-odds, of a parameter nothing is known about: from .0003 to .9997 at 90 %


class Interval(NamedTuple):
    """Lower and upper ends, in the shape of what they are about."""

    lower: Floats
    upper: Floats

    @property
    def width(self) -> Floats:
        return self.upper - self.lower


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """Intervals for what a LabelModel learned. What is given, not learned, has an interval of no width."""

    accuracy: Interval  # (n, k)
    propensity: Interval  # (n,)
    class_propensity: Interval  # (n, k)
    class_balance: Interval  # (k,)
    level: float
    method: str
    labelers: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """A line for each labeler: the interval of its accuracy on every class."""
        return f"Intervals ({self.level:.0%}, {self.method}) of accuracies\n{text_table(*self._lines())}"

    def _repr_html_(self) -> str:
        return f"<div>Intervals ({self.level:.0%}) of accuracies{html_table(*self._lines())}</div>"

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        cells = zip(self.accuracy.lower, self.accuracy.upper, strict=True)
        names = self.labelers or [str(i) for i in range(len(self.accuracy.lower))]
        classes = self.classes or [str(j) for j in range(self.accuracy.lower.shape[1])]
        shown = [[f"{low:.0%} to {high:.0%}" for low, high in zip(*ends, strict=True)] for ends in cells]
        return ["labeler", *classes], [[name, *line] for name, line in zip(names, shown, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        ends = {
            name: {"lower": interval.lower.tolist(), "upper": interval.upper.tolist()}
            for name in ("accuracy", "propensity", "class_propensity", "class_balance")
            for interval in (getattr(self, name),)
        }
        return {"level": self.level, "method": self.method, **ends}


def intervals(
    model: LabelModel,
    votes: Votes | Iterable[Votes] | None = None,
    *,
    gold: Gold | None = None,
    weights: npt.ArrayLike | None = None,
    level: float = 0.9,
    method: Literal["information", "bootstrap"] = "information",
    samples: int = 200,
    seed: int = 0,
) -> Intervals:
    """Intervals that hold the true parameters about `level` of the time, if the model is true.

    votes     the votes the model was fitted on; None for those it remembers (with their gold labels and weights)
    method    "information": at once, from the curvature of the penalised likelihood at the fit; of the default
              estimator, from how many votes the other labelers are sure about (`estimate_.labeler_interval(level)`)
              "bootstrap": from fits to votes drawn from the fitted model, as many as `samples`
    seed      of the bootstrap

    They answer for chance, not for labelers that depend on one another beyond the class.
    """
    if not 0 < level < 1:
        raise BadFit(f"level is a share of times, between 0 and 1; got {level!r}")
    evidence = evidence_of(model, votes, gold, weights)
    if method == "information":
        judged = model.estimate_.accuracy_interval(level)
        if judged is not None:
            return _by_judgement(model, Interval(*judged), evidence, level)
        return _by_information(Fitted.of(model, evidence), level)
    if method == "bootstrap":
        return _by_bootstrap(model, refits(model, evidence, samples, seed), level)
    raise BadFit(f'method is "information" or "bootstrap"; got {method!r}')


# -- judged votes --------------------------------------------------------------------------------------


def _by_judgement(model: LabelModel, accuracy: Interval, evidence: Evidence, level: float) -> Intervals:
    """Accuracies as the estimator knows them; a balance is not learned there, and propensities are shares of rows."""
    propensity = _of_shares(model.panel_.codes(evidence.votes), evidence.weights, level)
    balance = model.class_balance_
    by_class = _in_proportion(propensity, model.parameters_)
    return Intervals(
        accuracy,
        propensity,
        by_class,
        Interval(balance.copy(), balance.copy()),
        level,
        "information",
        model.panel_.names,
        tuple(model.panel_.space),
    )


# -- information ---------------------------------------------------------------------------------------


def _by_information(fitted: Fitted, level: float) -> Intervals:
    spread = covariance(observed_information(fitted))
    basis, coordinates = fitted.coordinates.basis, fitted.coordinates
    z = float(ndtri((1 + level) / 2))
    error = np.sqrt(((basis @ spread) * basis).sum(axis=1))
    parameters, propensity = fitted.parameters, _of_shares(fitted.codes, fitted.weights, level)
    return Intervals(
        _unheard_of(_in_log_odds(parameters.accuracy, coordinates.accuracy, error, z), fitted),
        propensity,
        _in_log_odds(parameters.propensity, coordinates.propensity, error, z)
        if fitted.assumptions.learn_class_propensity
        else _in_proportion(propensity, parameters),
        _of_balance(fitted, spread, z),
        level,
        "information",
        fitted.panel.names,
        tuple(fitted.panel.space),
    )


def covariance(information: Floats) -> Floats:
    """The inverse of the information. What is flat, or bends the wrong way, is as wide as can be, never NaN."""
    size = len(information)
    least = 1 / (WIDEST**2 * max(size, 1))  # a flat direction shared by all coordinates is wide for each
    try:
        np.linalg.cholesky(information - least * np.eye(size))  # whether every direction is steeper than that
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(information)
        return np.asarray((vectors / np.maximum(values, least)) @ vectors.T, np.float64)
    return np.asarray(np.linalg.inv(information), np.float64)


def _in_log_odds(p: Floats, index: npt.NDArray[np.int64], error: Floats, z: float) -> Interval:
    """p ± z standard errors on the scale of log-odds; what is no coordinate has no width."""
    free = index != ABSENT
    reach = np.where(free, z * error[np.where(free, index, 0)], 0.0) if len(error) else np.zeros(p.shape)
    with np.errstate(divide="ignore"):  # a settled 0 or 1 stays what it is
        middle = logit(p)
    return Interval(expit(middle - reach), expit(middle + reach))


def _unheard_of(interval: Interval, fitted: Fitted) -> Interval:
    """Settled accuracies are exact; of a labeler that has no shortlist at all nothing is known."""
    layout = fitted.layout
    lower, upper = (np.where(layout.no_right, 0.0, np.where(layout.no_wrong, 1.0, ends)) for ends in interval)
    silent = np.array(layout.sizes) == 0
    lower[silent], upper[silent] = 0.0, 1.0
    return Interval(lower, upper)


def _of_shares(codes: Codes, weights: Floats, level: float) -> Interval:
    """A labeler's own propensity is a share of rows: Jeffreys' interval, which also knows about none and all."""
    total = weights.sum()
    voted = (codes > 0).T @ weights
    tail = (1 - level) / 2
    lower = np.where(voted <= 0, 0.0, beta.ppf(tail, voted + 0.5, total - voted + 0.5))
    upper = np.where(voted >= total, 1.0, beta.ppf(1 - tail, voted + 0.5, total - voted + 0.5))
    return Interval(lower, upper)


def _in_proportion(propensity: Interval, parameters: Parameters) -> Interval:
    """Propensities on classes (n, k) that were not learned go up and down with the labeler's own (n,)."""
    overall = parameters.overall_propensity()[:, None]
    ratio = np.divide(parameters.propensity, overall, out=np.ones_like(parameters.propensity), where=overall > 0)
    return Interval(*(np.minimum(ends[:, None] * ratio, 1.0) for ends in propensity))


def _of_balance(fitted: Fitted, spread: Floats, z: float) -> Interval:
    pi = fitted.parameters.balance
    if not fitted.coordinates.learns_balance:
        return Interval(pi.copy(), pi.copy())
    at = fitted.coordinates.balance
    rows = fitted.coordinates.basis[at]
    of_softmax = rows @ spread @ rows.T  # (k, k)
    k = len(pi)
    slope = np.where(np.eye(k, dtype=bool), 1.0, -pi / (1 - pi[:, None]))  # of log-odds: log π_j − log(1 − π_j)
    reach = z * np.sqrt(((slope @ of_softmax) * slope).sum(axis=1))
    return Interval(expit(logit(pi) - reach), expit(logit(pi) + reach))


# -- bootstrap -----------------------------------------------------------------------------------------


def _by_bootstrap(model: LabelModel, fits: list[LabelModel], level: float) -> Intervals:
    tails = [(1 - level) / 2, (1 + level) / 2]

    def ends(name: str) -> Interval:
        lower, upper = np.quantile([getattr(fit, name) for fit in fits], tails, axis=0, method="weibull")
        here = getattr(model, name)
        return Interval(np.minimum(lower, here), np.maximum(upper, here))

    return Intervals(
        accuracy=ends("accuracy_"),
        propensity=ends("propensity_"),
        class_propensity=ends("class_propensity_"),
        class_balance=ends("class_balance_"),
        level=level,
        method="bootstrap",
        labelers=model.panel_.names,
        classes=tuple(model.panel_.space),
    )
