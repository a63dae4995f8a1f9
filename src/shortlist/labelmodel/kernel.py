"""The E step as two matrix products, in blocks, on threads or on a torch device.

Sums run over blocks in order: the result does not depend on threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.engines import Engine, Threads, ordered
from shortlist.engines.engine import machine_cores
from shortlist.labelmodel.layout import Layout, one_hot
from shortlist.labelmodel.likelihood import Emission
from shortlist.labelmodel.m_step import Counts, vote_counts
from shortlist.tensors import Tensor, torch_on

Precision = type[np.float32] | type[np.float64]
Array = npt.NDArray[Any]
Block = TypeVar("Block")
Result = TypeVar("Result")


class Kernel:
    """Unique rows of votes and their weights, prepared for many E steps.

    X is the one-hot encoding of the votes (S × rows), and D the table of log P(vote | class) − log P(abstain | class).
    Then the beliefs R are softmax(Dᵀ X + base) over the classes, and the expected counts are X Rᵀ. What does not depend
    on the class is taken out of D and added back in double precision, so float32 loses only last digits.
    """

    block_rows = 16_384  # shorter blocks pay for calls, longer ones leave the cache

    def __init__(
        self, codes: npt.NDArray[np.integer], weights: Floats, layout: Layout, *, threads: int | None = None
    ) -> None:
        self.layout = layout
        self.columns = np.ascontiguousarray(codes.T)  # (n, u)
        self.weights = weights
        self.total = float(weights.sum())
        self.vote_counts = vote_counts(self.columns, weights, layout)
        self.engine = threads_engine(threads)
        width = max(256, min(self.block_rows, (1 << 20) // max(1, len(layout.member))))  # at most 2^20 cells of X
        self.blocks = [slice(a, min(a + width, len(weights))) for a in range(0, len(weights), width)]
        self.small = len(weights) * (len(layout.member) + 1) <= 1 << 22  # cells of X: encoded once
        self._encoded: dict[tuple[int, Precision], Array] = {}

    @property
    def large(self) -> bool:
        """True if float32 is faster for the first iterations."""
        return len(self.blocks) > 1

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """Return expected counts and log-likelihood under a table."""
        D, constant = contrasts(table, self.layout, self.vote_counts, self.total)
        D = D.astype(precision, copy=False)

        def block(rows: slice) -> tuple[Floats, float]:
            X, weights = self.encoded(rows, precision), self.weights[rows]
            R, sums, peak = _softmax(D @ X)
            value = float(weights @ (np.log(sums) + peak))
            R *= (weights / sums).astype(precision, copy=False)
            return X @ R.T, value

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
            beliefs[rows] = _softmax(D @ self.encoded(rows, np.float64))[0].T

        with one_blas_thread():
            list(in_order(self.engine, block, self.blocks))
        beliefs /= beliefs.sum(axis=1, keepdims=True)
        return beliefs

    def encoded(self, rows: slice, precision: Precision) -> Array:
        """X of a block, (S + 1, rows); the last line is 1, for the base and the mass of each class."""
        if (rows.start, precision) in self._encoded:
            return self._encoded[rows.start, precision]
        X = np.ones((len(self.layout.member) + 1, rows.stop - rows.start), precision)
        one_hot(self.columns[:, rows], self.layout.sizes, X)
        if self.small:
            self._encoded[rows.start, precision] = X
        return X


def contrasts(table: Emission, layout: Layout, vote_counts: Floats, total: float) -> tuple[Floats, float]:
    """log P(vote | Y) − log P(abstain | Y), and, last, log P(Y) where all abstain, less their means over classes.

    (k, S + 1), and the part of the log-likelihood that this takes out.
    """
    votes, abstain = table.tempered(layout)
    both = np.empty((len(votes) + 1, layout.k))
    np.subtract(votes, abstain[layout.owner], out=both[:-1])
    np.add(table.balance, np.add.reduce(abstain), out=both[-1])
    level = both.mean(axis=1)
    both -= level[:, None]
    return both.T, float(vote_counts @ level[:-1] + total * level[-1])


def _softmax(joint: Array) -> tuple[Array, Array, Array]:
    """Softmax over the classes (axis 0), in place and not yet divided: (exp, sums, peaks subtracted before)."""
    peak = joint.max(axis=0)
    joint -= peak
    np.exp(joint, out=joint)
    return joint, joint.sum(axis=0), peak


# -- blocks in parallel --------------------------------------------------------------------------------


def threads_engine(threads: int | None) -> Threads:
    """Engine with so many threads; None for all cores."""
    return Threads(int(threads or machine_cores()))


def in_order(engine: Engine, work: Callable[[Block], Result], blocks: Sequence[Block]) -> Iterator[Result]:
    """Map blocks to results in their order, so that sums over them do not depend on the engine."""
    if engine.workers == 1 or len(blocks) <= 1:
        return map(work, blocks)
    size = -(-len(blocks) // (4 * engine.workers))  # neighbouring blocks go together, since handing over takes time
    batches = (blocks[a : a + size] for a in range(0, len(blocks), size))
    return chain.from_iterable(ordered(engine, lambda batch: [work(block) for block in batch], batches))


def one_blas_thread() -> AbstractContextManager[Any]:
    """Limit matrix products to the calling thread: blocks of rows run in parallel instead."""
    return _blas().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


# -- on a torch device ---------------------------------------------------------------------------------


class DeviceKernel:
    """Unique rows of votes and their weights on a torch device, prepared for many E steps, like `Kernel`."""

    cells = 1 << 26  # of the one-hot encoding of a block

    def __init__(
        self, columns: Tensor | npt.ArrayLike, weights: Tensor | npt.ArrayLike, layout: Layout, *, device: str
    ) -> None:
        self.torch: Any = torch_on(device)[0]
        self.layout, self.device = layout, device
        self.columns = self.torch.as_tensor(columns, device=device)  # (n, u)
        self.weights = self.torch.as_tensor(weights, device=device).to(self.torch.float64)
        self.total = float(self.weights.sum())
        self.owner = self.torch.as_tensor(layout.owner, device=device)
        first = np.arange(len(layout.owner)) - layout.starts[layout.owner]
        self.code = self.torch.as_tensor(first + 1, device=device).to(self.columns.dtype)[:, None]  # (S, 1)
        self.width = max(1, self.cells // (len(layout.owner) + 1))
        self.blocks = [slice(a, a + self.width) for a in range(0, len(self.weights), self.width)]
        counts = [
            self.torch.bincount(column.int(), self.weights, size + 1)[1:].cpu().numpy()
            for column, size in zip(self.columns, layout.sizes, strict=True)
        ]
        self.vote_counts: Floats = np.concatenate([*counts, np.zeros(0)])
        self._kept: dict[Precision, Tensor] = {}

    @property
    def large(self) -> bool:
        return len(self.weights) > 1 << 20

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """Return expected counts and log-likelihood under a table."""
        torch = self.torch
        slopes, constant = contrasts(table, self.layout, self.vote_counts, self.total)
        slopes = self._tensor(slopes, precision)
        sums = torch.zeros((len(self.owner) + 1, self.layout.k), dtype=torch.float64, device=self.device)
        value = torch.zeros((), dtype=torch.float64, device=self.device)
        for rows in self.blocks:
            X, weights = self._one_hot(rows, precision), self.weights[rows]
            joint = slopes @ X
            marginal = torch.logsumexp(joint, dim=0)
            R = torch.exp(joint - marginal) * weights.to(joint.dtype)
            sums += (X @ R.T).double()
            value += weights @ marginal.double()
        counts = sums.cpu().numpy()
        return Counts(counts[:-1], counts[-1], constant + value.item())

    def posterior(self, table: Emission) -> Floats:
        """P(Y | G) of every row, (u, k)."""
        slopes = self._tensor(contrasts(table, self.layout, self.vote_counts, self.total)[0], np.float64)
        logs = (slopes @ self._one_hot(rows, np.float64) for rows in self.blocks)
        parts = [self.torch.softmax(each, dim=0).T.cpu().numpy() for each in logs]
        return np.concatenate([*parts, np.zeros((0, self.layout.k))])

    def _one_hot(self, rows: slice, precision: Precision) -> Tensor:
        """X (S + 1, block), its last row 1. A single block is encoded once."""
        if precision in self._kept:
            return self._kept[precision]
        X = self.columns[:, rows][self.owner] == self.code
        ones = self.torch.ones((1, X.shape[1]), dtype=self.torch.bool, device=self.device)
        X = self.torch.cat([X, ones]).to(getattr(self.torch, precision.__name__))
        if len(self.weights) <= self.width:
            self._kept = {precision: X}
        return X

    def _tensor(self, array: Floats, precision: Precision) -> Tensor:
        return self.torch.as_tensor(array.astype(precision), device=self.device)
