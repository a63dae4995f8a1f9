"""Clusters of unlabelled rows, found without a word about classes. Naming them comes second (`naming.py`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

from shortlist.zeroshot.scaling import Scaling
from shortlist.zeroshot.task import Floats, Positions, Task

SHRINKAGE = 0.5  # how far the covariance within seen classes is pulled toward a round one
RESTARTS = 20
FLOOR = 1e-9


def find_clusters(task: Task, new: npt.NDArray[np.float32], seed: int) -> Positions | None:
    """(m,): the cluster of each unlabelled row, of as many as there are unseen classes; None if so few rows differ.

    k-means, in the metric in which rows of one *seen* class lie round their centre alike in all directions: how rows
    of one class differ is known from the labels, and carries over to classes without any.
    """
    k = len(task.unseen)
    if len(np.unique(new, axis=0)) < k:
        return None
    scaling = Scaling.of(new)
    rows = scaling(new).astype(np.float64) @ whitening(scaling(task.X).astype(np.float64), task.truth)
    return np.asarray(KMeans(k, n_init=RESTARTS, random_state=seed).fit(rows).labels_, np.int64)


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
