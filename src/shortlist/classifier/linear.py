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
from shortlist.classifier.design import Design, centred
from shortlist.classifier.lbfgs import Told, minimise
from shortlist.errors import BadFit, NotConverged
from shortlist.progress import Tell


class ExpectedLoss:
    """Σ_a w_a Σ_j −P(j | G_a) log softmax_j(x_a W + b) + penalty/2 ‖W‖², to be minimised.

    A vector is a table (p + 1, k), flat: W, and below it what `design` makes b of. `weights` (m,) sum to one.
    """

    def __init__(self, design: Design, beliefs: Floats, weights: Floats, penalty: float) -> None:
        self.design, self.dtype = design, design.dtype
        self.beliefs, self.weights = beliefs.astype(self.dtype), weights.astype(self.dtype)[:, None]
        self.penalty = float(penalty)
        self.m, self.p, self.k = design.m, design.p, int(beliefs.shape[1])

    def start(self) -> Any:
        return np.zeros((self.p + 1) * self.k, self.dtype)

    def value(self, at: Any) -> float:
        log_p = log_softmax(self.logits(at), axis=1)  # (m, k)
        loss = -float(np.sum(self.weights * self.beliefs * log_p, dtype=np.float64))
        return loss + self.penalty / 2 * self.squares(at)

    def gradient(self, at: Any) -> tuple[Any, float]:
        residual = self.residual(at)
        found = np.concatenate([self.design.back(residual), self.design.constant * residual.sum(axis=0)[None]])
        found[:-1] += self.penalty * self.table(at)[:-1]
        return found.ravel(), self.largest(found[:-1], residual)

    def residual(self, at: Any) -> Any:
        """(m, k): how far P(j | x) is from what is believed, weighted."""
        return (np.exp(log_softmax(self.logits(at), axis=1)) - self.beliefs) * self.weights

    def largest(self, features: Any, residual: Any) -> float:
        """The largest number of the gradient with respect to W, which is `features`, and b."""
        return float(max(np.abs(features).max(initial=0), np.abs(residual.sum(axis=0)).max()))

    def dot(self, one: Any, other: Any) -> float:
        return float(one @ other)

    def logits(self, at: Any) -> Any:
        """(m, k): x_a W + b."""
        table = self.table(at)
        return self.design.ahead(table[:-1]) + self.design.constant * table[-1]

    def squares(self, at: Any) -> float:
        """‖W‖²."""
        weights = self.table(at)[:-1]
        return float(np.vdot(weights, weights))

    def table(self, at: Any) -> Any:
        """(p + 1, k): the vector as a table."""
        return at.reshape(self.p + 1, self.k)


class LossInRows(ExpectedLoss):
    """The same loss for more features than rows, as texts have.

    Every W on the way from 0 is Xᵀ A for some A (m, k), since every gradient is. A vector is A, X Xᵀ A and the last row
    of the table: shorter than W, and its logits are known without another product. Xᵀ A · Xᵀ B = A · X Xᵀ B. The
    classes of every gradient sum to zero, so those of A and W do, and products are needed for all classes but the last.
    """

    def start(self) -> Any:
        return np.zeros((2 * self.m + 1) * self.k, self.dtype)

    def gradient(self, at: Any) -> tuple[Any, float]:
        residual = self.residual(at)
        inside, _, _ = self.parts(at)
        rows = residual + self.penalty * inside
        features = self.design.back(rows[:, :-1])
        last = self.design.constant * residual.sum(axis=0)
        found = np.concatenate([rows, with_last(self.design.ahead(features)), last[None]])
        return found.ravel(), self.largest(with_last(features), residual)

    def dot(self, one: Any, other: Any) -> float:
        end = self.m * self.k
        return float(one[:end] @ other[end : 2 * end] + one[2 * end :] @ other[2 * end :])

    def logits(self, at: Any) -> Any:
        _, logits, last = self.parts(at)
        return logits + self.design.constant * last

    def squares(self, at: Any) -> float:
        inside, logits, _ = self.parts(at)
        return float(np.vdot(inside, logits))

    def table(self, at: Any) -> Any:
        inside, _, last = self.parts(at)
        return np.concatenate([with_last(self.design.back(inside[:, :-1])), last])

    def parts(self, at: Any) -> tuple[Any, Any, Any]:
        """A (m, k), X Xᵀ A (m, k) and the last row of the table (1, k)."""
        rows = at.reshape(-1, self.k)
        return rows[: self.m], rows[self.m : -1], rows[-1:]


def with_last(table: Any) -> Any:
    """(·, k) of (·, k − 1): the column of the last class makes the sum of each row zero."""
    return np.column_stack([table, -table.sum(axis=1)])


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

    def fit_beliefs(self, X: Any, beliefs: Floats, weights: Floats, *, tell: Tell | None = None) -> Self:
        """Learn from features (m, p), beliefs (m, k) and row weights (m,). `tell` is told how it goes."""
        if not self.C > 0:
            raise BadFit(f"C is a positive number; got {self.C!r}")
        total = float(weights.sum())
        single = sp.issparse(X) and X.nnz > MANY and self.tol >= ROUNDING
        shares, penalty = weights / total, 1 / (self.C * total)
        design = centred(X, shares, penalty, beliefs.shape[1], np.float32 if single else np.float64)
        kind = LossInRows if sp.issparse(X) and X.shape[0] < X.shape[1] else ExpectedLoss
        loss = kind(design, beliefs, shares, penalty)
        found = minimise(loss, tol=self.tol, max_iter=self.max_iter, told=tell and self._steps_told(tell, X.shape))
        if not found.converged:
            text = f"the linear model stopped after {found.n_iter} steps with a gradient of {found.gradient:.1e}"
            warnings.warn(f"{text}: raise max_iter", NotConverged, stacklevel=3)
        table, self.intercept_ = design.weights(loss.table(found.at))
        self.coef_ = table.T.copy()  # (k, p)
        self.loss_, self.n_iter_ = found.value, found.n_iter
        return self

    def _steps_told(self, tell: Tell, shape: tuple[int, int]) -> Told:
        """What tells each step in a line."""
        what = f"learning from {shape[0]:,} rows, {shape[1]:,} features"
        return lambda step, gradient: tell(f"{what}: step {step}, gradient {gradient:.1e} (stops at {self.tol:.0e})")

    def log_proba(self, X: Any) -> Floats:
        """log P(class | x), (m, k)."""
        scores: Floats = log_softmax(X @ self.coef_.T + self.intercept_, axis=1)
        return scores
