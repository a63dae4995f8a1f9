"""Clusters of unlabelled rows, found without reading any class. `naming.py` then finds their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from shortlist.arrays import Floats, Positions
from shortlist.zeroshot.scaling import Scaling
from shortlist.zeroshot.task import Features, Task, centres_of

SHRINKAGE = 0.5  # how far the covariance within seen classes is shrunk toward a multiple of the identity
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

        A row counts as one independent observation, however many features it has.
        """
        return -0.5 * len(self.clusters) * float(np.log(self.within + FLOOR))


def find_clusterings(task: Task, new: Features, seed: int) -> list[Clustering]:
    """Ways to split the unlabelled rows into as many clusters as there are unseen classes; none if too few rows differ.

    These are all the results of k-means from different starts. The metric is the one in which rows of a *seen* class
    have the same spread in all directions: the labels tell how rows of one class differ, and that carries over to
    unseen classes. The tightest clusters need not be the classes. Where classes have unequal sizes, k-means cuts a
    large class in two rather than keep a small one. So all results are kept, each with its weight (`naming.weigh`).
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
    """(m,): the same clusters, numbered in the order of their first rows."""
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
