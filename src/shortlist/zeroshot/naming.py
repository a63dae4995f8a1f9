"""Naming: which cluster of unlabelled rows is which unseen class.

Detectors are wrong on whole classes at a time. So a hundred rows of one cluster are hardly more evidence than ten, and
the mean belief of a cluster's rows counts once. The place of a cluster is evidence, too: classes with similar
attributes have similar features. That is the idea of visual centres (Wan et al., NeurIPS 2019; see `methods/wdvsc.py`).
Here both kinds of evidence weigh whole namings of a clustering. Where two namings are equally likely, both keep their
weight. Names do not choose among clusterings: where one class was cut in two, its halves lie near each other, and any
two classes with similar attributes fit them well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from shortlist.arrays import Floats, Positions
from shortlist.zeroshot.clusters import Clustering
from shortlist.zeroshot.ridge import with_bias

PENALTY = 0.1  # λ: of the linear map from attributes to centres
DIMENSIONS = 6  # d: how many independent directions the centres of classes count as
ALL = 6  # up to so many classes, every naming is weighed
Order = tuple[int, ...]  # the cluster of each unseen class


@dataclass(frozen=True, eq=False)
class NamedClustering:
    """A clustering, the names of its clusters, and its weight among all clusterings."""

    clusters: Positions
    names: Floats
    weight: float

    @property
    def beliefs(self) -> Floats:
        """(m, k): what the name of its cluster says about each row."""
        return self.names[self.clusters]


def weigh(clusterings: Sequence[Clustering], names: Sequence[Floats]) -> list[NamedClustering]:
    """Every clustering with its names and weight, the tightest first: P(clustering) ∝ W^(−m/2)."""
    weights = softmax([clustering.evidence for clustering in clusterings])
    order = np.argsort(-weights, kind="stable").tolist()
    return [NamedClustering(clusterings[c].clusters, names[c], float(weights[c])) for c in order]


def name_clusters(agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats) -> Floats:
    """(clusters, k): how likely each cluster of one clustering is each unseen class, over all namings π.

        P(π) ∝ exp( Σ_j b̄_{π(j), j} ) · E(π)^(−d n / 2),     E(π) = Σ_ab [(S Sᵀ + λ I)⁻¹]_ab y_aᵀ y_b

    π(j) is the cluster that is class j. b̄ (clusters, k), `agreement`, is the mean belief of a cluster's rows. S holds
    the attributes of the s seen and k unseen classes (n = s + k rows). y_a is the centre of seen class a (`here`), or
    of the cluster that is unseen class a (`places`). E is the residual of one linear map, with a ridge penalty, from
    the attributes of *all* classes to their centres. Its power is the likelihood with the noise profiled out.
    """
    evidence = make_evidence(agreement, seen, unseen, here, places)
    k = len(unseen)
    orders = list(permutations(range(k))) if k <= ALL else around(climb(linear_start(agreement), evidence))
    weights = np.array([evidence(order) for order in orders])
    names = np.zeros((k, k))
    for order, weight in zip(orders, softmax(weights), strict=True):
        names[list(order), range(k)] += weight
    return names


def make_evidence(
    agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats
) -> Callable[[Order], float]:
    """order → log P(π), up to a constant."""
    s, k = len(seen), len(unseen)
    signatures = with_bias(np.concatenate([seen, unseen]))
    inverse = np.linalg.inv(signatures @ signatures.T + PENALTY * np.eye(s + k))
    centres = np.concatenate([here, places])
    products = centres @ centres.T

    def evidence(order: Order) -> float:
        rows = np.concatenate([np.arange(s), s + np.array(order)])
        residual = float((inverse * products[np.ix_(rows, rows)]).sum())
        fit = -0.5 * DIMENSIONS * (s + k) * np.log(max(residual, 1e-300))
        return float(agreement[list(order), range(k)].sum() + fit)

    return evidence


def linear_start(agreement: Floats) -> Order:
    """The most likely naming by beliefs alone."""
    clusters, classes = linear_sum_assignment(-agreement)
    return tuple(clusters[np.argsort(classes)].tolist())


def climb(order: Order, evidence: Callable[[Order], float]) -> Order:
    """Swap the names of two clusters for as long as a swap makes the naming more likely."""
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
    """A naming, and all namings that differ from it by one swap."""
    return [order, *(swapped(order, i, j) for i, j in combinations(range(len(order)), 2))]


def swapped(order: Order, i: int, j: int) -> Order:
    """The naming in which classes i and j have exchanged their clusters."""
    changed = list(order)
    changed[i], changed[j] = changed[j], changed[i]
    return tuple(changed)
