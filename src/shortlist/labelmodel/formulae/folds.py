"""Folds: two-fold cross-validation of a model that known classes take part in fitting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.formulae.evidence import Evidence, merged

MOST = 10**9  # known rows that NumPy can draw from. Of more, half of each kind is taken


def two_folds(evidence: Evidence) -> Iterator[tuple[Evidence, Floats]]:
    """Twice what to fit, with half of the known classes, and how many rows of each kind in `evidence.known()` judge it.

    Halves are drawn at random with a fixed seed. Every other row, in the order of votes and classes, would not do:
    both halves would then have the same classes for the same votes, and the model would seem better than it is.
    """
    known = evidence.known().weights
    first = random_half(known)
    for fitted in (first, known - first):
        yield knowing_only(evidence, fitted), known - fitted


def random_half(counts: Floats) -> Floats:
    """How many of each kind are in a random half of all."""
    whole = counts.astype(np.int64)  # rows of a sample stand for more rows, not always a whole number
    total = int(whole.sum())
    if total >= MOST:
        return (whole // 2).astype(np.float64)
    return np.random.default_rng(0).multivariate_hypergeometric(whole, total // 2).astype(np.float64)


def knowing_only(evidence: Evidence, counts: Floats) -> Evidence:
    """The same rows, but the class is known of only so many of each kind in `evidence.known()`."""
    weights = evidence.weights.copy()
    weights[evidence.gold >= 0] -= counts
    known = evidence.known()
    hidden = Evidence(evidence.votes, weights, np.full_like(evidence.gold, -1))
    return merged([hidden, Evidence(known.votes, counts, known.gold)])
