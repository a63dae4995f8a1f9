"""WordModel: a linear model of words that answers together with a network.

A short fine-tuning does not learn every single word that tells classes apart; a linear model does. The two are combined
as a weighted geometric mean. The weight needs no labels: it is the one with the least expected loss under the beliefs
(Section 3.3 of the paper) of rows that neither has learned from.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from shortlist.archive import Arrays
from shortlist.arrays import Floats, Positions
from shortlist.classifier.file import pack_estimator, pack_features, unpack_estimator, unpack_features
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.classifier.text import TextFeatures

ONE_IN = 10  # of the rows is held out, to find the weight
ENOUGH = 50  # held-out rows; with fewer there is no word model


@dataclass(frozen=True)
class WordModel:
    """The features of texts, the linear model, and its share: its weight in the mean, from 0 to 1."""

    features: TextFeatures
    linear: SoftLogisticRegression
    share: float

    @classmethod
    def learn(cls, texts: list[str], beliefs: Floats, weights: Floats, held_out: Positions, network: Floats) -> Self:
        """From texts, beliefs (m, k) and weights (m,). `network` is its log P(class | text) of the held-out rows.

        Once its share is known, the linear model learns from the held-out rows too. Only the ratios of the weights
        matter, as they do for the network.
        """
        weights = weights / weights.mean()
        features = TextFeatures()
        X = features.fit_transform(texts)
        shown = np.setdiff1d(np.arange(len(texts)), held_out)
        trial = SoftLogisticRegression().fit_beliefs(X[shown], beliefs[shown], weights[shown])
        share = best_share(network, trial.log_proba(X[held_out]), beliefs[held_out], weights[held_out])
        return cls(features, SoftLogisticRegression().fit_beliefs(X, beliefs, weights), share)

    def combine(self, network: Floats, texts: list[str]) -> Floats:
        """(m, k): log P(class | text) of network and words together, from that of the network."""
        return geometric_mean(network, self.linear.log_proba(self.features.transform(texts)), self.share)

    # -- what a file keeps of it ---------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """(header, arrays)."""
        arrays: dict[str, Any] = {}
        features, linear = pack_features(self.features, arrays), pack_estimator(self.linear, arrays)
        return {"share": self.share, "features": features, "linear": linear}, arrays

    @classmethod
    def restore(cls, header: dict[str, Any], arrays: Arrays, path: str | os.PathLike[str]) -> Self:
        """The word model that `state` came from; `path` is the file that errors name."""
        features = unpack_features(header["features"], arrays, path, ())
        return cls(features, unpack_estimator(header["linear"], arrays, path, ()), header["share"])


def held_out_rows(m: int, seed: int) -> Positions:
    """The rows, of m, that are held out; none where they would be too few."""
    some: Positions = np.sort(np.random.default_rng(seed).permutation(m)[: m // ONE_IN])
    return some if len(some) >= ENOUGH else some[:0]


def geometric_mean(one: Floats, other: Floats, share: float) -> Floats:
    """(m, k): the weighted geometric mean of two beliefs, all logarithms. `share` is the weight of the other."""
    both: Floats = log_softmax((1 - share) * one + share * other, axis=1)
    return both


def best_share(one: Floats, other: Floats, beliefs: Floats, weights: Floats) -> float:
    """argmin_s of −Σ_a w_a Σ_j P(j | G_a) log geometric_mean_j(one_a, other_a; s), 0 ≤ s ≤ 1: convex in s."""

    def loss(share: float) -> float:
        return -float(weights @ np.einsum("ak,ak->a", beliefs, geometric_mean(one, other, share)))

    inside: Any = minimize_scalar(loss, bounds=(0, 1), method="bounded")
    return min((0.0, 1.0, float(inside.x)), key=loss)
