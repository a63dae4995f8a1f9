"""Examples: tokenised texts with what is believed of them, and the training set that they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.classifier.networks.encoder import Ids


@dataclass(frozen=True)
class Examples:
    """Token ids of m texts, their beliefs (m, k) and weights (m,)."""

    ids: Ids
    beliefs: Floats
    weights: Floats

    def and_then(self, other: Examples) -> Examples:
        """These examples and, after them, the others."""
        return Examples(
            self.ids + other.ids,
            np.concatenate([self.beliefs, other.beliefs]),
            np.concatenate([self.weights, other.weights]),
        )

    def take(self, rows: Positions) -> Examples:
        """Some of the examples."""
        return Examples([self.ids[a] for a in rows], self.beliefs[rows], self.weights[rows])


@dataclass(frozen=True)
class TrainingSet:
    """Examples of covered rows, texts of uncovered rows with their weights, and the rows that are held out.

    `held_out` are positions among all rows, covered ones first. The network does not learn from them.
    """

    covered: Examples
    uncovered: Ids
    uncovered_weights: Floats
    held_out: Positions

    def parts(self) -> list[Any]:
        """The arrays that a checkpoint knows the training set by."""
        covered = self.covered
        parts: list[Any] = [np.concatenate(covered.ids), covered.beliefs, covered.weights, self.held_out]
        return [*parts, np.concatenate(self.uncovered), self.uncovered_weights] if self.uncovered else parts
