"""Expectation: the E step over all evidence, on this machine's cores or on a device."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estep.device import DeviceKernel
from shortlist.labelmodel.estep.factored import Factored
from shortlist.labelmodel.estep.halves import Halves
from shortlist.labelmodel.estep.kernel import Kernel, Precision
from shortlist.labelmodel.formulae.counts import Counts, Known
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission
from shortlist.votes.patterns import Codes


class Beliefs(Protocol):
    """A kernel: the E step over rows of unknown class, wherever they are kept."""

    often: Floats

    @property
    def large(self) -> bool: ...

    def __call__(self, table: Emission, precision: Precision = ...) -> Counts: ...

    def posterior(self, table: Emission) -> Floats: ...


class Expectation:
    """Rows of unknown class give expected counts, rows of known class their own; both add up."""

    def __init__(self, evidence: Evidence, layout: Layout, *, device: str, threads: int | None) -> None:
        codes, weights, known = evidence.votes.codes, evidence.weights, evidence.gold >= 0
        self.layout = layout
        self.total = evidence.total
        self.told = bool(known.any())
        self.known = Known.of(codes[known], evidence.gold[known], weights[known], layout)
        if self.told:
            codes, weights = np.asfortranarray(codes[~known]), weights[~known]
        self.kernel = quick_kernel(codes, weights, layout, device=device, threads=threads)
        self.large = self.kernel.large

    @property
    def often(self) -> Floats:
        """(S,): how often each shortlist was voted."""
        often: Floats = self.kernel.often + self.known.votes.sum(axis=1)
        return often

    def known_counts(self) -> Counts:
        """What rows of known class count, before anything is estimated."""
        return Counts(self.known.votes, self.known.mass, 0.0)

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        counts = self.kernel(table, precision)
        return counts + self.known.counts(table, self.layout) if self.told else counts


def kernel(codes: Codes, weights: Floats, layout: Layout, *, device: str, threads: int | None) -> Beliefs:
    """The kernel for a device: NumPy on "cpu", torch elsewhere."""
    if device == "cpu":
        return Kernel(codes, weights, layout, threads=threads)
    return DeviceKernel(np.array(codes.T, order="C"), weights, layout, device=device)


def quick_kernel(codes: Codes, weights: Floats, layout: Layout, *, device: str, threads: int | None) -> Beliefs:
    """The kernel for many E steps: on the cores of this machine, factored where that is less work."""
    if device == "cpu" and layout.n > 1 and len(codes):
        halves = Halves.of(codes, layout)
        if halves.few(layout):
            return Factored(codes, weights, layout, halves, threads=threads)
    return kernel(codes, weights, layout, device=device, threads=threads)
