"""Arrays: the types of arrays that everything is computed with; sums and maxima of short rows; intervals of shares."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Positions: TypeAlias = npt.NDArray[np.int64]  # of rows, labelers or classes, counted from 0; −1 for none
Mask: TypeAlias = npt.NDArray[np.bool_]


def wilson(share: float, n: float, errors: float, part: float = 1.0) -> tuple[float, float]:
    """Wilson's interval for a share of n, so many standard errors wide to either side; `part` of the variance is left.

    >>> [round(end, 3) for end in wilson(0.5, 100, 1.96)]
    [0.404, 0.596]
    """
    z2 = errors**2 * part / n
    middle, reach = (share + z2 / 2) / (1 + z2), (z2 * share * (1 - share) + z2**2 / 4) ** 0.5 / (1 + z2)
    lower, upper = max(float(middle - reach), 0.0), min(float(middle + reach), 1.0)
    return (lower if share > 0 else 0.0), (upper if share < 1 else 1.0)


def row_sums(table: Floats) -> Floats:
    """(m, 1): `sum(axis=1, keepdims=True)`, several times as fast where rows are short."""
    return table @ np.ones((table.shape[1], 1))


def row_largest(table: Floats) -> Floats:
    """(m, 1): `max(axis=1, keepdims=True)`, several times as fast where rows are short."""
    if table.shape[1] > 64:  # up to here, a copy by columns is faster
        return np.asarray(table.max(axis=1, keepdims=True))
    return np.asarray(np.ascontiguousarray(table.T).max(axis=0))[:, None]
