"""The E step over all evidence: expected counts of rows of unknown class, and the counts of gold rows."""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import DeviceKernel, Kernel, Precision
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission
from shortlist.labelmodel.m_step import Counts, vote_counts
from shortlist.votes.patterns import Codes

RowsKernel: TypeAlias = Kernel | DeviceKernel


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
        return _kernel(codes, weights, self.layout, device=self.device, threads=self.threads)

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


def _kernel(codes: Codes, weights: Floats, layout: Layout, *, device: str, threads: int | None) -> RowsKernel:
    if device == "cpu":
        return Kernel(codes, weights, layout, threads=threads)
    return DeviceKernel(np.array(codes.T, order="C"), weights, layout, device=device)


def posteriors(
    codes: Codes, layout: Layout, *tables: Emission, device: str = "cpu", threads: int | None = None
) -> list[Floats]:
    """P(Y | G) of rows of codes under each of the tables, (m, k)."""
    rows = _kernel(codes, np.ones(len(codes)), layout, device=device, threads=threads)
    return [rows.posterior(table) for table in tables]
