"""Ablation: what is lost on rows the model was not fitted on, when a labeler is left out.

`worth` is the log score per row, log P(G) − log P(G_i) − log P(G_others): near 0 for a labeler that has nothing to do
with the others. `gold_gain` is the share of gold rows guessed right with its votes and not without, less the reverse.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from shortlist.analysis.measures import Measures, frame
from shortlist.arrays import Floats, Positions
from shortlist.beliefs import most_likely
from shortlist.errors import BadFit, FitWarning
from shortlist.labelmodel.likelihood import log_joint, log_marginal
from shortlist.votes import Votes
from shortlist.votes.patterns import count_patterns


def worth_table(data: Measures, *, most: int, seed: int) -> pl.DataFrame:
    """One line per labeler; half of the rows (at most `most`) are fitted, and the others (at most `most`) judge."""
    votes, model = data.votes, data.need_estimates()
    if len(votes) < 2:
        raise BadFit("what a labeler is worth is measured on rows the model was not fitted on: two rows are needed")
    fitted, judged = halves(data, most, seed)
    full, rows = fit_again(model, votes[fitted]), votes[judged]
    columns: dict[str, Any] = {"labeler": list(votes.names), "worth": likelihoods(full, rows)}
    if data.gold is not None:
        truth = data.gold[judged]
        known = (truth >= 0) & rows.covered  # a row without a vote has no label
        columns["gold_gain"] = gold_gains(full, rows[known], truth[known])
    return frame(columns)


def halves(data: Measures, most: int, seed: int) -> tuple[Positions, Positions]:
    """Rows to fit and rows to judge by. Rows with a known class judge, so that none of them is lost."""
    m = len(data.votes)
    order = np.random.default_rng(seed).permutation(m)
    if data.gold is not None and 2 * (data.gold >= 0).sum() <= m:
        order = order[np.argsort(data.gold[order] >= 0, kind="stable")]
    half = m // 2
    return np.sort(order[:half][:most]), np.sort(order[half:][::-1][:most])


def fit_again(model: Any, votes: Votes, options: Mapping[str, Any] = MappingProxyType({}), **more: Any) -> Any:
    """A model like this one, perhaps with other options, fitted to other votes."""
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)  # they were said when the model was fitted
        return clone(model).set_params(**options).fit(votes, **more)


def likelihoods(model: Any, votes: Votes) -> Floats:
    """(n,): mean over rows of log P(G) − log P(G_i) − log P(G_others)."""
    table, layout, names = model.generator(), model.panel_.layout, model.panel_.names
    codes, counts = count_patterns(model.panel_.codes(votes), layout.sizes)
    joint = log_joint(codes, table, layout)
    together = log_marginal(joint)
    scores = {}
    for i, name in enumerate(names):
        own = layout.by_code(i, *table.tempered(layout))[codes[:, i]]  # (u, k): log P(G_i | class)
        alone, others = log_marginal(own + table.balance), log_marginal(joint - own)
        scores[name] = float(counts @ (together - alone - others)) / counts.sum()
    return np.array([scores[name] for name in votes.names])


def gold_gains(model: Any, rows: Votes, truth: Positions) -> list[float]:
    """By how much accuracy on gold rows falls when a labeler's votes are left out."""
    if not len(rows):
        return [np.nan] * len(rows.names)

    def right(beliefs: Floats) -> float:
        return float((most_likely(beliefs, model.class_balance_) == truth).mean())

    full, codes, names = right(model.predict_proba(rows)), model.panel_.codes(rows), model.panel_.names
    return [full - right(model.estimate_.beliefs_without(codes, names.index(name))) for name in rows.names]
