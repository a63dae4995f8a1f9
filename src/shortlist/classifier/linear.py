"""SoftLogisticRegression: multinomial logistic regression trained on beliefs, for dense and sparse features.

The expected log loss under P(Y | G) (Section 3.3 of the paper) of a linear model is convex and needs each row once,
whatever the number of classes. The penalty is scikit-learn's, so that one-hot beliefs give the same optimum as
`sklearn.linear_model.LogisticRegression` with the same C.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import row_norms
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from shortlist.arrays import Floats
from shortlist.errors import BadFit, NotConverged, NotFitted
from shortlist.progress import Tell, time_left


class SoftLogisticRegression(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from features (m, p) and one label a row, as scikit-learn's classifiers do."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        classes, positions = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise BadFit(f"all rows are of one class, {classes[0]!r}: there is nothing to tell apart")
        self.fit_beliefs(X, np.eye(len(classes))[positions], _check_sample_weight(sample_weight, X))
        self.classes_ = classes
        return self

    def predict_proba(self, X: Any) -> Floats:
        """P(class | x), (m, k), columns in the order of `classes_`."""
        if not hasattr(self, "coef_"):
            raise NotFitted("this SoftLogisticRegression is not fitted: call fit(X, y) first")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.exp(self.log_proba(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most likely class of each row."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit_beliefs(self, X: Any, beliefs: Floats, weights: Floats, *, tell: Tell | None = None) -> Self:
        """Learn from features (m, p), beliefs (m, k) and row weights (m,). `tell` is called with a line each step."""
        if not self.C > 0:
            raise BadFit(f"C is a positive number; got {self.C!r}")
        total = float(weights.sum())
        large = sp.issparse(X) and X.nnz > 100_000  # from here on, memory traffic costs more than the last digits help
        dtype = np.float32 if large and self.tol >= 1e-6 else np.float64
        loss = ExpectedLoss(X, beliefs, weights / total, 1 / (self.C * total), dtype)
        what = f"learning from {X.shape[0]:,} rows, {X.shape[1]:,} features"
        started, first = time.monotonic(), 0.0

        def report(step: int, gradient: float) -> None:
            nonlocal first
            first = first or gradient
            if tell is not None:  # the gradient falls by some factor a step, all in all
                done = np.log(first / gradient) / np.log(first / self.tol) if first > self.tol else 1.0
                tell(f"{what}: step {step}{time_left(started, done)}")

        minimum = minimise(loss, loss.start(), tol=self.tol, max_iter=self.max_iter, report=report)
        if not np.isfinite(minimum.value) or not np.isfinite(minimum.at).all():
            raise BadFit("the features are too large to learn from: scale them, for example with StandardScaler")
        if not minimum.converged:
            text = f"the linear model stopped after {minimum.n_iter} steps with a gradient of {minimum.gradient:.1e}"
            warnings.warn(f"{text}: raise max_iter", NotConverged, stacklevel=3)
        table, self.intercept_ = loss.weights_of(minimum.at)
        self.coef_ = table.T.copy()  # (k, p)
        self.classes_ = np.arange(len(self.coef_))  # the columns of the beliefs
        self.loss_, self.n_iter_ = minimum.value, minimum.n_iter
        return self

    def log_proba(self, X: Any) -> Floats:
        """log P(class | x), (m, k)."""
        scores: Floats = log_softmax(X @ self.coef_.T.astype(X.dtype) + self.intercept_, axis=1)
        return scores


class ExpectedLoss:
    """Σ_a w_a Σ_j −P(j | G_a) log softmax_j(x_a W + b) + penalty/2 ‖W‖², with row weights that sum to one.

    A point is a flat table (p + 1, k): W, and below it c, with x W + b = (x − mean) W + constant · c. L-BFGS takes
    several times fewer steps where features have mean zero, and where the loss curves as much along the intercept as
    along a typical feature: by curvature · variance + penalty. The classes of W and c sum to zero at the start and in
    every gradient.
    """

    def __init__(self, X: Any, beliefs: Floats, weights: Floats, penalty: float, dtype: Any = np.float64) -> None:
        (_, self.p), self.k = X.shape, beliefs.shape[1]
        mean = weights.astype(X.dtype) @ X
        variance = max(float(weights @ row_norms(X, squared=True) - mean @ mean), 0.0) / self.p
        curvature = (1 - 1 / self.k) / self.k  # at the start, where all classes are equally likely
        self.constant = float(np.sqrt(variance + penalty / curvature))
        self.X, self.mean, self.penalty = X.astype(dtype, copy=False), mean.astype(dtype), float(penalty)
        self.beliefs, self.weights = beliefs.astype(dtype), weights.astype(dtype)[:, None]

    def start(self) -> Any:
        return np.zeros((self.p + 1) * self.k, self.X.dtype)

    def __call__(self, at: Any) -> tuple[float, Any, float]:
        """(value, gradient, largest component of the gradient with respect to W and b)."""
        table = at.reshape(self.p + 1, self.k)
        W = table[:-1]
        log_p = log_softmax(product(self.X, W) - self.mean @ W + self.constant * table[-1], axis=1)  # (m, k)
        loss = -float(np.sum(self.weights * self.beliefs * log_p, dtype=np.float64))
        value = loss + self.penalty / 2 * float(np.vdot(W, W))
        residual = (np.exp(log_p) - self.beliefs) * self.weights
        total = residual.sum(axis=0)
        gradient = np.empty_like(table)
        gradient[:-1] = product(self.X.T, residual) - self.mean[:, None] * total + self.penalty * W
        gradient[-1] = self.constant * total
        return value, gradient.ravel(), float(max(np.abs(gradient[:-1]).max(initial=0), np.abs(total).max()))

    def weights_of(self, at: Any) -> tuple[Floats, Floats]:
        """(W (p, k), b (k,)) of a point."""
        table = at.reshape(self.p + 1, self.k).astype(np.float64)
        return table[:-1], self.constant * table[-1] - self.mean.astype(np.float64) @ table[:-1]


def product(matrix: Any, table: Any) -> Any:
    """Matrix product with a table whose columns sum to zero; of a sparse matrix, the last column is not computed."""
    if not sp.issparse(matrix):
        return matrix @ table
    most = matrix @ table[:, :-1]
    return np.column_stack([most, -most.sum(axis=1)])


# -- L-BFGS (Nocedal & Wright, Numerical Optimization, ch. 7) ----------------------------------------------
# scipy's converts every vector to double precision, and takes up to three times as long to the same gradient.

Function: TypeAlias = Callable[[Any], tuple[float, Any, float]]  # point → value, gradient, its largest component


class Minimum(NamedTuple):
    at: Any
    value: float
    gradient: float  # its largest component
    n_iter: int
    converged: bool


class Step(NamedTuple):
    """A step taken, the change of the gradient along it, and 1 / their product."""

    moved: Any
    change: Any
    scale: float


def minimise(
    function: Function, at: Any, *, tol: float, max_iter: int, report: Callable[[int, float], None] | None = None
) -> Minimum:
    """Descend until no component of the gradient is larger than `tol`. `report` is called with each step."""
    value, gradient, largest = function(at)
    steps: deque[Step] = deque(maxlen=10)
    for n_iter in range(max_iter):
        if report is not None:
            report(n_iter, largest)
        if largest <= tol:
            return Minimum(at, value, largest, n_iter, True)
        direction = _direction(gradient, steps)
        slope, length = float(gradient @ direction), 1.0
        while (after := function(at + length * direction))[0] > value + 1e-4 * length * slope:
            length /= 2
            if length < 1e-10:  # not even the shortest step gains anything: precision has come to its end
                return Minimum(at, value, largest, n_iter, True)
        moved, change = length * direction, after[1] - gradient
        if (product := float(moved @ change)) > np.finfo(moved.dtype).eps * float(change @ change):
            steps.append(Step(moved, change, 1 / product))
        at, (value, gradient, largest) = at + moved, after
    return Minimum(at, value, largest, max_iter, largest <= tol)


def _direction(gradient: Any, steps: deque[Step]) -> Any:
    """−H g, with the inverse Hessian H estimated from the remembered steps."""
    direction, parts = -gradient, []
    for step in reversed(steps):
        parts.append(step.scale * float(step.moved @ direction))
        direction -= parts[-1] * step.change
    last = steps[-1] if steps else None
    direction /= last.scale * float(last.change @ last.change) if last else float(gradient @ gradient) ** 0.5
    for step, part in zip(steps, reversed(parts), strict=True):
        direction += (part - step.scale * float(step.change @ direction)) * step.moved
    return direction
