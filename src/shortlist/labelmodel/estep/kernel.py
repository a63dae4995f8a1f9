"""Kernel: the E step as two matrix products, in blocks, on one or more threads.

X is the one-hot encoding of the votes (S × rows), and D the table of log P(vote | class) − log P(abstain | class).
Then the beliefs R are softmax(Dᵀ X + base) over the classes, and the expected counts are X Rᵀ. Votes are kept
labeler-major, and X lives in a small reused buffer. Abstaining is part of the base. What does not depend on the class
is taken out of D and added back to the likelihood in double precision, so a float32 block loses only the last digits
of a belief. Sums run over blocks in order: the result does not depend on threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelmodel.estep.blocks import Buffers, in_order, threads_engine
from shortlist.labelmodel.estep.cores import one_blas_thread
from shortlist.labelmodel.formulae.counts import Counts, vote_counts
from shortlist.labelmodel.formulae.layout import Layout, one_hot
from shortlist.labelmodel.formulae.likelihood import Emission

BLOCK = 16_384  # rows: shorter ones pay for calls, longer ones leave the cache
BUFFER = 1 << 20  # cells of X in a block: with many shortlists, blocks get shorter
TAME = 60.0  # log-odds whose exponentials, and their sums, are far from overflowing in float32
KEPT = 1 << 22  # cells of X in all: up to here it is written once

Precision = type[np.float32] | type[np.float64]
Array = npt.NDArray[Any]


class Kernel:
    """Unique rows of votes and their weights, ready for many E steps."""

    def __init__(
        self, codes: npt.NDArray[np.integer], weights: Floats, layout: Layout, *, threads: int | None = None
    ) -> None:
        self.layout = layout
        self.columns = np.ascontiguousarray(codes.T)  # (n, u)
        self.weights = weights
        self.total = float(weights.sum())
        self.vote_counts = vote_counts(self.columns, weights, layout)
        self.engine = threads_engine(threads)
        width = max(256, min(BLOCK, BUFFER // max(1, len(layout.member))))
        self.blocks = [slice(a, min(a + width, len(weights))) for a in range(0, len(weights), width)]
        self.width = min(width, len(weights))
        self.kept = len(weights) * (len(layout.member) + 1) <= KEPT
        self._buffers = Buffers()

    @property
    def large(self) -> bool:
        """Whether float32 pays for the first iterations."""
        return len(self.blocks) > 1

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """One E step: expected counts and log-likelihood under a table."""
        D, constant = contrasts(table, self.layout, self.vote_counts, self.total)
        D = D.astype(precision, copy=False)
        tame = len(self.blocks) > 1 and reach(D, self.layout) < TAME  # one block: looking costs what it saves

        def block(rows: slice) -> tuple[Floats, float]:
            weights = self.weights[rows].astype(precision, copy=False)
            with self.encoded(rows, precision) as (X, joint):
                return block_counts(X, np.matmul(D, X, out=joint), weights, tame)

        sums = np.zeros((len(self.layout.member) + 1, self.layout.k))
        for counts, value in in_order(self.engine, block, self.blocks):
            sums += counts
            constant += value
        return Counts(sums[:-1], sums[-1], constant)

    def posterior(self, table: Emission) -> Floats:
        """P(Y | G) of every row, (u, k)."""
        beliefs = np.empty((len(self.weights), self.layout.k))
        D, _ = contrasts(table, self.layout, self.vote_counts, self.total)

        def block(rows: slice) -> None:
            with self.encoded(rows, np.float64) as (X, joint):
                beliefs[rows] = softmax_(np.matmul(D, X, out=joint))[0].T

        with one_blas_thread():
            list(in_order(self.engine, block, self.blocks))
        beliefs /= beliefs.sum(axis=1, keepdims=True)
        return beliefs

    @contextmanager
    def encoded(self, rows: slice, precision: Precision) -> Iterator[tuple[Array, Array]]:
        """X (S + 1, block) and room for the beliefs (k, block), for as long as they are needed."""
        size, shape = rows.stop - rows.start, (len(self.layout.member) + 1, self.width)
        room = self._buffers.take((self.layout.k, self.width), precision)
        if self.kept:
            X = self._buffers.keep((rows.start, precision), lambda: self._written(rows, np.empty(shape, precision)))
            yield X[:, :size], room[:, :size]
        else:
            X = self._buffers.take(shape, precision)
            yield self._written(rows, X)[:, :size], room[:, :size]
            self._buffers.give(X)
        self._buffers.give(room)

    def _written(self, rows: slice, X: Array) -> Array:
        """X with the votes of a block; its last row is 1: the base, and the mass of each class."""
        X[-1] = 1
        one_hot(self.columns[:, rows], self.layout.sizes, X[:, : rows.stop - rows.start])
        return X


def slopes(table: Emission, layout: Layout) -> Floats:
    """(S + 1, k): what each vote adds to log P(G, Y) over abstaining, and, last, log P(Y) where all abstain."""
    votes, abstain = table.tempered(layout)
    both = np.empty((len(votes) + 1, layout.k))
    np.subtract(votes, abstain[layout.owner], out=both[:-1])
    np.add(table.balance, np.add.reduce(abstain), out=both[-1])
    return both


def contrasts(table: Emission, layout: Layout, vote_counts: Floats, total: float) -> tuple[Floats, float]:
    """Slopes (k, S + 1) less what no class changes, and what the likelihood gains from that."""
    both = slopes(table, layout)
    level = both.mean(axis=1)
    both -= level[:, None]
    return both.T, float(vote_counts @ level[:-1] + total * level[-1])


def reach(slopes: Array, layout: Layout) -> float:
    """What no log-odds of any row can exceed, whatever the votes."""
    strongest = np.abs(slopes).max(axis=0)
    each = np.zeros(layout.n)
    np.maximum.at(each, layout.owner, strongest[:-1])
    return float(each.sum() + strongest[-1])


def softmax_(joint: Array, tame: bool = False) -> tuple[Array, Array, Array | float]:
    """Over the classes (axis 0), in place, not yet divided: (exp, their sums, the peaks taken out before)."""
    peak: Array | float = 0.0
    if not tame:
        peak = joint.max(axis=0)
        joint -= peak
    np.exp(joint, out=joint)
    return joint, joint.sum(axis=0), peak


def block_counts(X: Array, joint: Array, weights: Array, tame: bool) -> tuple[Floats, float]:
    """Expected counts (S + 1, k) of one block, the mass of each class last, and its log-likelihood."""
    R, sums, peak = softmax_(joint, tame)
    value = float(weights.astype(np.float64, copy=False) @ (np.log(sums) + peak).astype(np.float64, copy=False))
    R *= weights / sums
    return (X @ R.T).astype(np.float64, copy=False), value
