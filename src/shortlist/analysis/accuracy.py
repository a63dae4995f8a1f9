"""Accuracy: how often a labeler's vote is estimated to hold the class, with an interval.

The default estimator says so itself. Elsewhere a labeler has an accuracy α_ij for every class. Its accuracy over all
the rows it votes on is their mean, weighted by how much of each class is believed to be among those rows, and the
interval comes from the curvature of the fit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from shortlist.analysis.soft import share
from shortlist.arrays import Floats
from shortlist.errors import BadFit
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.votes import Votes

SAMPLE = 5_000  # rows whose curvature stands for that of all: right to a percent or two
WIDEST = 1_500  # parameters whose information is still inverted in a second


class Estimate(NamedTuple):
    """A number a labeler, and the ends of its interval (NaN where there is none)."""

    value: Floats
    lower: Floats
    upper: Floats


def estimate(model: Any, names: tuple[str, ...], voted: Floats, level: float | None) -> Estimate:
    """Σ_j P(class j | i votes) α_ij for each of `names`, where `voted` (n, k) are votes by class, as believed."""
    if level is not None and not 0 < level < 1:
        raise BadFit(f"level is a share of times, between 0 and 1; got {level!r}")
    order = [model.panel_.names.index(name) for name in names]
    known = getattr(model, "estimate_", None)
    if known is not None and known.labeler_accuracy is not None:
        ends = known.labeler_interval(level) if level is not None else np.full((2, len(order)), np.nan)
        return Estimate(known.labeler_accuracy[order], *(end[order] for end in ends))
    weights = share(voted, voted.sum(axis=1, keepdims=True))
    value: Floats = (weights * model.accuracy_[order]).sum(axis=1)
    unknown = np.full(len(value), np.nan)
    if level is None or model.accuracy_.size > WIDEST or not hasattr(model, "evidence_"):
        return Estimate(value, unknown, unknown)
    slopes = np.zeros_like(weights)
    slopes[order] = np.nan_to_num(weights)
    try:
        error = standard_errors(model, slopes)[order]
    except BadFit:  # a table that was not made from accuracies has no curvature in them
        return Estimate(value, unknown, unknown)
    middle = logit(np.clip(value, 1e-9, 1 - 1e-9))
    reach = ndtri((1 + level) / 2) * error / np.maximum(value * (1 - value), 1e-9)
    return Estimate(value, expit(middle - reach), expit(middle + reach))


def standard_errors(model: Any, weights: Floats) -> Floats:
    """(n,): of the weighted means of accuracies, by the delta method from the observed information."""
    from shortlist.uncertainty.information import Fitted, covariance, observed_information

    fitted = Fitted.of(model, sampled(model.evidence_, SAMPLE))
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


def sampled(evidence: Evidence, most: int, seed: int = 0) -> Evidence:
    """The same evidence, or so many rows of it drawn at random, weighing as much."""
    if len(evidence.weights) <= most:
        return evidence
    drawn = np.random.default_rng(seed).multinomial(most, evidence.weights / evidence.total)
    kept = drawn > 0
    codes = Votes(evidence.votes.codes[kept], evidence.votes.codomains, evidence.votes.space, evidence.votes.names)
    weights: Floats = drawn[kept] * np.float64(evidence.total / most)
    return Evidence(codes, weights, evidence.gold[kept])
