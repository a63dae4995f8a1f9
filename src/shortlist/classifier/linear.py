"""SoftLogisticRegression: multinomial logistic regression trained on beliefs, for dense and sparse features.

The expected log loss under P(Y | G) (Section 3.3 of the paper) of a linear model is convex and needs each row once,
whatever the number of classes. The penalty is scikit-learn's, so that one-hot beliefs give the same optimum as
`sklearn.linear_model.LogisticRegression` with the same C.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import log_softmax
from sklearn.base import BaseEstimator

from shortlist.arrays import Floats
from shortlist.classifier.lbfgs import minimise
from shortlist.errors import BadFit, NotConverged


class ExpectedLoss:
    """Σ_a w_a Σ_j −P(j | G_a) log softmax_j(x_a W + b) + penalty/2 ‖W‖², to be minimised.

    A vector is W (p, k) with b as its last row, flat. `weights` (m,) sum to one. All is computed in one precision.
    """

    def __init__(self, X: Any, beliefs: Floats, weights: Floats, penalty: float, dtype: Any = np.float64) -> None:
        self.X = X.astype(dtype)
        self.columns = self.X.T.tocsr() if sp.issparse(X) else self.X.T
        self.beliefs, self.weights = beliefs.astype(dtype), weights.astype(dtype)[:, None]
        self.penalty, self.dtype = float(penalty), dtype
        self.m, self.p, self.k = int(X.shape[0]), int(X.shape[1]), int(beliefs.shape[1])

    def start(self) -> Any:
        return np.zeros((self.p + 1) * self.k, self.dtype)

    def value(self, at: Any) -> float:
        log_p = log_softmax(self.logits(at), axis=1)  # (m, k)
        loss = -float(np.sum(self.weights * self.beliefs * log_p, dtype=np.float64))
        return loss + self.penalty / 2 * self.squares(at)

    def gradient(self, at: Any) -> tuple[Any, float]:
        found = np.empty((self.p + 1, self.k), self.dtype)
        residual = self.residual(at)
        found[:-1] = self.columns @ residual + self.penalty * at.reshape(-1, self.k)[:-1]
        found[-1] = residual.sum(axis=0)
        return found.ravel(), float(np.abs(found).max())

    def residual(self, at: Any) -> Any:
        """(m, k): how far P(j | x) is from what is believed, weighted."""
        return (np.exp(log_softmax(self.logits(at), axis=1)) - self.beliefs) * self.weights

    def dot(self, one: Any, other: Any) -> float:
        return float(one @ other)

    def logits(self, at: Any) -> Any:
        """(m, k): x_a W + b."""
        table = self.table(at)
        return self.X @ table[:-1] + table[-1]

    def squares(self, at: Any) -> float:
        """‖W‖²."""
        weights = self.table(at)[:-1]
        return float(np.vdot(weights, weights))

    def table(self, at: Any) -> Any:
        """(p + 1, k): W and b."""
        return at.reshape(self.p + 1, self.k)


class LossInRows(ExpectedLoss):
    """The same loss for more features than rows, as texts have.

    Every W on the way from 0 is Xᵀ A for some A (m, k), since every gradient is. A vector is A, X Xᵀ A and b: shorter
    than W, and its logits are known without another product. Xᵀ A · Xᵀ B = A · X Xᵀ B.
    """

    def start(self) -> Any:
        return np.zeros((2 * self.m + 1) * self.k, self.dtype)

    def gradient(self, at: Any) -> tuple[Any, float]:
        residual = self.residual(at)
        inside, _, _ = self.parts(at)
        rows = residual + self.penalty * inside
        features, bias = self.columns @ rows, residual.sum(axis=0)
        found = np.concatenate([rows, self.X @ features, bias[None]])
        return found.ravel(), float(max(np.abs(features).max(initial=0), np.abs(bias).max()))

    def dot(self, one: Any, other: Any) -> float:
        end = self.m * self.k
        return float(one[:end] @ other[end : 2 * end] + one[2 * end :] @ other[2 * end :])

    def logits(self, at: Any) -> Any:
        _, logits, bias = self.parts(at)
        return logits + bias

    def squares(self, at: Any) -> float:
        inside, logits, _ = self.parts(at)
        return float(np.vdot(inside, logits))

    def table(self, at: Any) -> Any:
        inside, _, bias = self.parts(at)
        return np.concatenate([self.columns @ inside, bias])

    def parts(self, at: Any) -> tuple[Any, Any, Any]:
        """A (m, k), X Xᵀ A (m, k) and b (1, k)."""
        rows = at.reshape(-1, self.k)
        return rows[: self.m], rows[self.m : -1], rows[-1:]


ROUNDING = 1e-6  # a tolerance below this asks for more than single precision has
MANY = 100_000  # stored numbers: from here on, half as many bytes to read are worth more than the last digits


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
        single = sp.issparse(X) and X.nnz > MANY and self.tol >= ROUNDING
        kind = LossInRows if sp.issparse(X) and X.shape[0] < X.shape[1] else ExpectedLoss
        loss = kind(X, beliefs, weights / total, 1 / (self.C * total), np.float32 if single else np.float64)
        found = minimise(loss, tol=self.tol, max_iter=self.max_iter)
        if not found.converged:
            text = f"the linear model stopped after {found.n_iter} steps with a gradient of {found.gradient:.1e}"
            warnings.warn(f"{text}: raise max_iter", NotConverged, stacklevel=3)
        table = loss.table(found.at).astype(np.float64)
        self.coef_, self.intercept_ = table[:-1].T.copy(), table[-1].copy()  # (k, p), (k,)
        self.loss_, self.n_iter_ = found.value, found.n_iter
        return self

    def log_proba(self, X: Any) -> Floats:
        """log P(class | x), (m, k)."""
        scores: Floats = log_softmax(X @ self.coef_.T + self.intercept_, axis=1)
        return scores
