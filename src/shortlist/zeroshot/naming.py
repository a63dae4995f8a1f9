"""Clusters of unlabelled rows, and which of them is which unseen class.

Detectors are wrong about whole classes at a time, so the mean belief of a cluster's rows counts once. The place of a
cluster is evidence, too: classes with similar attributes have similar features (Wan et al., NeurIPS 2019).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax
from sklearn.cluster import KMeans

from shortlist.arrays import Floats, Positions
from shortlist.zeroshot.task import Features, Scaling, Task, centres_of

Order = tuple[int, ...]  # the cluster of each unseen class


@dataclass(frozen=True, eq=False)
class Clustering:
    """The cluster of each row (m,), the names of the clusters (clusters, unseen), and its weight among clusterings."""

    clusters: Positions
    names: Floats
    weight: float


def find_clusterings(task: Task, new: Features, beliefs: Floats, seed: int) -> list[Clustering]:
    """Clusterings of the unlabelled rows, with the names of their clusters, the tightest first; none if rows are few.

    There is a cluster for each unseen class. The tightest clusters need not be the classes: where classes have unequal
    sizes, k-means cuts a large class in two rather than keep a small one. So all results of k-means are kept.
    P(clustering) ∝ W^(−m/2), W the sum of squares within clusters: a Gaussian likelihood with its variance profiled
    out, in which a row counts as one independent observation, however many features it has.
    """
    found = k_means(task, new, seed)
    if not found:
        return []
    both = Scaling.of(np.concatenate([task.X, new]))
    here, there = centres_of(both(task.X), task.truth), both(new)
    weights = softmax([-0.5 * len(new) * np.log(within + 1e-9) for _, within in found])
    return [
        Clustering(
            groups,
            name_clusters(centres_of(beliefs, groups), *task.signatures, here, centres_of(there, groups)),
            float(weight),
        )
        for weight, (groups, _) in sorted(zip(weights, found, strict=True), key=lambda pair: -pair[0])
    ]


def k_means(task: Task, new: Features, seed: int) -> list[tuple[Positions, float]]:
    """(clusters, sum of squares) of k-means from 25 starts, each different result once.

    The metric is the one in which rows of a *seen* class have the same spread in all directions: the labels tell how
    rows of one class differ, and that carries over to unseen classes.
    """
    k = len(task.unseen)
    if len(np.unique(new, axis=0)) < k:
        return []
    scaling = Scaling.of(new)
    rows = scaling(new).astype(np.float64) @ whitening(scaling(task.X).astype(np.float64), task.truth)
    distinct: dict[bytes, tuple[Positions, float]] = {}
    for start in np.random.default_rng(seed).integers(2**31, size=25).tolist():
        fitted = KMeans(k, n_init=1, random_state=start).fit(rows)
        clusters = in_order(fitted.labels_)
        distinct.setdefault(clusters.tobytes(), (clusters, float(fitted.inertia_)))
    return list(distinct.values())


def in_order(labels: npt.NDArray[Any]) -> Positions:
    """(m,): the same clusters, numbered in the order of their first rows."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place].astype(np.int64)


def whitening(X: Floats, truth: Positions) -> Floats:
    """(p, p) V with Vᵀ Σ V = I, Σ being the shrunk covariance within classes."""
    residual = X - centres_of(X, truth)[truth]
    covariance = residual.T @ residual / len(X)
    size = float(np.trace(covariance)) / len(covariance) + 1e-9
    shrunk = 0.5 * covariance + 0.5 * size * np.eye(len(covariance))  # half way toward a multiple of the identity
    spread, axes = np.linalg.eigh(shrunk)
    return np.asarray(axes / np.sqrt(spread), np.float64)


# -- names ---------------------------------------------------------------------------------------------


def name_clusters(
    agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats, *, exact: int = 6
) -> Floats:
    """(clusters, k): how likely each cluster of one clustering is each unseen class, over all namings π.

        P(π) ∝ exp( Σ_j b̄_{π(j), j} ) · E(π)^(−d n / 2),     E(π) = Σ_ab [(S Sᵀ + λ I)⁻¹]_ab y_aᵀ y_b

    π(j) is the cluster that is class j. b̄ (clusters, k), `agreement`, is the mean belief of a cluster's rows. S holds
    the attributes of the s seen and k unseen classes (n = s + k rows). y_a is the centre of seen class a (`here`), or
    of the cluster that is unseen class a (`places`). E is the residual of one linear map, with a ridge penalty, from
    the attributes of *all* classes to their centres. Its power is the likelihood with the noise profiled out. d = 6
    independent directions are counted, and λ = 0.1. Beyond `exact` classes, namings around the best are weighed.
    """
    evidence, k = make_evidence(agreement, seen, unseen, here, places), len(unseen)
    orders = list(permutations(range(k))) if k <= exact else around(climb(linear_start(agreement), evidence))
    weights = np.array([evidence(order) for order in orders])
    names = np.zeros((k, k))
    for order, weight in zip(orders, softmax(weights), strict=True):
        names[list(order), range(k)] += weight
    return names


def make_evidence(
    agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats, penalty: float = 0.1
) -> Callable[[Order], float]:
    """order → log P(π), up to a constant."""
    s, k = len(seen), len(unseen)
    signatures = np.hstack([np.concatenate([seen, unseen]), np.ones((s + k, 1))])  # with a bias
    inverse = np.linalg.inv(signatures @ signatures.T + penalty * np.eye(s + k))
    centres = np.concatenate([here, places])
    products = centres @ centres.T

    def evidence(order: Order) -> float:
        rows = np.concatenate([np.arange(s), s + np.array(order)])
        residual = float((inverse * products[np.ix_(rows, rows)]).sum())
        fit = -0.5 * 6 * (s + k) * np.log(max(residual, 1e-300))
        return float(agreement[list(order), range(k)].sum() + fit)

    return evidence


def linear_start(agreement: Floats) -> Order:
    """The most likely naming by beliefs alone."""
    clusters, classes = linear_sum_assignment(-agreement)
    return tuple(clusters[np.argsort(classes)].tolist())


def climb(order: Order, evidence: Callable[[Order], float]) -> Order:
    """Swap the names of two clusters for as long as a swap makes the naming more likely."""
    while (best := max(around(order), key=evidence)) != order:
        order = best
    return order


def around(order: Order) -> list[Order]:
    """A naming, and all namings that differ from it by one swap."""
    swaps = [{i: j, j: i} for i, j in combinations(range(len(order)), 2)]
    return [order, *(tuple(order[swap.get(a, a)] for a in range(len(order))) for swap in swaps)]
