"""Suggestions: which rows to look at or to label next, by how much is expected to be gained.

Rows with the same votes get the same belief b, so what is learned about one of them bears on all. Take b for a
Dirichlet distribution worth κ rows (`trust`). One gold label y, which comes up with probability b_y, moves it to
(κ b + e_y) / (κ + 1), and the chance that the best guess is right from max b to the largest of these. The gain of a
row is the expected rise times the number of rows with the same votes and no label yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis.labelers import frame
from shortlist.analysis.rows import top_two
from shortlist.arrays import Floats
from shortlist.errors import BadFit

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis

Index = npt.NDArray[np.int64]


def suggestion_table(analysis: Analysis, n: int, trust: float) -> pl.DataFrame:
    """The n rows that promise most, one for each way the labelers vote."""
    if not n >= 1:
        raise BadFit(f"n is how many rows to suggest, from 1; got {n!r}")
    if not 0 < trust < np.inf:
        raise BadFit(f"trust says how many labelled rows a belief is worth, more than 0; got {trust!r}")
    votes = analysis.votes
    example, like = unlabelled(analysis)
    gain = like * expected_rise(analysis.distinct.at(example), trust)
    best = largest(gain, example, n)
    example, like, gain = example[best], like[best], gain[best]
    beliefs = analysis.distinct.at(example)
    order = np.argsort(-beliefs, axis=1, kind="stable")
    lead, follow = top_two(beliefs)
    columns: dict[str, Any] = {"row": example}
    if votes.ids is not None:
        columns["id"] = votes.ids[example]
    columns |= {
        "gain": gain,
        "rows": like,
        "class": pl.Series([votes.space[j] for j in order[:, 0]], dtype=pl.String),
        "belief": lead,
        "or": pl.Series([votes.space[j] for j in order[:, 1]], dtype=pl.String),
        "or_belief": follow,
        "said": pl.Series(["; ".join(said_about(analysis, int(a))) for a in example], dtype=pl.String),
    }
    return frame(columns)


def unlabelled(analysis: Analysis) -> tuple[Index, Index]:
    """For each way the labelers vote on rows without a label: the first such row, and how many there are."""
    inverse, u = analysis.patterns.inverse, len(analysis.patterns.counts)
    rows = np.arange(len(inverse)) if analysis.gold is None else np.flatnonzero(analysis.gold < 0)
    like = np.bincount(inverse[rows], minlength=u)
    first = np.zeros(u, np.int64)
    first[inverse[rows[::-1]]] = rows[::-1]  # what is written last stays: the first row
    return first[like > 0], like[like > 0]


def largest(gain: Floats, rows: Index, n: int) -> Index:
    """The n largest gains, of equal ones the first row."""
    rounded = np.round(gain, 9)
    least = np.partition(rounded, -n)[-n] if len(gain) > n else -np.inf
    near = np.flatnonzero(rounded >= least)
    return near[np.lexsort((rows[near], -rounded[near]))][:n]


def expected_rise(beliefs: Floats, trust: float | Floats) -> Floats:
    """Σ_y b_y max(κ b* , κ b_y + 1) / (κ + 1) − b*, with b* the largest belief."""
    best = beliefs.max(axis=1, keepdims=True)
    after = np.maximum(trust * best, trust * beliefs + 1) / (trust + 1)
    rise: Floats = (beliefs * after).sum(axis=1) - best[:, 0]
    return rise


def said_about(analysis: Analysis, a: int) -> list[str]:
    """What was said about row a: `goal: sports`."""
    return [f"{name}: {analysis.votes.space.show(said)}" for name, said in analysis.votes.said(a).items()]
