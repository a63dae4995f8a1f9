"""Clusters of unlabelled rows, found without a word about classes. Naming them comes second (`naming.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from shortlist.arrays import Floats, Positions
from shortlist.zeroshot.scaling import Scaling
from shortlist.zeroshot.task import Task

SHRINKAGE = 0.5  # how far the covariance within seen classes is pulled toward a round one
RESTARTS = 25
FLOOR = 1e-9


@dataclass(frozen=True, eq=False)
class Clustering:
    """The cluster of each row (m,), and the sum of squares within clusters."""

    clusters: Positions
    within: float

    @property
    def evidence(self) -> float:
        """log W^(−m/2), W the sum of squares: a Gaussian likelihood with its variance profiled out.

        A row counts as one direction, however many features it has: those of one row depend on one another.
        """
        return -0.5 * len(self.clusters) * float(np.log(self.within + FLOOR))


def find_clusterings(task: Task, new: npt.NDArray[np.float32], seed: int) -> list[Clustering]:
    """Ways to part the unlabelled rows into as many clusters as there are unseen classes; none if so few rows differ.

    All that k-means ends in from different starts, in the metric in which rows of one *seen* class lie round their
    centre alike in all directions: how rows of one class differ is known from the labels, and carries over to classes
    without any. The tightest clusters need not be the classes: where classes are of unequal size, k-means would rather
    cut a large one in two than keep a small one. So all of them are kept, and names help to decide (`naming.py`).
    """
    k = len(task.unseen)
    if len(np.unique(new, axis=0)) < k:
        return []
    scaling = Scaling.of(new)
    rows = scaling(new).astype(np.float64) @ whitening(scaling(task.X).astype(np.float64), task.truth)
    found: dict[bytes, Clustering] = {}
    for start in np.random.default_rng(seed).integers(2**31, size=RESTARTS).tolist():
        fitted = KMeans(k, n_init=1, random_state=start).fit(rows)
        clusters = in_order(fitted.labels_)
        found.setdefault(clusters.tobytes(), Clustering(clusters, float(fitted.inertia_)))
    return list(found.values())


def in_order(labels: npt.NDArray[Any]) -> Positions:
    """(m,): the same clusters, numbered in the order in which rows come upon them."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    ranks: Positions = np.argsort(np.argsort(first))[place].astype(np.int64)
    return ranks


def whitening(X: Floats, truth: Positions) -> Floats:
    """(p, p) V with Vᵀ Σ V = I, Σ being the shrunk covariance within classes."""
    residual = X - centres_of(X, truth)[truth]
    covariance = residual.T @ residual / len(X)
    size = float(np.trace(covariance)) / len(covariance) + FLOOR
    spread, axes = np.linalg.eigh((1 - SHRINKAGE) * covariance + SHRINKAGE * size * np.eye(len(covariance)))
    found: Floats = axes / np.sqrt(spread)
    return found


def centres_of(X: npt.NDArray[np.floating[Any]], groups: Positions) -> Floats:
    """(groups, p): the mean row of each group."""
    return np.stack([X[groups == j].mean(axis=0) for j in range(int(groups.max()) + 1)]).astype(np.float64)
