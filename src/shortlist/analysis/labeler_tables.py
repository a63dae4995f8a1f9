"""Tables about labelers, about their shortlists and their accuracies; and the columns that every view shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from scipy.special import expit, logit, ndtri

from shortlist.analysis.bits import count
from shortlist.analysis.measures import Measures, frame, inside, share
from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.uncertainty import intervals
from shortlist.uncertainty.information import Fitted, covariance, observed_information
from shortlist.votes import Votes
from shortlist.wording import NOT_KNOWN

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
        value = line.get(self.name)
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
        "accuracy",
        "accuracy",
        "How often the class is in its shortlist when it votes, as the model estimates it.",
        unknown=NOT_KNOWN,
        drawing="interval",
    ),
    LabelerColumn("gold_accuracy", "gold accuracy", "The same, counted on rows whose class is known."),
    LabelerColumn(
        "worth",
        "worth",
        "How much this labeler helps to predict the votes of the others (log score per row; 0 = not at all).",
        "{:z.2f}".format,
    ),
    LabelerColumn(
        "gold_gain",
        "gold gain",
        "Percentage points of gold rows that its votes set right: accuracy with its votes, less accuracy without them.",
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
    """The table of labelers, without the accuracies that votes cannot tell."""
    return table.with_columns(accuracy=pl.when(~not_known()).then("accuracy")) if "accuracy" in table else table


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
        ends = intervals(model, level=level).accuracy
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
        error = standard_errors(model, slopes)[order]
    middle = logit(np.clip(value, 1e-9, 1 - 1e-9))
    reach = ndtri((1 + (level or 0)) / 2) * error / np.maximum(value * (1 - value), 1e-9)
    return value, expit(middle - reach), expit(middle + reach)


def standard_errors(model: Any, weights: Floats) -> Floats:
    """(n,): standard errors of weighted means of accuracies, by the delta method from the observed information."""
    try:
        fitted = Fitted.of(model, _sampled(model.evidence_))
    except BadFit:  # a table that was not made from accuracies has no curvature in them
        return np.full(len(weights), np.nan)
    basis, index = fitted.coordinates.basis, fitted.coordinates.accuracy
    alpha = fitted.parameters.accuracy
    slopes = np.zeros((len(alpha), len(basis)))
    for i, j in zip(*np.nonzero(index >= 0), strict=True):
        slopes[i, index[i, j]] += weights[i, j] * alpha[i, j] * (1 - alpha[i, j])  # d α / d log-odds
    slopes = slopes @ basis
    with one_blas_thread():
        spread = covariance(observed_information(fitted))
    errors: Floats = np.sqrt(np.einsum("ij,jk,ik->i", slopes, spread, slopes))
    return errors


def _sampled(evidence: Evidence, most: int = 5_000) -> Evidence:
    """All rows, or a random sample that weighs as much: its curvature is right to a percent or two."""
    if len(evidence.weights) <= most:
        return evidence
    drawn = np.random.default_rng(0).multinomial(most, evidence.weights / evidence.total)
    kept = drawn > 0
    codes = Votes(evidence.votes.codes[kept], evidence.votes.codomains, evidence.votes.space, evidence.votes.names)
    weights: Floats = drawn[kept] * np.float64(evidence.total / most)
    return Evidence(codes, weights, evidence.gold[kept])
