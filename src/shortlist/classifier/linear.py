"""SoftLogisticRegression: multinomial logistic regression trained on beliefs, for dense and sparse features.

The expected log loss under P(Y | G) (Section 3.3 of the paper) of a linear model is convex and needs each row once,
whatever the number of classes. The penalty is scikit-learn's, so that one-hot beliefs give the same optimum as
`sklearn.linear_model.LogisticRegression` with the same C.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.base import BaseEstimator

from shortlist.arrays import Floats
from shortlist.errors import BadFit, NotConverged


def expected_loss(theta: Floats, X: Any, beliefs: Floats, weights: Floats, penalty: float) -> tuple[float, Floats]:
    """Σ_a w_a Σ_j −P(j | G_a) log softmax_j(x_a W + b) + penalty/2 ‖W‖², and its gradient.

    `theta` is W (p, k) with b as its last row, flat; `weights` (m,) sum to one.
    """
    p, k = X.shape[1], beliefs.shape[1]
    table = theta.reshape(p + 1, k)
    log_p = log_softmax(X @ table[:-1] + table[-1], axis=1)  # (m, k)
    loss = -float(weights @ np.einsum("ak,ak->a", beliefs, log_p))
    residual = (np.exp(log_p) - beliefs) * weights[:, None]  # (m, k)
    gradient = np.empty_like(table)
    gradient[:-1] = X.T @ residual + penalty * table[:-1]
    gradient[-1] = residual.sum(axis=0)
    return loss + penalty / 2 * float((table[:-1] ** 2).sum()), gradient.ravel()


class SoftLogisticRegression(BaseEstimator):  # type: ignore[misc]
    """The default classifier: linear, trained on beliefs by L-BFGS.

    Parameters
    ----------
    C : inverse strength of the penalty on the weights, as in scikit-learn
    tol : the largest component of the gradient at which the solver stops
    max_iter : how many steps it may take
    """

    def __init__(self, C: float = 1.0, *, tol: float = 1e-4, max_iter: int = 1000) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit_beliefs(self, X: Any, beliefs: Floats, weights: Floats) -> Self:
        """Learn from features (m, p), beliefs (m, k) and row weights (m,)."""
        if not self.C > 0:
            raise BadFit(f"C is a positive number; got {self.C!r}")
        total = float(weights.sum())
        start = np.zeros((X.shape[1] + 1) * beliefs.shape[1])
        arguments = (X, beliefs, weights / total, 1 / (self.C * total))
        options = {"maxiter": self.max_iter, "gtol": self.tol, "ftol": 64 * np.finfo(float).eps, "maxls": 50}
        found = minimize(expected_loss, start, arguments, jac=True, method="L-BFGS-B", options=options)
        if found.status == 1:
            gradient = np.abs(found.jac).max()
            text = f"the linear model stopped after {found.nit} steps with a gradient of {gradient:.1e}: raise max_iter"
            warnings.warn(text, NotConverged, stacklevel=3)
        table = found.x.reshape(-1, beliefs.shape[1])
        self.coef_, self.intercept_ = table[:-1].T.copy(), table[-1].copy()  # (k, p), (k,)
        self.loss_, self.n_iter_ = float(found.fun), int(found.nit)
        return self

    def log_proba(self, X: Any) -> Floats:
        """log P(class | x), (m, k)."""
        scores: Floats = log_softmax(X @ self.coef_.T + self.intercept_, axis=1)
        return scores
