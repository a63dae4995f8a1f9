"""Arrays: the types of arrays that everything is computed with; sums and maxima of short rows."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Positions: TypeAlias = npt.NDArray[np.int64]  # of rows, labelers or classes, counted from 0; −1 for none
Mask: TypeAlias = npt.NDArray[np.bool_]


def row_sums(table: Floats) -> Floats:
    """(m, 1): `sum(axis=1, keepdims=True)`, several times as fast where rows are short."""
    sums: Floats = table @ np.ones((table.shape[1], 1))
    return sums


def row_largest(table: Floats) -> Floats:
    """(m, 1): `max(axis=1, keepdims=True)`, several times as fast where rows are short."""
    if table.shape[1] > 64:  # up to here, a copy by columns is faster
        return np.asarray(table.max(axis=1, keepdims=True))
    return np.asarray(np.ascontiguousarray(table.T).max(axis=0))[:, None]
