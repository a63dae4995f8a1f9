"""Linear detectors: one logistic regression an attribute, all fitted together by one L-BFGS. Needs no torch."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from shortlist.zeroshot.holdout import Holdout
from shortlist.zeroshot.stack import Stack
from shortlist.zeroshot.task import Floats

Singles = npt.NDArray[np.float32]
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
