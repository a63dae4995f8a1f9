"""Linear detectors, all fitted together, without torch.

A logistic regression of one attribute learns everything that goes with it among the few seen classes. Decorrelated
detectors (Jayaraman et al., NeurIPS 2014) and sparse ones avoid that; held-out classes choose the kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from shortlist.arrays import Floats, Mask
from shortlist.zeroshot.selection import Holdout, Perceptrons, Training
from shortlist.zeroshot.task import Features, centres_of, ridge, with_bias

Singles: TypeAlias = npt.NDArray[np.float32]


class LinearTraining(Training):
    """Candidates: logistic regressions with three penalties, decorrelated detectors, and sparse ones of three sizes."""

    def candidates(self, X: Features, holdout: Holdout) -> list[Perceptrons]:
        jointly = [decorrelated(X, holdout, penalty) for penalty in (0.1, 1.0)]
        return logistic(X, holdout, (0.1, 0.01, 0.001)) + jointly + [sparse(X, holdout, size) for size in (1, 3, 10)]


def loss(theta: Floats, X: Features, yes: Singles, weights: Singles, penalty: float) -> tuple[float, Floats]:
    """Σ_g Σ_a w_ag log(1 + exp(−s_ag z_ag)) + penalty/2 ‖W‖², z = XW + b, s = ±1, and its gradient.

    `theta` is W (p, G) with b as its last row, flat; yes and weights are (m, G). Detectors share no weights, so the
    minimum of the sum is the minimum of each.
    """
    table = theta.reshape(-1, yes.shape[1])
    z = X @ table[:-1].astype(np.float32) + table[-1].astype(np.float32)  # (m, G)
    small = np.exp(-np.abs(z))  # one exponential for the loss and its slope
    losses = weights * (np.log1p(small) + np.maximum(z, 0) - yes * z)
    residual = weights * (np.where(z >= 0, 1, small) / (1 + small) - yes)  # (m, G)
    gradient = np.concatenate([X.T @ residual + penalty * table[:-1], residual.sum(axis=0, keepdims=True)])
    total = float(losses.sum(dtype=np.float64)) + penalty / 2 * float((table[:-1] ** 2).sum())
    return total, gradient.astype(np.float64).ravel()


def logistic(X: Features, holdout: Holdout, penalties: Iterable[float]) -> list[Perceptrons]:
    """Logistic regressions of every job, for each penalty; each fit starts where the one before ended."""
    yes, weights = (part.T.astype(np.float32) for part in (holdout.targets(), holdout.weights()))
    theta = np.zeros((X.shape[1] + 1) * holdout.jobs)
    options = {"maxiter": 100, "ftol": 1e-6}  # a detector need not be fitted to the last digit
    fitted = []
    for penalty in penalties:
        theta = minimize(loss, theta, (X, yes, weights, penalty), jac=True, method="L-BFGS-B", options=options).x
        fitted.append(Perceptrons.linear(theta.reshape(-1, holdout.jobs).T))
    return fitted


def decorrelated(X: Features, holdout: Holdout, penalty: float) -> Perceptrons:
    """Detectors along what each attribute adds to the mean features of a class, given all other attributes.

        min over M, b:  Σ_j ‖a_j M + b − c_j‖² + penalty (‖M‖² + ‖b‖²),   score of x for i ∝ (x − x̄_i)ᵀ m_i

    c_j is the mean of the rows of class j, a_j are its attributes, m_i is row i of M, and x̄_i is the point half way
    between classes with and without the attribute; their means score ±2.
    """
    centres = centres_of(X, holdout.truth)  # (k, p)
    table = np.zeros((holdout.jobs, X.shape[1] + 1))
    for f, out in enumerate(holdout.held):
        M = ridge(with_bias(holdout.has[~out].astype(np.float64)), centres[~out], penalty)  # (n + 1, p)
        for g in np.flatnonzero(holdout.fold == f):
            i = holdout.attribute[g]
            table[g] = _half_way(M[i], centres[~out] @ M[i], holdout.has[~out, i])
    return Perceptrons.linear(table)


def sparse(X: Features, holdout: Holdout, size: int) -> Perceptrons:
    """Detectors that read only the `size` features which best tell classes with the attribute from those without.

        z_f = (mean of classes with − mean of classes without) / s_f,   score of x ∝ Σ_{f : |z_f| largest} z_f x_f / s_f

    s_f² is the variance within classes plus the variance between classes of one side. A feature in which striped
    animals differ from each other as much as from other animals says little about an unseen striped animal.
    """
    rows = [X[holdout.truth == j].astype(np.float64) for j in range(len(holdout.has))]
    centres, within = (np.stack([measure(some, axis=0) for some in rows]) for measure in (np.mean, np.var))  # (k, p)
    table = np.zeros((holdout.jobs, X.shape[1] + 1))
    for g in range(holdout.jobs):
        kept, yes = ~holdout.held[holdout.fold[g]], holdout.has[:, holdout.attribute[g]]
        sides = [centres[kept & yes], centres[kept & ~yes]]
        between = sum(((side - side.mean(axis=0)) ** 2).sum(axis=0) for side in sides) / max(int(kept.sum()) - 2, 1)
        noise = np.sqrt(within[kept].mean(axis=0) + between + 0.05)  # 0.05: no feature is taken to be exact
        z = (sides[0].mean(axis=0) - sides[1].mean(axis=0)) / noise
        best = np.argsort(-np.abs(z), kind="stable")[:size]
        direction = np.zeros(len(z))
        direction[best] = (z / noise)[best]
        table[g] = _half_way(direction, centres[kept] @ direction, yes[kept])
    return Perceptrons.linear(table)


def _half_way(direction: Floats, places: Floats, yes: Mask) -> Floats:
    """(p + 1,): weights and bias along a direction, so that classes (at `places` on it) with and without score ±2."""
    above, below = float(places[yes].mean()), float(places[~yes].mean())
    scale = 4 / (above - below) if above - below > 1e-9 else 0.0
    return scale * np.append(direction, -(above + below) / 2)
