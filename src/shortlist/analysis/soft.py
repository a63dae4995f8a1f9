"""Soft counts: how often each shortlist was voted on rows of each class, each row counted as far as it is believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.labelmodel.layout import Layout, one_hot

BLOCK = 8_192  # rows


def soft_counts(codes: npt.NDArray[Any], beliefs: Floats, layout: Layout) -> Floats:
    """(S, k): the sum over rows that voted a shortlist of their beliefs, as one matrix product a block of rows."""
    sums = np.zeros((len(layout.member), layout.k))
    X = np.empty((len(layout.member), min(BLOCK, max(1, len(codes)))), np.float32)
    with one_blas_thread():
        for start in range(0, len(codes), BLOCK):
            block = np.ascontiguousarray(codes[start : start + BLOCK].T)
            part = X[:, : block.shape[1]]
            one_hot(block, layout.sizes, part)
            sums += part @ beliefs[start : start + BLOCK].astype(np.float32)
    return sums


def inside(soft: Floats, layout: Layout) -> Floats:
    """(S,): of these counts, those of classes that are in the shortlist: votes that hold the class."""
    right: Floats = (soft * layout.member).sum(axis=1)
    return right


def share(part: Any, whole: Any) -> Floats:
    """part / whole, NaN where the whole is nothing."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    found: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return found
