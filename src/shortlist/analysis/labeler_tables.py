"""Tables about labelers, their shortlists, their accuracies and their worth; and the columns that every view shows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from scipy.special import expit, logit, ndtri

from shortlist.analysis.bits import count
from shortlist.analysis.measures import Measures, frame, inside, share
from shortlist.arrays import Floats, Positions
from shortlist.beliefs import most_likely
from shortlist.errors import BadFit, FitWarning
from shortlist.labelmodel.likelihood import log_joint, log_marginal
from shortlist.uncertainty.intervals import Curvature, intervals
from shortlist.votes import Votes
from shortlist.votes.patterns import count_patterns
from shortlist.wording import NOT_KNOWN

UNSURE = "~{:.0%}, unsure"  # an accuracy that votes alone cannot show
MOST_ACCURACIES = 1_500  # labelers × classes: beyond, intervals and further fits take too long


class LabelerColumn(NamedTuple):
    """One column of the table of labelers. Terminal, notebook, report and studio show all in `LABELER_COLUMNS`."""

    name: str
    title: str
    help: str
    show: Callable[[float], str] = "{:.1%}".format
    unknown: str = "–"
    drawing: Literal["", "meter", "interval"] = ""  # beside the number, on a page

    def text(self, line: Mapping[str, Any]) -> str:
        """The value of a labeler as text."""
        value, unsure = line.get(self.name), line.get(f"{self.name}_unsure")
        if value is None and unsure is not None:
            return UNSURE.format(unsure)
        return self.unknown if value is None else self.show(value)


LABELER_COLUMNS = (
    LabelerColumn("coverage", "coverage", "The share of all rows that a labeler votes on.", drawing="meter"),
    LabelerColumn("overlap", "overlap", "The share of all rows on which it votes and so does some other labeler."),
    LabelerColumn(
        "conflict",
        "conflict",
        "The share of all rows on which its shortlist has no class in common with that of some other labeler.",
        drawing="meter",
    ),
    LabelerColumn("size", "size", "Mean number of classes in its shortlists.", "{:.1f}".format),
    LabelerColumn(
        "gold_accuracy",
        "gold accuracy",
        "How often the class is in its shortlist when it votes, counted on rows whose class is known.",
    ),
    LabelerColumn(
        "accuracy",
        "accuracy",
        "The same, as the model estimates it. Unsure: votes alone cannot show it, as for a one-sided rule.",
        unknown=NOT_KNOWN,
        drawing="interval",
    ),
    LabelerColumn(
        "worth",
        "worth",
        "How much this labeler helps to predict the votes of the others (log score per row; 0 = not at all).",
        "{:z.2f}".format,
    ),
    LabelerColumn(
        "gold_gain",
        "by votes alone",
        "Percentage points of gold rows that labels by votes alone lose without it; final labels also read the rows.",
        lambda gain: f"{100 * gain:+z.1f}",
    ),
)


def labeler_columns(table: pl.DataFrame) -> list[LabelerColumn]:
    """Columns to show of a table of labelers, beside the names."""
    return [column for column in LABELER_COLUMNS if column.name in table.columns]


def labeler_lines(table: pl.DataFrame) -> tuple[list[str], list[list[str]]]:
    """The table of labelers as text: headers, and a line for each labeler."""
    columns, lines = labeler_columns(table), only_known(table).iter_rows(named=True)
    rows = [[line["labeler"], *(column.text(line) for column in columns)] for line in lines]
    return ["labeler", *(column.title for column in columns)], rows


# -- tables --------------------------------------------------------------------------------------------


def labeler_table(data: Measures, level: float | None) -> pl.DataFrame:
    """One line per labeler."""
    votes, bits = data.votes, data.bits
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
    if data.model is not None:
        columns["believed"] = share(layout.per_labeler(inside(data.soft, layout)), voted)
        if hasattr(data.model, "accuracy_"):
            ends = accuracy_estimate(data.model, votes.names, layout.per_labeler(data.soft), level)
            columns |= dict(zip(("accuracy", "accuracy_low", "accuracy_high"), ends, strict=True))
    if data.gold is not None:
        known = layout.per_labeler(data.gold_counts).sum(axis=1)
        columns["gold_votes"] = known.astype(np.int64)
        columns["gold_accuracy"] = share(layout.per_labeler(inside(data.gold_counts, layout)), known)
    return frame(columns)


def not_known() -> pl.Expr:
    """True where votes cannot tell how accurate a labeler is: the interval of its accuracy is from 0 to 1."""
    return ((pl.col("accuracy_low") <= 0) & (pl.col("accuracy_high") >= 1)).fill_null(value=False)


def only_known(table: pl.DataFrame) -> pl.DataFrame:
    """The table of labelers; accuracies that votes cannot tell are in a column of their own, `accuracy_unsure`."""
    if "accuracy" not in table or "accuracy_unsure" in table:
        return table
    unsure = pl.when(not_known()).then("accuracy")
    return table.with_columns(accuracy=pl.when(~not_known()).then("accuracy"), accuracy_unsure=unsure)


def shortlist_table(data: Measures) -> pl.DataFrame:
    """One line per shortlist of each labeler: how often it was voted, and how often it is right."""
    votes, bits = data.votes, data.bits
    layout = bits.layout
    voted = count(bits.rows)
    shortlists = [(s, c) for c in votes.codomains for s in c.shortlists]
    columns: dict[str, Any] = {
        "labeler": [votes.names[i] for i in layout.owner],
        "says": [votes.space.show(s) for s, _ in shortlists],
        "size": layout.member.sum(axis=1),
        "dummy": np.array([s in c.dummies for s, c in shortlists], np.bool_),
        "votes": voted,
        "coverage": voted / len(votes),
    }
    if data.model is not None:
        columns["believed"] = share(inside(data.soft, layout), voted)
    if data.gold is not None:
        columns["gold_votes"] = data.gold_counts.sum(axis=1).astype(np.int64)
        columns["gold_accuracy"] = share(inside(data.gold_counts, layout), data.gold_counts.sum(axis=1))
    return frame(columns)


def accuracy_table(data: Measures, level: float | None) -> pl.DataFrame:
    """One line per labeler and class: α_ij with its interval, and the accuracy on gold rows.

    What is true by construction is left blank: a labeler that never names a class is never right about it.
    """
    votes, model = data.votes, data.need_estimates()
    order = [model.panel_.names.index(name) for name in votes.names]
    n, k = len(votes.names), len(votes.space)
    numbers = {"accuracy": model.accuracy_[order].ravel()}
    if level is not None:
        ends = intervals(model, level=level)
        numbers |= {"accuracy_low": ends.lower[order].ravel(), "accuracy_high": ends.upper[order].ravel()}
    by_construction = np.isin(numbers["accuracy"], (0.0, 1.0))
    columns: dict[str, Any] = {"labeler": list(np.repeat(votes.names, k)), "class": list(votes.space) * n}
    columns |= {name: np.where(by_construction, np.nan, column) for name, column in numbers.items()}
    if data.gold is not None:
        counts, layout = data.gold_counts, data.bits.layout
        known, right = layout.per_labeler(counts), layout.per_labeler(counts * layout.member)
        columns |= {"gold_votes": known.ravel().astype(np.int64), "gold_accuracy": share(right, known).ravel()}
    return frame(columns)


# -- the accuracy of a labeler over all rows it votes on -----------------------------------------------


def accuracy_estimate(
    model: Any, names: tuple[str, ...], voted: Floats, level: float | None
) -> tuple[Floats, Floats, Floats]:
    """Accuracy of each labeler, with the ends of its interval (NaN where there is none).

    The default estimator knows it. Elsewhere it is Σ_j P(class j | i votes) α_ij, where `voted` (n, k) are the votes of
    each labeler by class, as believed; the interval comes from the curvature of the fit.
    """
    if level is not None and not 0 < level < 1:
        raise BadFit(f"level is a share of times, between 0 and 1; got {level!r}")
    order = [model.panel_.names.index(name) for name in names]
    estimate = getattr(model, "estimate_", None)
    if estimate is not None and estimate.labeler_accuracy is not None:
        low, high = estimate.labeler_interval(level) if level is not None else np.full((2, len(order)), np.nan)
        return estimate.labeler_accuracy[order], low[order], high[order]
    weights = share(voted, voted.sum(axis=1, keepdims=True))
    value: Floats = (weights * model.accuracy_[order]).sum(axis=1)
    error = np.full(len(value), np.nan)
    if level is not None and model.accuracy_.size <= MOST_ACCURACIES and hasattr(model, "evidence_"):
        slopes = np.zeros_like(weights)
        slopes[order] = np.nan_to_num(weights)
        with suppress(BadFit):  # a table that was not made from accuracies has no curvature in them
            error = Curvature(model).errors(slopes)[order]
    middle = logit(np.clip(value, 1e-9, 1 - 1e-9))
    reach = ndtri((1 + (level or 0)) / 2) * error / np.maximum(value * (1 - value), 1e-9)
    return value, expit(middle - reach), expit(middle + reach)


# -- what a labeler is worth ---------------------------------------------------------------------------


def worth_table(data: Measures) -> pl.DataFrame:
    """One line per labeler: what is lost without it, on rows that the model was not fitted on.

    `worth` is the log score per row, log P(G) − log P(G_i) − log P(G_others): near 0 for a labeler that has nothing to
    do with the others. `gold_gain` is the share of gold rows guessed right with its votes and not without, less the
    reverse.
    """
    votes, model = data.votes, data.need_estimates()
    if len(votes) < 2:
        raise BadFit("what a labeler is worth is measured on rows the model was not fitted on: two rows are needed")
    fitted, judged = halves(data)
    full, rows = fit_again(model, votes[fitted]), votes[judged]
    columns: dict[str, Any] = {"labeler": list(votes.names), "worth": likelihoods(full, rows)}
    if data.gold is not None:
        truth = data.gold[judged]
        known = (truth >= 0) & rows.covered  # a row without a vote has no label
        columns["gold_gain"] = gold_gains(full, rows[known], truth[known])
    return frame(columns)


def halves(data: Measures, most: int = 20_000) -> tuple[Positions, Positions]:
    """At most so many rows to fit, and to judge by. Rows with a known class judge, so that none of them is lost."""
    m = len(data.votes)
    order = np.random.default_rng(0).permutation(m)
    if data.gold is not None and 2 * (data.gold >= 0).sum() <= m:
        order = order[np.argsort(data.gold[order] >= 0, kind="stable")]
    half = m // 2
    return np.sort(order[:half][:most]), np.sort(order[half:][::-1][:most])


def fit_again(model: Any, votes: Votes, options: Mapping[str, Any] | None = None, **more: Any) -> Any:
    """A model like this one, perhaps with other options, fitted to other votes."""
    from sklearn.base import clone

    with warnings.catch_warnings(action="ignore", category=FitWarning):  # they were said when the model was fitted
        return clone(model).set_params(**(options or {})).fit(votes, **more)


def likelihoods(model: Any, votes: Votes) -> Floats:
    """(n,): mean over rows of log P(G) − log P(G_i) − log P(G_others)."""
    table, layout, names = model.estimate_.generator(), model.panel_.layout, model.panel_.names
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
