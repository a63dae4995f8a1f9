"""Expansion: how any estimator of scikit-learn's kind learns from beliefs.

A row that is .7 cat and .3 dog enters twice: as a cat of weight .7 and as a dog of weight .3. For every loss that is
a weighted sum over rows this is the expected loss of Section 3.3 of the paper, exactly. An estimator that learns from
beliefs itself (`LearnsBeliefs`) sees each row once.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from shortlist.arrays import Floats, Positions
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.errors import BadFit
from shortlist.progress import Tell

NEGLIGIBLE = 1e-6  # of a row's weight


@runtime_checkable
class LearnsBeliefs(Protocol):
    """An estimator that learns from features (m, p), beliefs (m, k) and weights (m,) itself."""

    def fit_beliefs(self, X: Any, beliefs: Floats, weights: Floats) -> Self: ...
    def log_proba(self, X: Any) -> Floats: ...


def fit_estimator(estimator: Any, X: Any, beliefs: Floats, weights: Floats, tell: Tell) -> Any:
    """Fit an estimator of either kind; classes are positions 0 … k − 1. `tell` is told how it goes."""
    if isinstance(estimator, SoftLogisticRegression):
        return estimator.fit_beliefs(X, beliefs, weights, tell=tell)
    tell(f"{type(estimator).__name__} learns from {len(beliefs):,} rows")
    if isinstance(estimator, LearnsBeliefs):
        return estimator.fit_beliefs(X, beliefs, weights)
    return fit_expanded(estimator, X, beliefs, weights)


def log_proba(estimator: Any, X: Any, k: int) -> Floats:
    """log P(class | x), (m, k), of a fitted estimator of either kind."""
    if isinstance(estimator, LearnsBeliefs):
        return estimator.log_proba(X)
    if not hasattr(estimator, "predict_proba"):
        raise BadFit(f"{type(estimator).__name__} gives classes but no probabilities")
    with np.errstate(divide="ignore"):  # a tree may give a probability of 0, whose logarithm is −∞
        return all_classes(np.log(estimator.predict_proba(X)), estimator.classes_, k)


def expand(beliefs: Floats, weights: Floats) -> tuple[Positions, Positions, Floats]:
    """(row, class, weight) of every belief that is worth a copy of its row; each row keeps its whole weight.

    Less than k · 1e-6 of a row is dropped, and added to the row's other classes.
    """
    worth = beliefs >= NEGLIGIBLE
    kept = np.where(worth, beliefs, 0.0)
    kept *= (weights / kept.sum(axis=1))[:, None]
    rows, classes = np.nonzero(worth)
    return rows, classes, kept[rows, classes]


def fit_expanded(estimator: Any, X: Any, beliefs: Floats, weights: Floats) -> Any:
    """Fit an estimator of scikit-learn's kind on copies of the rows, one for each class believed in."""
    rows, classes, shares = expand(beliefs, weights)
    copies = [X[a] for a in rows] if isinstance(X, list) else X[rows]
    return estimator.fit(copies, classes, **{weight_argument(estimator): shares})


def weight_argument(estimator: Any) -> str:
    """What `fit` calls the weights: sample_weight, or that of the last step of a pipeline."""
    last, prefix = estimator, ""
    while isinstance(last, Pipeline):
        name, last = last.steps[-1]
        prefix += f"{name}__"
    if not has_fit_parameter(last, "sample_weight"):
        raise BadFit(
            f"{type(last).__name__} takes no sample_weight, so its rows cannot be weighted by belief. Use one that "
            "does (LogisticRegression, HistGradientBoostingClassifier, …), or the default: NoiseAwareClassifier()"
        )
    return f"{prefix}sample_weight"


def all_classes(log_p: Floats, seen: Positions, k: int) -> Floats:
    """Columns for every class, −∞ for those the estimator never saw."""
    full = np.full((len(log_p), k), -np.inf)
    full[:, seen] = log_p
    return full
