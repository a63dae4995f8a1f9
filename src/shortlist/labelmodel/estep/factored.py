"""Factored: the E step in probability space, every pattern a pair of two shorter ones.

Given the class, labelers are independent (Eq. 1), so P(G, y_j) = A[r, j] · B[c, j], where r and c say which of its
distinct sub-patterns each half of the labelers gave; there are far fewer of those than patterns. With weights W, one
for each pair (r, c) that was seen:

    P(G) = A Bᵀ        V = W / P(G), on those pairs        expected counts of sub-patterns: A ∘ (V B) and B ∘ (Vᵀ A)

Exponentials are taken of sub-patterns only, and the beliefs of a pattern are never written down. Every row of A and B
is divided by its largest entry. Where the halves of a pattern contradict each other beyond what a float can hold, P(G)
would vanish all the same, and the step is made by `Kernel`, in log space.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from shortlist.arrays import Floats
from shortlist.labelmodel.estep.blocks import Buffers, in_order, threads_engine
from shortlist.labelmodel.estep.halves import Halves, Numbers
from shortlist.labelmodel.estep.kernel import Kernel, Precision, slopes
from shortlist.labelmodel.formulae.counts import Counts
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission
from shortlist.votes.patterns import Codes

CELLS = 1 << 18  # of A Bᵀ at a time
WORTH = 8  # blocks: with fewer, starting threads takes longer than they save
SAFE = 1e-250  # P(G): what a float has lost of the factors of a larger one is nothing to it
HANDY = 1e-35  # eight such can be multiplied


class Factored:
    """Unique rows of votes and their weights, ready for many E steps. Like `Kernel`."""

    large = False  # double precision is as fast

    def __init__(self, codes: Codes, weights: Floats, layout: Layout, halves: Halves, *, threads: int | None) -> None:
        self.codes, self.weights, self.layout, self.threads = codes, weights, layout, threads
        self.total = float(weights.sum())
        self.p = len(halves.tall)
        self.X = halves.encoded(layout)  # (S + 1, p + q)
        self.mass = np.concatenate([np.bincount(halves.r, weights), np.bincount(halves.c, weights)])  # (p + q,)
        self.vote_counts: Floats = self.X[:-1] @ self.mass
        self.blocks = list(blocks(halves, weights))
        self.largest = max(pairs.size for pairs in self.blocks)
        self.engine = threads_engine(threads if len(self.blocks) >= WORTH else 1)
        self._buffers = Buffers()

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """One E step: expected counts and log-likelihood under a table."""
        T, peaks = self._factors(table)
        A, B = T[: self.p], T[self.p :]
        G = np.empty(T.shape)

        def block(pairs: Pairs) -> tuple[Floats, float]:
            room = self._buffers.take((self.largest,), np.float64)
            found = pairs.shared(A, B, G, room)
            self._buffers.give(room)
            return found

        wide, values = zip(*in_order(self.engine, block, self.blocks), strict=True)
        value = sum(values)
        if math.isnan(value):
            return self.rows(table, precision)
        G[self.p :] = sum(wide)
        G *= T
        sums = self.X @ G  # (S + 1, k)
        return Counts(sums[:-1], sums[-1], value + float(self.mass @ peaks))

    def _factors(self, table: Emission) -> tuple[Floats, Floats]:
        """A above B (p + q, k), each row with 1 for its largest entry, and the logarithms of what that was."""
        T = slopes(table, self.layout).T @ self.X
        peaks = T.max(axis=0)
        T -= peaks
        np.exp(T, out=T)
        return np.ascontiguousarray(T.T), peaks

    def posterior(self, table: Emission) -> Floats:
        """P(Y | G) of every row, (u, k)."""
        return self.rows.posterior(table)

    @cached_property
    def rows(self) -> Kernel:
        """The same in log space."""
        return Kernel(self.codes, self.weights, self.layout, threads=self.threads)


class Pairs:
    """The pairs (r, c) in some rows of A Bᵀ, and their weights."""

    def __init__(self, rows: slice, r: Numbers, c: Numbers, weights: Floats, q: int) -> None:
        self.rows, self.weights = rows, weights
        self.shape = (rows.stop - rows.start, q)
        self.size = self.shape[0] * q
        self.cells = (r - rows.start) * q + c
        ends = np.searchsorted(r, np.arange(rows.start, rows.stop + 1))
        self.V = csr_array((np.empty(len(r)), c.astype(np.int32), ends.astype(np.int32)), shape=self.shape)
        self.Vt = self.V.T  # the same numbers in memory
        self.heavy = np.flatnonzero(weights != 1)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """On arrival elsewhere, V and its transpose share their numbers again."""
        self.__dict__.update(state)
        self.Vt = self.V.T

    def shared(self, A: Floats, B: Floats, G: Floats, room: Floats) -> tuple[Floats, float]:
        """Write V B to its rows of G; (Vᵀ A, the log-likelihood), or NaN for it if a P(G) is not safe."""
        A = A[self.rows]
        Z = room[: self.size]
        np.matmul(A, B.T, out=Z.reshape(self.shape))
        z = Z.take(self.cells, mode="clip")
        least = z.min(initial=1.0)
        if not least > SAFE:
            return B, np.nan
        np.divide(self.weights, z, out=self.V.data)
        G[self.rows] = self.V @ B
        return self.Vt @ A, self._log(z, least)

    def _log(self, z: Floats, least: float) -> float:
        """Σ W log P(G). Where most patterns are seen once, eight are multiplied before a logarithm is taken."""
        if 2 * len(self.heavy) > len(z) or least < HANDY:
            return float(self.weights @ np.log(z))
        even = len(z) - len(z) % 8
        ones = np.multiply.reduce(z[:even].reshape(8, -1), axis=0)
        heavy = (self.weights[self.heavy] - 1) @ np.log(z[self.heavy])
        return float(np.log(ones).sum() + np.log(z[even:]).sum() + heavy)


def blocks(halves: Halves, weights: Floats) -> Iterator[Pairs]:
    """All pairs, so many rows of A at a time that their part of A Bᵀ stays in the cache."""
    r, c = halves.r, halves.c
    if (r[1:] < r[:-1]).any():
        order = np.argsort(r, kind="stable")
        r, c, weights = r[order], c[order], weights[order]
    p, q = len(halves.tall), len(halves.wide)
    height = max(1, CELLS // q)
    for a in range(0, p, height):
        rows = slice(a, min(a + height, p))
        part = slice(*np.searchsorted(r, [rows.start, rows.stop]))
        yield Pairs(rows, r[part], c[part], weights[part], q)
