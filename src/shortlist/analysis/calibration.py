"""Calibration: whether a belief of 80 % is right 80 % of the time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from shortlist.arrays import Floats

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Rows with about the same belief, how often it is right, and within what (Wilson's interval, 90 %)."""

    rows: int
    belief: float
    right: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Calibration:
    """Bins in which there are rows, from the least belief to the most."""

    bins: tuple[Bin, ...]
    belief: float  # mean over all rows
    right: float
    error: float  # expected calibration error: the mean distance between belief and truth, over rows

    @classmethod
    def of(cls, belief: Floats, right: npt.NDArray[np.bool_]) -> Calibration:
        which = np.minimum((belief * BINS).astype(np.int64), BINS - 1)
        bins = tuple(_bin(belief[which == b], right[which == b]) for b in np.unique(which))
        error = sum(b.rows * abs(b.belief - b.right) for b in bins) / len(belief)
        return cls(bins, float(belief.mean()), float(right.mean()), error)


def _bin(belief: Floats, right: npt.NDArray[np.bool_]) -> Bin:
    lower, upper = wilson(float(right.mean()), len(right))
    return Bin(len(right), float(belief.mean()), float(right.mean()), lower, upper)


def wilson(share: float, n: int, level: float = 0.9) -> tuple[float, float]:
    """Wilson's interval for a share of n."""
    z2 = float(ndtri((1 + level) / 2)) ** 2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = (z2 * (share * (1 - share) / n + z2 / (4 * n * n))) ** 0.5 / (1 + z2 / n)
    return (middle - reach if share > 0 else 0.0), (middle + reach if share < 1 else 1.0)
