"""SeededMixture: a mixture of Gaussians that takes the names of its components from beliefs. The default last stage.

Rows of one class mostly form a cluster: it is enough that beliefs say which cluster is which class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from shortlist.arrays import Floats
from shortlist.classifier.base import BaseClassifier
from shortlist.classifier.targets import make_targets
from shortlist.zeroshot.task import read_features


class SeededMixture(BaseClassifier):
    """A mixture of Gaussians, one a class, with one covariance, fitted to features under beliefs.

        max over μ, Σ:  Σ_a log Σ_j b_aj^τ N(x_a; μ_j, Σ),     P(j | x) ∝ N(x; μ_j, Σ)

    b_aj is what is believed of row a. Votes are functions of the same features that the mixture reads, so they are not
    independent evidence, and count with a power τ of 0.1. EM starts from the beliefs. A class whose belief is
    exactly zero stays ruled out, so labels are kept.

    Attributes (once fitted)
    ------------------------
    classes_ (k,), means_ (k, components), precision_, n_iter_, temperature_
    """

    def fit(
        self,
        rows: Any,
        y: Any = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        covered: npt.ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Learn from features and beliefs (m, k), or labels (m,). Rows without a vote are read too.

        `covered` is there because all classifiers take it; a row without a vote has a uniform belief.
        """
        X = read_features(rows).astype(np.float64)
        targets = make_targets(
            y, len(X), classes=classes, covered=covered, sample_weight=sample_weight, uncovered="keep"
        )
        self.classes_, self.n_features_in_ = targets.classes, X.shape[1]
        self.centre_ = X.mean(axis=0)
        self.axes_ = principal_axes(X - self.centre_, 20)
        Z = (X[targets.rows] - self.centre_) @ self.axes_
        self._maximise(Z, targets.beliefs, targets.weights)
        self.temperature_ = 1.0
        return self

    def _maximise(self, Z: Floats, beliefs: Floats, weights: Floats) -> None:
        with np.errstate(divide="ignore"):
            lean = 0.1 * np.log(beliefs)  # τ log b; −∞ where a class is ruled out
        shares = beliefs
        for step in range(1, 101):
            self.means_, self.precision_ = gaussians(Z, shares * weights[:, None], 0.3)
            last, shares = shares, np.exp(log_softmax(log_density(Z, self.means_, self.precision_) + lean, axis=1))
            self.n_iter_ = step
            if np.abs(shares - last).max() < 1e-4:
                break

    def _log_proba(self, rows: Any) -> Floats:
        Z = (read_features(rows, self.n_features_in_).astype(np.float64) - self.centre_) @ self.axes_
        log_p: Floats = log_softmax(log_density(Z, self.means_, self.precision_), axis=1)
        return log_p


def principal_axes(X: Floats, most: int) -> Floats:
    """(p, components): the directions along which centred rows vary most."""
    _, sizes, axes = np.linalg.svd(X, full_matrices=False)
    kept = min(most, max(1, int((sizes > 1e-9 * max(sizes[0], 1e-300)).sum())))
    return np.asarray(axes[:kept].T, np.float64)


def gaussians(Z: Floats, shares: Floats, shrinkage: float) -> tuple[Floats, Floats]:
    """M step: the mean of each class (k, c) and the inverse of the one covariance, from weighted shares (m, k)."""
    often = np.maximum(shares.sum(axis=0), 1e-9)
    means = (shares.T @ Z) / often[:, None]
    total = shares.sum()
    covariance = (Z.T @ (shares.sum(axis=1)[:, None] * Z) - (means.T * often) @ means) / total
    size = max(float(np.trace(covariance)) / len(covariance), 1e-6)  # rows may be few
    rounded = (1 - shrinkage) * covariance + (shrinkage * size + 1e-6) * np.eye(len(covariance))
    precision: Floats = np.linalg.inv(rounded)
    return means, precision


def log_density(Z: Floats, means: Floats, precision: Floats) -> Floats:
    """(m, k): log N(z; μ_j, Σ), up to a constant that is the same for all classes."""
    towards = precision @ means.T
    return np.asarray(Z @ towards - 0.5 * np.einsum("jc,cj->j", means, towards), np.float64)
