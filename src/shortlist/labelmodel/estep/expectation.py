"""Expectation: the E step over all evidence, on this machine's cores or on a device."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estep.device import DeviceKernel
from shortlist.labelmodel.estep.factored import Factored
from shortlist.labelmodel.estep.halves import Halves
from shortlist.labelmodel.estep.kernel import Kernel, Precision
from shortlist.labelmodel.formulae.counts import Counts, Known, vote_counts
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission
from shortlist.votes.patterns import Codes


class EStep(Protocol):
    """Expected counts under a table, wherever the rows are."""

    total: float  # what all rows weigh together

    @property
    def large(self) -> bool:
        """Whether float32 pays for the first iterations."""

    @property
    def vote_counts(self) -> Floats:
        """(S,): how often each shortlist was voted."""

    def __call__(self, table: Emission, precision: Precision = ...) -> Counts:
        """One E step: expected counts and log-likelihood under a table."""


class RowsKernel(EStep, Protocol):
    """The E step over rows of unknown class that are kept in one place."""

    def posterior(self, table: Emission) -> Floats:
        """P(Y | G) of every row, (u, k)."""


class FullEStep(EStep, Protocol):
    """The E step over all rows of a fit, those of known class among them."""

    known: Known


class Expectation:
    """Rows of unknown class give expected counts, rows of known class their own; both add up."""

    def __init__(self, evidence: Evidence, layout: Layout, *, device: str = "cpu", threads: int | None = None) -> None:
        codes, known = evidence.votes.codes, evidence.gold >= 0
        self.evidence, self.layout, self.device, self.threads = evidence, layout, device, threads
        self.total = evidence.total
        self.known = Known.of(codes[known], evidence.gold[known], evidence.weights[known], layout)

    @cached_property
    def kernel(self) -> RowsKernel:
        """Prepared when the first step is asked for."""
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
        return counts + self.known.counts(table, self.layout) if self.known else counts


def kernel(codes: Codes, weights: Floats, layout: Layout, *, device: str, threads: int | None) -> RowsKernel:
    """The kernel for a device: NumPy on "cpu", torch elsewhere."""
    if device == "cpu":
        return Kernel(codes, weights, layout, threads=threads)
    return DeviceKernel(np.array(codes.T, order="C"), weights, layout, device=device)


def quick_kernel(codes: Codes, weights: Floats, layout: Layout, *, device: str, threads: int | None) -> RowsKernel:
    """The kernel for many E steps: on the cores of this machine, factored where that is less work."""
    if device == "cpu" and layout.n > 1 and len(codes):
        halves = Halves.of(codes, layout)
        if halves.pay_off(layout):
            return Factored(codes, weights, layout, halves, threads=threads)
    return kernel(codes, weights, layout, device=device, threads=threads)


def posteriors(
    codes: Codes, layout: Layout, *tables: Emission, device: str = "cpu", threads: int | None = None
) -> list[Floats]:
    """P(Y | G) of rows of codes under each of the tables, (m, k)."""
    rows = kernel(codes, np.ones(len(codes)), layout, device=device, threads=threads)
    return [rows.posterior(table) for table in tables]
