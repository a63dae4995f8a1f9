"""Suggestions: which rows to label next, by how much is expected to be gained.

Rows with the same votes get the same belief b, so what is learned about one of them bears on all. Take b for a
Dirichlet distribution worth κ rows, here one. One gold label y, which comes up with probability b_y, moves it to
(κ b + e_y) / (κ + 1), and the chance that the best guess is right from max b to the largest of these. The gain of a
row is the expected rise times the number of rows with the same votes and no label yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shortlist.analysis.measures import Measures, frame
from shortlist.analysis.tables import row_columns, top_two
from shortlist.arrays import Floats, Positions
from shortlist.registry import check_whole
from shortlist.votes import Votes


def suggestion_table(data: Measures, n: int) -> pl.DataFrame:
    """The n rows with the largest expected gain, one for each pattern of votes."""
    check_whole("n", n)
    votes = data.votes
    example, like = unlabelled(data)
    gain = like * expected_rise(data.distinct.at(example), 1.0)
    best = np.lexsort((example, -np.round(gain, 9)))[:n]  # of equal gains the first row
    example, like, gain = example[best], like[best], gain[best]
    beliefs = data.distinct.at(example)
    order = np.argsort(-beliefs, axis=1, kind="stable")
    lead, follow = top_two(beliefs)
    columns: dict[str, Any] = row_columns(votes, example) | {
        "gain": gain,
        "rows": like,
        "class": pl.Series([votes.space[j] for j in order[:, 0]], dtype=pl.String),
        "belief": lead,
        "or": pl.Series([votes.space[j] for j in order[:, 1]], dtype=pl.String),
        "or_belief": follow,
        "said": pl.Series([_said(votes, int(a)) for a in example], dtype=pl.String),
    }
    return frame(columns)


def unlabelled(data: Measures) -> tuple[Positions, Positions]:
    """For each pattern of votes on rows without a label: the first such row, and how many there are."""
    inverse, u = data.patterns.inverse, len(data.patterns.counts)
    rows = np.arange(len(inverse)) if data.gold is None else np.flatnonzero(data.gold < 0)
    like = np.bincount(inverse[rows], minlength=u)
    first = np.zeros(u, np.int64)
    first[inverse[rows[::-1]]] = rows[::-1]  # what is written last stays: the first row
    return first[like > 0], like[like > 0]


def expected_rise(beliefs: Floats, trust: float | Floats) -> Floats:
    """Σ_y b_y max(κ b* , κ b_y + 1) / (κ + 1) − b*, with b* the largest belief."""
    best = beliefs.max(axis=1, keepdims=True)
    after = np.maximum(trust * best, trust * beliefs + 1) / (trust + 1)
    rise: Floats = (beliefs * after).sum(axis=1) - best[:, 0]
    return rise


def _said(votes: Votes, a: int) -> str:
    """Votes on row a: `goal: sports; abroad: world`."""
    return "; ".join(f"{name}: {votes.space.show(answer)}" for name, answer in votes.said(a).items())
