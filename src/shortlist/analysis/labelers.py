"""Tables about labelers, and about each of the shortlists they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shortlist.analysis.accuracy import estimate
from shortlist.analysis.bits import count
from shortlist.analysis.soft import inside, share

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis


def labeler_table(analysis: Analysis, level: float | None) -> pl.DataFrame:
    """One line a labeler. Coverage, overlap and conflict are shares of all rows."""
    votes, bits = analysis.votes, analysis.bits
    layout, m = bits.layout, len(votes)
    voted = count(bits.voted)
    sizes = layout.per_labeler(count(bits.rows) * layout.member.sum(axis=1))
    columns: dict[str, Any] = {
        "labeler": list(votes.names),
        "votes": voted,
        "coverage": voted / m,
        "overlap": count(bits.voted & bits.overlapping) / m,
        "conflict": count(bits.against) / m,
        "size": share(sizes, voted),
    }
    if analysis.model is not None:
        soft = analysis.soft
        columns["believed"] = share(layout.per_labeler(inside(soft, layout)), voted)
        if hasattr(analysis.model, "accuracy_"):
            found = estimate(analysis.model, votes.names, layout.per_labeler(soft), level)
            columns |= {"accuracy": found.value, "accuracy_low": found.lower, "accuracy_high": found.upper}
    if analysis.gold is not None:
        known = layout.per_labeler(analysis.gold_counts)
        columns["gold_votes"] = known.sum(axis=1).astype(np.int64)
        columns["gold_accuracy"] = share(layout.per_labeler(inside(analysis.gold_counts, layout)), known.sum(axis=1))
    return frame(columns)


def not_known() -> pl.Expr:
    """Whether votes cannot tell how accurate a labeler is: the interval of its accuracy is all there is."""
    return ((pl.col("accuracy_low") <= 0) & (pl.col("accuracy_high") >= 1)).fill_null(value=False)


def only_known(table: pl.DataFrame) -> pl.DataFrame:
    """The table of labelers, without the accuracies that votes cannot tell."""
    return table.with_columns(accuracy=pl.when(~not_known()).then("accuracy")) if "accuracy" in table else table


def shortlist_table(analysis: Analysis) -> pl.DataFrame:
    """One line for each shortlist of each labeler: how often it was said, and how often it is right."""
    votes, bits = analysis.votes, analysis.bits
    layout = bits.layout
    said = count(bits.rows)
    shortlists = [(s, c) for c in votes.codomains for s in c.shortlists]
    columns: dict[str, Any] = {
        "labeler": [votes.names[i] for i in layout.owner],
        "says": [votes.space.show(s) for s, _ in shortlists],
        "size": layout.member.sum(axis=1),
        "dummy": np.array([s in c.dummies for s, c in shortlists], np.bool_),
        "votes": said,
        "coverage": said / len(votes),
    }
    if analysis.model is not None:
        columns["believed"] = share(inside(analysis.soft, layout), said)
    if analysis.gold is not None:
        columns["gold_votes"] = analysis.gold_counts.sum(axis=1).astype(np.int64)
        columns["gold_accuracy"] = share(inside(analysis.gold_counts, layout), analysis.gold_counts.sum(axis=1))
    return frame(columns)


def accuracy_table(analysis: Analysis, level: float | None) -> pl.DataFrame:
    """One line for each labeler and class: α_ij with its interval, and what gold rows say.

    What is true by construction is left blank: a labeler that never names a class is never right about it.
    """
    from shortlist.uncertainty import intervals

    votes, model = analysis.votes, analysis.need_estimates()
    order = [model.panel_.names.index(name) for name in votes.names]
    n, k = len(votes.names), len(votes.space)
    columns: dict[str, Any] = {
        "labeler": list(np.repeat(votes.names, k)),
        "class": list(votes.space) * n,
        "accuracy": model.accuracy_[order].ravel(),
    }
    if level is not None:
        found = intervals(model, level=level).accuracy
        columns |= {"accuracy_low": found.lower[order].ravel(), "accuracy_high": found.upper[order].ravel()}
    by_construction = np.isin(columns["accuracy"], (0.0, 1.0))
    columns = {
        name: np.where(by_construction, np.nan, column) if name.startswith("accuracy") else column
        for name, column in columns.items()
    }
    if analysis.gold is not None:
        counts = analysis.gold_counts
        known = analysis.bits.layout.per_labeler(counts)
        right = analysis.bits.layout.per_labeler(counts * analysis.bits.layout.member)
        columns |= {"gold_votes": known.ravel().astype(np.int64), "gold_accuracy": share(right, known).ravel()}
    return frame(columns)


def frame(columns: dict[str, Any]) -> pl.DataFrame:
    """A polars table in which what is not known is null."""
    table = pl.DataFrame(columns, strict=False)
    return table.with_columns(pl.col(pl.Float64, pl.Float32).fill_nan(None))
