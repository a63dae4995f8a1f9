"""Linear detectors, all fitted together. They need no torch.

A logistic regression of one attribute by itself learns whatever goes with it among the few classes it sees: of stripes,
say, that striped animals have hooves. Two other kinds resist that in two ways. Decorrelated detectors are fitted
jointly, so that each attribute accounts for what the others leave over (Jayaraman et al., NeurIPS 2014, on why that
matters). Sparse ones look at few features. Held-out classes say which kind an attribute gets.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from shortlist.arrays import Floats
from shortlist.attribute_table import Flags
from shortlist.zeroshot.detectors.holdout import Holdout
from shortlist.zeroshot.detectors.perceptrons import Stack

Singles = npt.NDArray[np.float32]
NOISE = 0.05  # of features with deviation one: no feature is taken to be exact
STEPS, TOLERANCE = 100, 1e-6  # of the loss, relative: a detector need not be fitted to the last digit


def loss(theta: Floats, X: Singles, yes: Singles, weights: Singles, penalty: float) -> tuple[float, Floats]:
    """Σ_g Σ_a w_ag log(1 + exp(−s_ag z_ag)) + penalty/2 ‖W‖², z = XW + b, s = ±1, and its gradient.

    `theta` is W (p, G) with b as its last row, flat; yes and weights are (m, G). No two detectors share anything, so
    the minimum of the sum is the minimum of each.
    """
    table = theta.reshape(-1, yes.shape[1])
    z = X @ table[:-1].astype(np.float32) + table[-1].astype(np.float32)  # (m, G)
    small = np.exp(-np.abs(z))  # one exponential for the loss and its slope
    losses = weights * (np.log1p(small) + np.maximum(z, 0) - yes * z)
    residual = weights * (np.where(z >= 0, 1, small) / (1 + small) - yes)  # (m, G)
    gradient = np.concatenate([X.T @ residual + penalty * table[:-1], residual.sum(axis=0, keepdims=True)])
    total = float(losses.sum(dtype=np.float64)) + penalty / 2 * float((table[:-1] ** 2).sum())
    return total, gradient.astype(np.float64).ravel()


def train(X: npt.NDArray[np.float32], holdout: Holdout, penalties: Iterable[float]) -> list[Stack]:
    """Fit every job of a holdout under each penalty, the next from where the last one arrived."""
    yes, weights = (part.T.astype(np.float32) for part in (holdout.targets(), holdout.weights()))
    theta = np.zeros((X.shape[1] + 1) * holdout.jobs)
    options = {"maxiter": STEPS, "ftol": TOLERANCE}
    stacks = []
    for penalty in penalties:
        theta = minimize(loss, theta, (X, yes, weights, penalty), jac=True, method="L-BFGS-B", options=options).x
        table = theta.reshape(-1, holdout.jobs).T.astype(np.float32)  # (G, p + 1)
        stacks.append(Stack(((table[:, :-1, None], table[:, -1:, None]),)))
    return stacks


def decorrelated(X: Singles, holdout: Holdout, penalty: float) -> Stack:
    """Detectors along what each attribute adds to where a class lies, given all other attributes.

        min over M, b:  Σ_j ‖a_j M + b − c_j‖² + penalty (‖M‖² + ‖b‖²),   score of x for i ∝ (x − x̄_i)ᵀ m_i

    c_j is the mean of the rows of class j, a_j are its attributes, m_i is row i of M, and x̄_i the point half way
    between classes with and without the attribute; their means score ±2.
    """
    k = len(holdout.has)
    centres = np.stack([X[holdout.truth == j].mean(axis=0) for j in range(k)]).astype(np.float64)  # (k, p)
    table = np.zeros((holdout.jobs, X.shape[1] + 1))
    for f, out in enumerate(holdout.held):
        A = np.hstack([holdout.has[~out], np.ones((int((~out).sum()), 1))]).astype(np.float64)
        M = np.linalg.solve(A.T @ A + penalty * np.eye(A.shape[1]), A.T @ centres[~out])  # (n + 1, p)
        for g in np.flatnonzero(holdout.fold == f):
            i = holdout.attribute[g]
            table[g] = _half_way(M[i], centres[~out] @ M[i], holdout.has[~out, i])
    layer = table.astype(np.float32)
    return Stack(((layer[:, :-1, None], layer[:, -1:, None]),))


def sparse(X: Singles, holdout: Holdout, features: int) -> Stack:
    """Detectors that read only the few features which tell classes with the attribute from those without best.

        z_f = (mean of classes with − mean of classes without) / s_f,   score of x ∝ Σ_{f : |z_f| largest} z_f x_f / s_f

    s_f² is the variance within classes plus that *between classes of one side*: a feature on which striped animals
    differ among themselves as much as from others says little about a striped animal nobody has seen.
    """
    rows = [X[holdout.truth == j].astype(np.float64) for j in range(len(holdout.has))]
    centres, within = (np.stack([measure(some, axis=0) for some in rows]) for measure in (np.mean, np.var))  # (k, p)
    table = np.zeros((holdout.jobs, X.shape[1] + 1))
    for g in range(holdout.jobs):
        kept, yes = ~holdout.held[holdout.fold[g]], holdout.has[:, holdout.attribute[g]]
        sides = [centres[kept & yes], centres[kept & ~yes]]
        between = sum(((side - side.mean(axis=0)) ** 2).sum(axis=0) for side in sides) / max(int(kept.sum()) - 2, 1)
        noise = np.sqrt(within[kept].mean(axis=0) + between + NOISE)
        z = (sides[0].mean(axis=0) - sides[1].mean(axis=0)) / noise
        best = np.argsort(-np.abs(z), kind="stable")[:features]
        direction = np.zeros(len(z))
        direction[best] = (z / noise)[best]
        table[g] = _half_way(direction, centres[kept] @ direction, yes[kept])
    layer = table.astype(np.float32)
    return Stack(((layer[:, :-1, None], layer[:, -1:, None]),))


def _half_way(direction: Floats, places: Floats, yes: Flags) -> Floats:
    """(p + 1,): weights and bias along a direction, so that classes (at `places` on it) with and without score ±2."""
    above, below = float(places[yes].mean()), float(places[~yes].mean())
    scale = 4 / (above - below) if above - below > 1e-9 else 0.0
    return scale * np.append(direction, -(above + below) / 2)
