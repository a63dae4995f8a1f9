"""Kernel: the E step as two matrix products, in blocks, on one or more threads.

With X the one-hot encoding of the votes (S × rows) and D the table of log P(vote | class) less log P(abstain |
class), the beliefs are softmax(Dᵀ X + base) over the classes and the expected counts X Rᵀ. Votes are kept
labeler-major and X lives in a small reused buffer. Abstaining is folded into the base; what does not depend on
the class is taken out of D and added back to the likelihood in double precision, so that a float32 block loses
nothing but the last digits of a belief. Sums run over blocks in order: the result does not depend on threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.counts import Counts
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission

BLOCK = 16_384  # rows: shorter ones pay for calls, longer ones leave the cache
BUFFER = 1 << 20  # cells of X in a block: with many shortlists, blocks get shorter
TAME = 60.0  # log-odds whose exponentials, and their sums, are far from overflowing in float32
KEPT = 1 << 22  # cells of X in all: up to here it is written once

Precision = type[np.float32] | type[np.float64]
Array = npt.NDArray[Any]
Rooms = dict[tuple[int, Precision], Array]
Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Kernel:
    """Unique rows of votes and their weights, ready for many E steps."""

    def __init__(
        self, codes: npt.NDArray[np.integer], weights: Floats, layout: Layout, *, threads: int | None = None
    ) -> None:
        self.layout = layout
        self.columns = np.ascontiguousarray(codes.T)  # (n, u)
        self.weights = weights
        self.total = float(weights.sum())
        self.threads = threads
        self.often = often(self.columns, weights, layout)
        width = max(256, min(BLOCK, BUFFER // max(1, len(layout.member))))
        self.blocks = [slice(a, min(a + width, len(weights))) for a in range(0, len(weights), width)]
        self.kept = len(weights) * (len(layout.member) + 1) <= KEPT
        self._encoded: Rooms = {}
        self._beliefs: Rooms = {}

    @property
    def large(self) -> bool:
        """Whether float32 pays for the first iterations."""
        return len(self.blocks) > 1

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """One E step: expected counts and log-likelihood under a table."""
        D, constant = contrasts(table, self.layout, self.often, self.total)
        D = D.astype(precision, copy=False)
        tame = len(self.blocks) > 1 and reach(D, self.layout) < TAME  # one block: looking costs what it saves

        def block(rows: slice, worker: int) -> tuple[Floats, float]:
            X, joint = self._one_hot(rows, worker, precision)
            return block_counts(X, np.matmul(D, X, out=joint), self.weights[rows].astype(precision, copy=False), tame)

        sums = np.zeros((len(self.layout.member) + 1, self.layout.k))
        for counts, value in mapped(block, self.blocks, self.threads):
            sums += counts
            constant += value
        return Counts(sums[:-1], sums[-1], constant)

    def posterior(self, table: Emission) -> Floats:
        """P(Y | G) of every row, (u, k)."""
        beliefs = np.empty((len(self.weights), self.layout.k))
        D, _ = contrasts(table, self.layout, self.often, self.total)

        def block(rows: slice, worker: int) -> None:
            X, joint = self._one_hot(rows, worker, np.float64)
            beliefs[rows] = softmax_(np.matmul(D, X, out=joint))[0].T

        with one_blas_thread():
            mapped(block, self.blocks, self.threads)
        beliefs /= beliefs.sum(axis=1, keepdims=True)
        return beliefs

    def _one_hot(self, rows: slice, worker: int, precision: Precision) -> tuple[Array, Array]:
        """X (S + 1, block) and room for the beliefs (k, block). Where there is room for all of X, it is kept."""
        place = rows.start if self.kept else worker
        fresh = (place, precision) not in self._encoded
        X = self._room(self._encoded, place, precision, len(self.layout.member) + 1)[:, : rows.stop - rows.start]
        if fresh or not self.kept:
            self._encode(rows, X)
        return X, self._room(self._beliefs, worker, precision, self.layout.k)[:, : rows.stop - rows.start]

    def _encode(self, rows: slice, X: Array) -> None:
        """Write the votes of a block; the last row of X is 1: the base, and the mass of each class."""
        X[-1] = 1
        t = 0
        for column, size in zip(self.columns[:, rows], self.layout.sizes, strict=True):
            for code in range(1, size + 1):
                np.equal(column, code, out=X[t])
                t += 1

    def _room(self, rooms: Rooms, place: int, precision: Precision, height: int) -> Array:
        if (place, precision) not in rooms:
            rooms[place, precision] = np.empty((height, self.blocks[0].stop), precision)
        return rooms[place, precision]


def slopes(table: Emission, layout: Layout) -> Floats:
    """(S + 1, k): what each vote adds to log P(G, Y) over abstaining, and, last, log P(Y) where all abstain."""
    votes, abstain = table.tempered(layout)
    both = np.empty((len(votes) + 1, layout.k))
    np.subtract(votes, abstain[layout.owner], out=both[:-1])
    np.add(table.balance, np.add.reduce(abstain), out=both[-1])
    return both


def contrasts(table: Emission, layout: Layout, often: Floats, total: float) -> tuple[Floats, float]:
    """Slopes (k, S + 1) less what no class changes, and what the likelihood gains from that."""
    both = slopes(table, layout)
    level = both.mean(axis=1)
    both -= level[:, None]
    return both.T, float(often @ level[:-1] + total * level[-1])


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


def often(columns: npt.NDArray[np.integer], weights: Floats, layout: Layout) -> Floats:
    """(S,): how often each shortlist was voted."""
    counts = [np.bincount(column, weights, size + 1)[1:] for column, size in zip(columns, layout.sizes, strict=True)]
    return np.concatenate([*counts, np.zeros(0)])


def mapped(work: Callable[[Piece, int], Result], pieces: Sequence[Piece], threads: int | None) -> list[Result]:
    """The results of all pieces in their order; thread w takes every piece of number w modulo threads."""
    threads = min(threads or available_cores(), len(pieces))
    if threads <= 1:
        return [work(piece, 0) for piece in pieces]
    with ThreadPoolExecutor(threads) as pool:
        lists = list(pool.map(lambda w: [work(piece, w) for piece in pieces[w::threads]], range(threads)))
    return [lists[b % threads][b // threads] for b in range(len(pieces))]


def available_cores() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Blocks are what runs side by side; a matrix product inside one keeps to its thread."""
    blas = _blas()
    if blas is None:
        yield
        return
    with blas.limit(limits=1, user_api="blas"):
        yield


@cache
def _blas() -> Any:
    if find_spec("threadpoolctl") is None:  # it comes with scikit-learn; the estimation itself does without
        return None
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
