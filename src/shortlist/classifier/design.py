"""Design: features as a linear model reads them while it learns.

A descent takes several times fewer steps where features have a mean of zero, and where the loss is as steep along the
intercept as along a typical feature. Both is the same model in other coordinates, as the intercept has no penalty:
x W + b = (x − mean) W + constant · c, with c = (b + mean W) / constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from shortlist.arrays import Floats


class Design:
    """Features (m, p), dense or sparse, less a mean (p,) that is never subtracted from them in memory.

    constant   the feature that the intercept is the weight of
    """

    def __init__(self, X: Any, mean: Floats | float = 0.0, constant: float = 1.0, dtype: Any = np.float64) -> None:
        self.X = X.astype(dtype)
        self.columns = self.X.T.tocsr() if sp.issparse(X) else self.X.T
        self.m, self.p = int(X.shape[0]), int(X.shape[1])
        self.mean = np.broadcast_to(np.asarray(mean, dtype), (self.p,))
        self.constant, self.dtype = float(constant), dtype

    def ahead(self, weights: Any) -> Any:
        """(p, k) → (m, k): (X − mean) W."""
        return self.X @ weights - self.mean @ weights

    def back(self, rows: Any) -> Any:
        """(m, k) → (p, k): (X − mean)ᵀ R."""
        return self.columns @ rows - self.mean[:, None] * rows.sum(axis=0)

    def weights(self, table: Any) -> tuple[Floats, Floats]:
        """(W (p, k), b (k,)) for X itself, of a table (p + 1, k) for this design."""
        table = table.astype(np.float64)
        return table[:-1], self.constant * table[-1] - self.mean.astype(np.float64) @ table[:-1]


def centred(X: Any, weights: Floats, penalty: float, k: int, dtype: Any) -> Design:
    """The design in which a descent takes few steps. `weights` (m,) sum to one.

    Along a typical feature the loss bends by curvature · variance + penalty; along the intercept by curvature ·
    constant². Where nothing is known yet, the curvature is that of k classes that are equally likely.
    """
    mean = weights @ X
    squares = X.power(2) if sp.issparse(X) else X**2
    variance = max(float((weights @ squares).sum() - mean @ mean), 0.0) / X.shape[1]
    curvature = (1 - 1 / k) / k
    return Design(X, mean, float(np.sqrt(variance + penalty / curvature)), dtype)
