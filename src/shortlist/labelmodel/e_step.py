"""The E step over all evidence: in log space (`kernel`), or factored, where that is less work."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from shortlist.arrays import Floats
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import Buffers, DeviceKernel, Kernel, Precision, in_order, slopes, threads_engine
from shortlist.labelmodel.layout import Layout, one_hot
from shortlist.labelmodel.likelihood import Emission
from shortlist.labelmodel.m_step import Counts, vote_counts
from shortlist.votes.patterns import Codes, find_patterns

Numbers = npt.NDArray[np.int64]


class Factored:
    """Unique rows of votes and their weights, prepared for many E steps, like `Kernel`.

    Given the class, labelers are independent (Eq. 1), so P(G, y_j) = A[r, j] · B[c, j], where r and c are the
    sub-patterns of the two halves of the labelers, of which there are few. With weights W of the pairs (r, c):

        P(G) = A Bᵀ      V = W / P(G), on those pairs      expected counts of sub-patterns: A ∘ (V B) and B ∘ (Vᵀ A)

    Every row of A and B is divided by its largest entry. Where P(G) still underflows, `Kernel` makes the step.
    """

    large = False  # double precision is as fast
    cells = 1 << 18  # of A Bᵀ in a block, so that it stays in the cache

    def __init__(
        self, codes: Codes, weights: Floats, layout: Layout, halves: SplitPatterns, *, threads: int | None
    ) -> None:
        self.codes, self.weights, self.layout, self.threads = codes, weights, layout, threads
        self.total = float(weights.sum())
        self.p = len(halves.tall)
        self.X = halves.encoded(layout)  # (S + 1, p + q)
        self.mass = np.concatenate([np.bincount(halves.r, weights), np.bincount(halves.c, weights)])  # (p + q,)
        self.vote_counts: Floats = self.X[:-1] @ self.mass
        self.blocks = list(_blocks(halves, weights, self.cells))
        self.largest = max(pairs.size for pairs in self.blocks)
        self.engine = threads_engine(threads if len(self.blocks) >= 8 else 1)  # starting threads takes time
        self._buffers = Buffers()

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """Return expected counts and log-likelihood under a table."""
        logs = slopes(table, self.layout).T @ self.X
        peaks = logs.max(axis=0)
        logs -= peaks
        T = np.ascontiguousarray(np.exp(logs, out=logs).T)  # (p + q, k): A above B
        A, B = T[: self.p], T[self.p :]
        G = np.empty(T.shape)

        def block(pairs: Pairs) -> tuple[Floats, float]:
            room = self._buffers.take((self.largest,), np.float64)
            result = pairs.shared(A, B, G, room)
            self._buffers.give(room)
            return result

        wide, values = zip(*in_order(self.engine, block, self.blocks), strict=True)
        value = sum(values)
        if math.isnan(value):
            return self.rows(table, precision)
        G[self.p :] = sum(wide)
        G *= T
        sums = self.X @ G  # (S + 1, k)
        return Counts(sums[:-1], sums[-1], value + float(self.mass @ peaks))

    @cached_property
    def rows(self) -> Kernel:
        """The E step in log space."""
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

    def shared(self, A: Floats, B: Floats, G: Floats, room: Floats) -> tuple[Floats, float]:
        """Write V B to its rows of G; return Vᵀ A and the log-likelihood, which is NaN if a P(G) underflows."""
        A = A[self.rows]
        Z = room[: self.size]
        np.matmul(A, B.T, out=Z.reshape(self.shape))
        z = Z.take(self.cells, mode="clip")
        if not z.min(initial=1.0) > 1e-250:
            return B, np.nan
        np.divide(self.weights, z, out=self.V.data)
        G[self.rows] = self.V @ B
        return self.Vt @ A, float(self.weights @ np.log(z))


def _blocks(halves: SplitPatterns, weights: Floats, cells: int) -> Iterator[Pairs]:
    """All pairs, in blocks of so many rows of A that their part of A Bᵀ has at most `cells`."""
    r, c = halves.r, halves.c
    if (r[1:] < r[:-1]).any():
        order = np.argsort(r, kind="stable")
        r, c, weights = r[order], c[order], weights[order]
    p, q = len(halves.tall), len(halves.wide)
    height = max(1, cells // q)
    for a in range(0, p, height):
        rows = slice(a, min(a + height, p))
        part = slice(*np.searchsorted(r, [rows.start, rows.stop]))
        yield Pairs(rows, r[part], c[part], weights[part], q)


class SplitPatterns(NamedTuple):
    """Patterns as pairs (r, c) of sub-patterns: of the labelers from `cut` on, and of those before it."""

    cut: int
    tall: Codes  # (p, n − cut): distinct sub-patterns
    wide: Codes  # (q, cut)
    r: Numbers  # (u,): row of `tall`
    c: Numbers  # (u,): row of `wide`

    @classmethod
    def of(cls, codes: Codes, layout: Layout) -> SplitPatterns:
        cut = _halfway(codes)
        tall, _, r = find_patterns(codes[:, cut:], layout.sizes[cut:])
        wide, _, c = find_patterns(codes[:, :cut], layout.sizes[:cut])
        return cls(cut, tall, wide, r, c)

    def pay_off(self, layout: Layout, *, sparse: float = 32) -> bool:
        """True if there are at most `sparse` possible pairs for each that occurs, and sub-patterns are few."""
        p, q, u = len(self.tall), len(self.wide), len(self.r)
        return p * q <= sparse * u and (p + q) * (len(layout.member) + 1) <= 1 << 22

    def encoded(self, layout: Layout) -> Floats:
        """(S + 1, p + q): one-hot encoding of the sub-patterns, tall ones first; the last row is 1 for tall ones."""
        p, start = len(self.tall), layout.starts[self.cut]
        X = np.zeros((len(layout.member) + 1, p + len(self.wide)))
        X[-1, :p] = 1
        one_hot(self.tall.T, layout.sizes[self.cut :], X[start:, :p])
        one_hot(self.wide.T, layout.sizes[: self.cut], X[:, p:])
        return X


def _halfway(codes: Codes) -> int:
    """Position that cuts the labelers into two halves of about equal entropy, in a sample of the patterns."""
    columns = codes[:: max(1, len(codes) // 2048)].T
    counts = (np.bincount(column) for column in columns)
    shares = (count[count > 0] / count.sum() for count in counts)
    so_far = np.cumsum([-(share * np.log2(share)).sum() for share in shares])
    return int(np.argmin(np.abs(so_far[:-1] - so_far[-1] / 2))) + 1


# -- all evidence --------------------------------------------------------------------------------------

RowsKernel: TypeAlias = Kernel | Factored | DeviceKernel


class Expectation:
    """Expected counts of rows of unknown class plus the counts of gold rows."""

    def __init__(self, evidence: Evidence, layout: Layout, *, device: str = "cpu", threads: int | None = None) -> None:
        codes, known = evidence.votes.codes, evidence.gold >= 0
        self.evidence, self.layout, self.device, self.threads = evidence, layout, device, threads
        self.total = evidence.total
        self.known = Counts.of(codes[known], evidence.gold[known], evidence.weights[known], layout)

    @cached_property
    def kernel(self) -> RowsKernel:
        """The kernel of the rows of unknown class, prepared on first use."""
        codes, weights = self.evidence.votes.codes, self.evidence.weights
        if self.known:
            unknown = self.evidence.gold < 0
            codes, weights = np.asfortranarray(codes[unknown]), weights[unknown]
        return quick_kernel(codes, weights, self.layout, device=self.device, threads=self.threads)

    @cached_property
    def large(self) -> bool:
        return self.kernel.large

    @cached_property
    def vote_counts(self) -> Floats:
        return vote_counts(self.evidence.votes.codes.T, self.evidence.weights, self.layout)

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        counts = self.kernel(table, precision)
        return counts + self.known.scored(table, self.layout) if self.known else counts


EStep: TypeAlias = Expectation | RowsKernel


def _kernel(
    codes: Codes, weights: Floats, layout: Layout, *, device: str, threads: int | None
) -> Kernel | DeviceKernel:
    if device == "cpu":
        return Kernel(codes, weights, layout, threads=threads)
    return DeviceKernel(np.array(codes.T, order="C"), weights, layout, device=device)


def quick_kernel(codes: Codes, weights: Floats, layout: Layout, *, device: str, threads: int | None) -> RowsKernel:
    """Kernel for many E steps: factored, where that is less work."""
    if device == "cpu" and layout.n > 1 and len(codes):
        halves = SplitPatterns.of(codes, layout)
        if halves.pay_off(layout):
            return Factored(codes, weights, layout, halves, threads=threads)
    return _kernel(codes, weights, layout, device=device, threads=threads)


def posteriors(
    codes: Codes, layout: Layout, *tables: Emission, device: str = "cpu", threads: int | None = None
) -> list[Floats]:
    """P(Y | G) of rows of codes under each of the tables, (m, k)."""
    rows = _kernel(codes, np.ones(len(codes)), layout, device=device, threads=threads)
    return [rows.posterior(table) for table in tables]
