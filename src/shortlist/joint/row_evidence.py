"""RowEvidence: what rows say about their classes, learned from beliefs about the other rows.

Beliefs B (m, k) are regressed on features by ridge regression. In its dual form, with the matrix K of products of rows
and weights w,

    G = (K + λ diag(1/w))⁻¹,    α = G (B − mean),    prediction of row a = mean + Σ_b K_ab α_b

and the prediction of a row by all rows but itself needs no other fit: B_a − α_a / G_aa. So a row is never judged by a
model that has seen its own belief, and each further table of beliefs costs one product of matrices. Large sets are
divided into chunks whose predictions are averaged.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.linalg import lapack

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.kernel import one_blas_thread

PENALTY = 1.0  # λ, for rows whose features have length 1 on average
CHUNK, MOST_CHUNKS = 3_000, 5  # rows whose products are held together, and how many such chunks are learned from
Singles = npt.NDArray[np.float32]


class RowEvidence:
    """Features of rows (m, p), and the inverses that leave-one-out predictions take."""

    def __init__(self, X: Any, seed: int = 0) -> None:
        X = sp.csr_matrix(X, dtype=np.float32) if sp.issparse(X) else _standardised(np.asarray(X, np.float64))
        squares = X.multiply(X).sum() if sp.issparse(X) else float((X.astype(np.float64) ** 2).sum())
        m = X.shape[0]
        self.X = X * np.float32(1 / np.sqrt(max(squares / m, 1e-12)))
        count = min(-(-m // CHUNK), MOST_CHUNKS)
        order = np.random.default_rng(seed).permutation(m)[: count * CHUNK]
        self.chunks: list[Positions] = [np.sort(part) for part in np.array_split(order, count)]
        self._weights: Floats | None = None
        self._inverses: list[Singles] = []

    def sample(self) -> tuple[Positions, RowEvidence]:
        """Numbers of the rows of the first chunk, and their evidence alone."""
        rows = self.chunks[0]
        part = copy(self)
        part.X, part.chunks, part._weights = self.X[rows], [np.arange(len(rows))], None
        return rows, part

    def predict(self, beliefs: Floats, weights: Floats) -> Floats:
        """(m, k): predicted beliefs of each row, by rows (m, k) with weights (m,), all but itself."""
        with one_blas_thread():
            return self._predict(beliefs, weights)

    def _predict(self, beliefs: Floats, weights: Floats) -> Floats:
        self._prepare(weights)
        taught = np.concatenate(self.chunks)
        mean = weights[taught] @ beliefs[taught] / weights[taught].sum()
        slopes, own = np.zeros((self.X.shape[1], beliefs.shape[1]), np.float32), np.zeros(beliefs.shape)
        for rows, inverse in zip(self.chunks, self._inverses, strict=True):
            part = self.X[rows]
            alpha = inverse @ (beliefs[rows] - mean).astype(np.float32)
            slope = part.T @ alpha
            own[rows] = beliefs[rows] - mean - alpha / inverse.diagonal()[:, None] - part @ slope
            slopes += slope
        predicted: Floats = mean + (np.asarray(self.X @ slopes, np.float64) + own) / len(self.chunks)
        return predicted

    def _prepare(self, weights: Floats) -> None:
        """Compute the inverses for these weights, unless they are there."""
        if self._weights is None or not np.array_equal(self._weights, weights):
            self._inverses = [self._inverse(rows, weights[rows]) for rows in self.chunks]
            self._weights = weights.copy()

    def _inverse(self, rows: Positions, weights: Floats) -> Singles:
        part = self.X[rows]
        products = part @ part.T
        dense = np.array(products.toarray() if sp.issparse(products) else products, np.float32, order="F")
        dense[np.diag_indices(len(rows))] += (PENALTY / weights).astype(np.float32)
        factor, _ = lapack.spotrf(dense, lower=1)
        inverse, _ = lapack.spotri(factor, lower=1)
        whole: Singles = np.tril(inverse) + np.tril(inverse, -1).T
        return whole


def _standardised(X: Floats) -> Singles:
    """Columns of mean 0 and standard deviation 1."""
    spread = X.std(axis=0)
    scaled: Singles = ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).astype(np.float32)
    return scaled
