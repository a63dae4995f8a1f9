"""Halves: patterns as pairs of shorter ones, what one half of the labelers said and what the other did."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.layout import Layout, one_hot
from shortlist.votes.patterns import Codes, find_patterns

SPARSE = 32  # pairs there could be for each that is: beyond, most of the work would be for nothing
SAMPLE = 2048  # patterns, to see where to cut
ENCODED = 1 << 22  # cells of the encoding of sub-patterns

Numbers = npt.NDArray[np.int64]


class Halves(NamedTuple):
    """Which sub-pattern the labelers from `cut` on gave (r), and which those before it (c)."""

    cut: int
    tall: Codes  # (p, n − cut): distinct sub-patterns
    wide: Codes  # (q, cut)
    r: Numbers  # (u,): row of `tall`
    c: Numbers  # (u,): row of `wide`

    @classmethod
    def of(cls, codes: Codes, layout: Layout) -> Halves:
        cut = halfway(codes, layout)
        tall, _, r = find_patterns(codes[:, cut:], layout.sizes[cut:])
        wide, _, c = find_patterns(codes[:, :cut], layout.sizes[:cut])
        return cls(cut, tall, wide, r, c)

    def pay_off(self, layout: Layout) -> bool:
        """Whether sub-patterns are so few that working with them is less than working with patterns."""
        p, q, u = len(self.tall), len(self.wide), len(self.r)
        return p * q <= SPARSE * u and (p + q) * (len(layout.member) + 1) <= ENCODED

    def encoded(self, layout: Layout) -> Floats:
        """(S + 1, p + q): the sub-patterns one-hot, tall ones first; the last row is 1 for tall ones."""
        p, start = len(self.tall), layout.starts[self.cut]
        X = np.zeros((len(layout.member) + 1, p + len(self.wide)))
        X[-1, :p] = 1
        one_hot(self.tall.T, layout.sizes[self.cut :], X[start:, :p])
        one_hot(self.wide.T, layout.sizes[: self.cut], X[:, p:])
        return X


def halfway(codes: Codes, layout: Layout) -> int:
    """Where to cut the labelers in two halves that say about as much, in bits, judged by a sample of the patterns."""
    columns = codes[:: max(1, len(codes) // SAMPLE)].T
    counts = (np.bincount(column, minlength=size + 1) for column, size in zip(columns, layout.sizes, strict=True))
    so_far = np.cumsum([entropy(each) for each in counts])
    return int(np.argmin(np.abs(so_far[:-1] - so_far[-1] / 2))) + 1


def entropy(counts: Numbers) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())
