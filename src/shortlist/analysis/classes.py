"""The table about pairs of classes: how well the labelers, and the model, tell them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis.bits import count, union
from shortlist.analysis.labelers import frame
from shortlist.analysis.soft import share
from shortlist.arrays import Floats
from shortlist.labelmodel.kernel import one_blas_thread

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis

BLOCK = 16_384  # rows


def class_table(analysis: Analysis) -> pl.DataFrame:
    """One line for each two classes.

    `labelers` said something that holds one class without the other, on `rows` (a share of all). `error` is how often
    the better guess between the two is expected to be wrong on rows of either, and `separation` is 1 − 2 · error:
    0 for classes that cannot be told apart, 1 for classes that always can. `gold_error` is the share of gold rows of
    either that are labelled as the other. Only rows with a vote count for these: other rows have no label.
    """
    space = analysis.votes.space
    first, second = np.triu_indices(len(space), 1)
    labelers, rows = separators(analysis, first, second)
    columns: dict[str, Any] = {
        "class": [space[int(j)] for j in first],
        "other": [space[int(j)] for j in second],
        "labelers": labelers,
        "rows": rows / len(analysis.votes),
    }
    if analysis.model is not None:
        kinds, voted = analysis.distinct, analysis.distinct.votes.covered
        error = errors(kinds.beliefs[voted], kinds.counts[voted])[first, second]
        columns |= {"error": error, "separation": 1 - 2 * error}
    if analysis.model is not None and analysis.gold is not None:
        scored = analysis.scored
        mixed = confusion(analysis.gold[scored], analysis.guess[scored], len(space))
        of_both = mixed.sum(axis=1)
        columns["gold_error"] = share((mixed + mixed.T)[first, second], (of_both[:, None] + of_both)[first, second])
    return frame(columns)


def separators(analysis: Analysis, first: npt.NDArray[Any], second: npt.NDArray[Any]) -> tuple[Any, Any]:
    """Per pair of classes: labelers that said one without the other, and the rows on which one did."""
    bits, layout = analysis.bits, analysis.bits.layout
    said = count(bits.rows) > 0
    labelers, rows = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    for p, (j, other) in enumerate(zip(first, second, strict=True)):
        separates = said & (layout.member[:, j] != layout.member[:, other])
        labelers[p] = len(np.unique(layout.owner[separates]))
        rows[p] = count(union(bits.rows[separates]))
    return labelers, rows


def errors(beliefs: Floats, counts: npt.NDArray[np.int64]) -> Floats:
    """(k, k): Σ_a min(R_aj, R_al) / Σ_a (R_aj + R_al), one half on the diagonal."""
    k = beliefs.shape[1]
    smaller, mass = np.zeros((k, k)), counts @ beliefs
    for start in range(0, len(beliefs), BLOCK):
        columns = np.ascontiguousarray(beliefs[start : start + BLOCK].T)
        weights = counts[start : start + BLOCK].astype(np.float64)
        with one_blas_thread():
            for j in range(k):
                smaller[j, j:] += np.minimum(columns[j:], columns[j]) @ weights
    smaller += np.triu(smaller, 1).T
    return np.nan_to_num(share(smaller, mass[:, None] + mass), nan=0.5)


def confusion(gold: npt.NDArray[np.int64], guess: npt.NDArray[np.int64], k: int) -> Floats:
    """(k, k): how many rows of each class (first) were guessed to be of each (second)."""
    known = gold >= 0
    pairs = np.bincount(gold[known] * k + guess[known], minlength=k * k)
    return pairs.reshape(k, k).astype(np.float64)
