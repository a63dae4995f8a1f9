"""Naming: which cluster of unlabelled rows is which unseen class.

Detectors are wrong on whole classes at a time, so what they say about a row is weak, and a hundred rows of one cluster
say hardly more than ten. A cluster is asked once. Two things are known of it: what is believed of its rows, on average,
and where it lies; classes with like attributes lie alike. The second is the idea of visual centres (Wan et al., NeurIPS
2019; see `wdvsc.py`). Here both are weighed over whole namings, of all clusterings there are, so that doubt between two
of them stays doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp, softmax

from shortlist.arrays import Floats, Positions
from shortlist.zeroshot.clusters import Clustering

PENALTY = 0.1  # λ: of the map from attributes to places
DIMENSIONS = 6  # d: how many independent directions the places of classes are worth
ALL = 6  # up to so many classes, every naming is weighed
Order = tuple[int, ...]  # the cluster of each unseen class


@dataclass(frozen=True, eq=False)
class Naming:
    """How likely each cluster is each unseen class (clusters, k), and log Σ_π of what speaks for all its namings π."""

    names: Floats
    evidence: float


@dataclass(frozen=True, eq=False)
class Named:
    """A clustering, the names of its clusters, and its weight beside the other clusterings."""

    clusters: Positions
    names: Floats
    weight: float

    @property
    def beliefs(self) -> Floats:
        """(m, k): what the name of its cluster says about each row."""
        return self.names[self.clusters]


def weigh(clusterings: Sequence[Clustering], namings: Sequence[Naming]) -> list[Named]:
    """Every clustering with its names and weight, the likeliest first: P(clustering, π) ∝ W^(−m/2) · P(π)."""
    pairs = list(zip(clusterings, namings, strict=True))
    weights = softmax([clustering.evidence + naming.evidence for clustering, naming in pairs])
    order = np.argsort(-weights, kind="stable").tolist()
    return [Named(pairs[c][0].clusters, pairs[c][1].names, float(weights[c])) for c in order]


def name_clusters(agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats) -> Naming:
    """Weigh the namings of one clustering.

        P(π) ∝ exp( Σ_j b̄_{π(j), j} ) · E(π)^(−d n / 2),     E(π) = Σ_ab [(S Sᵀ + λ I)⁻¹]_ab y_aᵀ y_b

    π(j) is the cluster that is class j; b̄ (clusters, k), `agreement`, the mean belief of a cluster's rows. S holds the
    attributes of the s seen and k unseen classes (n = s + k rows); y_a is the centre of seen class a (`here`), or of
    the cluster that is unseen class a (`places`). E is what is left over when one linear map with a ridge penalty has
    to take the attributes of *all* classes to their places; its power is the likelihood with the noise profiled out.
    """
    evidence = make_evidence(agreement, seen, unseen, here, places)
    k = len(unseen)
    orders = list(permutations(range(k))) if k <= ALL else around(climb(linear_start(agreement), evidence))
    weights = np.array([evidence(order) for order in orders])
    total = float(logsumexp(weights))
    names = np.zeros((k, k))
    for order, weight in zip(orders, np.exp(weights - total), strict=True):
        names[list(order), range(k)] += weight
    return Naming(names, total)


def make_evidence(
    agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats
) -> Callable[[Order], float]:
    """order → log P(π), but for a constant."""
    s, k = len(seen), len(unseen)
    signatures = np.hstack([np.concatenate([seen, unseen]), np.ones((s + k, 1))])
    inverse = np.linalg.inv(signatures @ signatures.T + PENALTY * np.eye(s + k))
    centres = np.concatenate([here, places])
    products = centres @ centres.T

    def evidence(order: Order) -> float:
        rows = np.concatenate([np.arange(s), s + np.array(order)])
        left_over = float((inverse * products[np.ix_(rows, rows)]).sum())
        fit = -0.5 * DIMENSIONS * (s + k) * np.log(max(left_over, 1e-300))
        return float(agreement[list(order), range(k)].sum() + fit)

    return evidence


def linear_start(agreement: Floats) -> Order:
    """The naming that beliefs by themselves prefer."""
    clusters, classes = linear_sum_assignment(-agreement)
    return tuple(clusters[np.argsort(classes)].tolist())


def climb(order: Order, evidence: Callable[[Order], float]) -> Order:
    """Swap the names of two clusters, wherever that helps, for as long as it does."""
    best, last = evidence(order), None
    while order != last:
        last = order
        for i, j in combinations(range(len(order)), 2):
            after = swapped(order, i, j)
            found = evidence(after)
            if found > best:
                order, best = after, found
    return order


def around(order: Order) -> list[Order]:
    """A naming, and all that differ from it by one swap: where the doubt is, if there is any."""
    return [order, *(swapped(order, i, j) for i, j in combinations(range(len(order)), 2))]


def swapped(order: Order, i: int, j: int) -> Order:
    """The naming in which classes i and j trade their clusters."""
    changed = list(order)
    changed[i], changed[j] = changed[j], changed[i]
    return tuple(changed)


def mean_beliefs(clusters: Positions, beliefs: Floats) -> Floats:
    """(clusters, k): what is believed of the rows of each cluster, on average."""
    return np.stack([beliefs[clusters == c].mean(axis=0) for c in range(int(clusters.max()) + 1)])
