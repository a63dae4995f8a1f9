"""SynC: synthesised classifiers (Changpinyo et al., CVPR 2016). Inductive."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from experiments.zeroshot.methods.semantic import Scorer, SemanticMethod, best_on_held_out
from shortlist.arrays import Floats
from shortlist.zeroshot.task import Task

PENALTIES, WIDTHS = (0.1, 1.0), (0.5, 0.25, 1.0, 2.0)
OPTIONS = tuple((penalty, width) for penalty in PENALTIES for width in WIDTHS)


class SynC(SemanticMethod):
    """The classifier of any class is a mixture of base classifiers that sit at phantom classes.

        w_j = Σ_r s_jr v_r,   s_jr = exp(−d(a_j, b_r)) / Σ_r' exp(−d(a_j, b_r')),   d(a, b) = ‖a − b‖² / σ²
        min over v:  Σ_a Σ_j max(0, 1 − y_aj w_jᵀ x_a)² / m + λ/2 Σ_j ‖w_j‖²,   class of x = argmax_j w_jᵀ x

    This is its one-versus-other form with phantoms at the seen classes (b_r = a_r, R = k): then w and v are one to one
    over seen classes, so w is an ordinary linear support vector machine and v = S⁻¹ w. λ and σ are chosen on held-out
    seen classes.
    """

    def _learn(self, task: Task, new: Floats) -> Scorer:  # noqa: ARG002
        return prepare(task)(best_on_held_out(task, OPTIONS, prepare, self.seed))


def prepare(task: Task) -> Callable[[tuple[float, float]], Scorer]:
    """(λ, σ) → features → scores of all classes."""
    seen, unseen = task.signatures
    trained = cache(lambda penalty: machines(task, penalty))  # (p + 1, k): not a matter of σ

    def learn(option: tuple[float, float]) -> Scorer:
        penalty, width = option
        W = trained(penalty)
        bases = np.linalg.lstsq(mixture(seen, seen, width), W.T, rcond=1e-6)[0]  # (k, p + 1)
        everything = np.concatenate([W.T, mixture(unseen, seen, width) @ bases])
        return lambda rows: rows @ everything[:, :-1].T + everything[:, -1]

    return learn


def mixture(classes: Floats, phantoms: Floats, width: float) -> Floats:
    """s (classes, phantoms): how much of each phantom's base classifier a class takes."""
    weights = np.exp(-cdist(classes, phantoms, "sqeuclidean") / width**2)
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def machines(task: Task, penalty: float) -> Floats:
    """(p + 1, k): one-versus-other linear support vector machines with squared hinge loss, biases last."""
    X = np.hstack([task.X, np.ones((len(task.X), 1))]).astype(np.float64)
    k = len(task.seen)
    signs = np.where(task.truth[:, None] == np.arange(k), 1.0, -1.0)

    def loss(theta: Floats) -> tuple[float, Floats]:
        W = theta.reshape(-1, k)
        short = np.maximum(0, 1 - signs * (X @ W))  # (m, k)
        gradient = -2 * X.T @ (signs * short) / len(X)
        gradient[:-1] += penalty * W[:-1]
        value = (short**2).sum() / len(X) + penalty / 2 * (W[:-1] ** 2).sum()
        return float(value), gradient.ravel()

    options = {"maxiter": 200, "gtol": 1e-3}
    found = minimize(loss, np.zeros(X.shape[1] * k), jac=True, method="L-BFGS-B", options=options)
    fitted: Floats = found.x.reshape(-1, k)
    return fitted
