"""The table about pairs of labelers: who speaks about the same rows, who contradicts whom, who copies whom.

Given the class, the model takes labelers to be independent. What is left of the covariance of two labelers' votes once
the class is accounted for is

    E[Cov(x_s, x_t | Y)] = P(s, t) − Σ_j P(j) P(s | j) P(t | j)

for shortlists s and t. The correlation given the class is the largest that any way of scoring the votes of the one has
with any way of scoring the votes of the other (the first canonical correlation): 0 for independent labelers, 1 for a
copy, whatever words it uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.linalg import block_diag

from shortlist.analysis.bits import split
from shortlist.analysis.labelers import frame
from shortlist.arrays import Floats
from shortlist.labelmodel.layout import Layout

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis

RARE = 3  # rows: a way to vote that is rarer than this correlates with anything


def pair_table(analysis: Analysis) -> pl.DataFrame:
    """One line for each two labelers. Overlap, conflict and same are shares of all rows."""
    votes, bits = analysis.votes, analysis.bits
    m, first, second = len(votes), *np.triu_indices(len(votes.names), 1)
    columns: dict[str, Any] = {
        "labeler": [votes.names[i] for i in first],
        "other": [votes.names[i] for i in second],
        "overlap": bits.pairs()[first, second] / m,
        "conflict": bits.pairs(bits.disjoint)[first, second] / m,
        "same": bits.pairs(same_shortlists(bits.layout))[first, second] / m,
    }
    if analysis.model is not None:
        columns["correlation"] = correlations(analysis)[first, second]
    return frame(columns)


def same_shortlists(layout: Layout) -> Any:
    """(S, S): shortlists of the same classes."""
    member = layout.member.astype(np.int64)
    size = member.sum(axis=1)
    return (member @ member.T == size[:, None]) & (size[:, None] == size)


def correlations(analysis: Analysis) -> Floats:
    """(n, n): the correlation of labelers given the class, 1 on the diagonal."""
    layout, m = analysis.bits.layout, len(analysis.votes)
    residual = analysis.bits.together / m - between(analysis.soft, analysis.mass, m)
    bases = [whitening(residual[part][:, part], m) for part in split(np.arange(len(residual)), layout)]
    white = block_diag(*bases)  # (S, r): uncorrelated ways to score the votes of each labeler
    table = white.T @ residual @ white
    ends = np.cumsum([0, *(basis.shape[1] for basis in bases)])
    found = np.eye(layout.n)
    for i in range(layout.n):
        for j in range(i):
            block = table[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
            found[i, j] = found[j, i] = min(1.0, float(np.linalg.norm(block, 2))) if block.size else np.nan
    return found


def between(soft: Floats, mass: Floats, m: int) -> Floats:
    """(S, S): Σ_j P(j) P(s | j) P(t | j): how often shortlists meet if only the class brings them together."""
    rates = soft / np.maximum(mass, 1e-12)
    meet: Floats = (rates * (mass / m)) @ rates.T
    return meet


def whitening(covariance: Floats, m: int) -> Floats:
    """(c, r): B with Bᵀ C B = 1, of the r directions that vary by more than a few rows."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > RARE / m
    basis: Floats = vectors[:, kept] / np.sqrt(values[kept])
    return basis
