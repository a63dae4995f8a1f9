"""Expansion: beliefs for estimators that only take labels and weights.

A row that is .7 cat and .3 dog enters twice: as a cat of weight .7 and as a dog of weight .3. For every loss that is
a weighted sum over rows this is the expected loss of Section 3.3 of the paper, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from shortlist.arrays import Floats
from shortlist.errors import BadFit

NEGLIGIBLE = 1e-6  # of a row's weight


def expand(beliefs: Floats, weights: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]:
    """(row, class, weight) of every belief worth a copy of its row; each row keeps its whole weight.

    What is dropped is less than k · 1e-6 of a row, and its share goes to the row's other classes.
    """
    worth = beliefs >= NEGLIGIBLE
    kept = np.where(worth, beliefs, 0.0)
    kept *= (weights / kept.sum(axis=1))[:, None]
    rows, classes = np.nonzero(worth)
    return rows, classes, kept[rows, classes]


def fit_expanded(estimator: Any, X: Any, beliefs: Floats, weights: Floats) -> Any:
    """Fit an estimator of scikit-learn's kind on the expanded rows; classes are positions 0 … k − 1."""
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


def all_classes(log_p: Floats, seen: npt.NDArray[np.int64], k: int) -> Floats:
    """Columns for every class, −∞ for those the estimator never saw."""
    full = np.full((len(log_p), k), -np.inf)
    full[:, seen] = log_p
    return full
