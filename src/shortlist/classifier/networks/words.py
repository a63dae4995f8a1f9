"""Words: a linear model of words beside a network that reads texts whole.

A short fine-tuning has not learned the single words that tell classes apart; a linear model has, and knows nothing
else. How far to listen to which needs no label: it is what makes the expected loss under the beliefs (Section 3.3 of
the paper) least on rows that are kept apart from both.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from shortlist.archive import Arrays
from shortlist.arrays import Floats
from shortlist.classifier.file import pack_estimator, pack_features, unpack_estimator, unpack_features
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.classifier.text import TextFeatures

APART = 10  # one row in so many is kept apart, to judge by
ENOUGH = 50  # rows to judge by; with fewer the network is alone, and learns from all
Rows: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Words:
    """The features of texts, the linear model of them, and its share of what is said, between 0 and 1."""

    features: TextFeatures
    linear: SoftLogisticRegression
    share: float

    @classmethod
    def learn(cls, texts: list[str], beliefs: Floats, weights: Floats, apart: Rows, network: Floats) -> Self:
        """From texts, beliefs (m, k) and weights (m,); `network` is its log P(class | text) of the rows kept apart.

        Once its share is known, the linear model learns from those too. As to the network, only the ratios of weights
        matter.
        """
        weights = weights / weights.mean()
        features = TextFeatures()
        X = features.fit_transform(texts)
        shown = np.setdiff1d(np.arange(len(texts)), apart)
        trial = SoftLogisticRegression().fit_beliefs(X[shown], beliefs[shown], weights[shown])
        share = best_share(network, trial.log_proba(X[apart]), beliefs[apart], weights[apart])
        return cls(features, SoftLogisticRegression().fit_beliefs(X, beliefs, weights), share)

    def beside(self, log_p: Floats, texts: list[str]) -> Floats:
        """(m, k): what a network says of texts, and what their words say, in one."""
        return between(log_p, self.linear.log_proba(self.features.transform(texts)), self.share)

    # -- what a file keeps of them --------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """(header, arrays)."""
        arrays: Arrays = {}
        features, linear = pack_features(self.features, arrays), pack_estimator(self.linear, arrays)
        return {"share": self.share, "features": features, "linear": linear}, arrays

    @classmethod
    def restore(cls, header: dict[str, Any], arrays: Arrays, path: str | os.PathLike[str]) -> Self:
        """What `state` came from; `path` is the file that errors name."""
        features = unpack_features(header["features"], arrays, path, ())
        return cls(features, unpack_estimator(header["linear"], arrays, path, ()), header["share"])


def kept_apart(m: int, seed: int) -> Rows:
    """The rows, of m, that are to judge by: none where they would be too few."""
    some: Rows = np.sort(np.random.default_rng(seed).permutation(m)[: m // APART])
    return some if len(some) >= ENOUGH else some[:0]


def between(one: Floats, other: Floats, share: float) -> Floats:
    """The weighted geometric mean of two beliefs, all logarithms."""
    both: Floats = log_softmax((1 - share) * one + share * other, axis=1)
    return both


def best_share(one: Floats, other: Floats, beliefs: Floats, weights: Floats) -> float:
    """argmin_s of −Σ_a w_a Σ_j P(j | G_a) log between_j(one_a, other_a; s), 0 ≤ s ≤ 1: convex in s."""

    def loss(share: float) -> float:
        return -float(weights @ np.einsum("ak,ak->a", beliefs, between(one, other, share)))

    inside: Any = minimize_scalar(loss, bounds=(0, 1), method="bounded")
    return min((0.0, 1.0, float(inside.x)), key=loss)
