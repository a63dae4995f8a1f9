"""Naming: which cluster of unlabelled rows is which unseen class.

Detectors are wrong on whole classes at a time, so what they say about a row is weak, and a hundred rows of one cluster
say hardly more than ten. A cluster is asked once. Two things are known of it: what is believed of its rows, on average,
and where it lies; classes with like attributes lie alike. The second is the idea of visual centres (Wan et al., NeurIPS
2019; see `wdvsc.py`). Here both are weighed over whole namings, so that doubt between two of them stays doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from shortlist.zeroshot.task import Floats, Positions

PENALTY = 0.1  # λ: of the map from attributes to places
DIMENSIONS = 6  # d: how many independent directions the places of classes are worth
ALL = 6  # up to so many classes, every naming is weighed
Naming = tuple[int, ...]  # the cluster of each unseen class


def name_clusters(agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats) -> Floats:
    """(clusters, k): how likely each cluster is each unseen class.

        P(π) ∝ exp( Σ_j b̄_{π(j), j} ) · E(π)^(−d n / 2),     E(π) = Σ_ab [(S Sᵀ + λ I)⁻¹]_ab y_aᵀ y_b

    π(j) is the cluster that is class j; b̄ (clusters, k), `agreement`, the mean belief of a cluster's rows. S holds the
    attributes of the s seen and k unseen classes (n = s + k rows); y_a is the centre of seen class a (`here`), or of
    the cluster that is unseen class a (`places`). E is what is left over when one linear map with a ridge penalty has
    to take the attributes of *all* classes to their places; its power is the likelihood with the noise profiled out.
    """
    evidence = make_evidence(agreement, seen, unseen, here, places)
    k = len(unseen)
    namings = list(permutations(range(k))) if k <= ALL else around(climb(linear_start(agreement), evidence))
    weights = softmax([evidence(naming) for naming in namings])
    found = np.zeros((k, k))
    for naming, weight in zip(namings, weights, strict=True):
        found[list(naming), range(k)] += weight
    return found


def make_evidence(
    agreement: Floats, seen: Floats, unseen: Floats, here: Floats, places: Floats
) -> Callable[[Naming], float]:
    """naming → log P(π), but for a constant."""
    s, k = len(seen), len(unseen)
    signatures = np.hstack([np.concatenate([seen, unseen]), np.ones((s + k, 1))])
    inverse = np.linalg.inv(signatures @ signatures.T + PENALTY * np.eye(s + k))
    centres = np.concatenate([here, places])
    products = centres @ centres.T

    def evidence(naming: Naming) -> float:
        order = np.concatenate([np.arange(s), s + np.array(naming)])
        left_over = float((inverse * products[np.ix_(order, order)]).sum())
        fit = -0.5 * DIMENSIONS * (s + k) * np.log(max(left_over, 1e-300))
        return float(agreement[list(naming), range(k)].sum() + fit)

    return evidence


def linear_start(agreement: Floats) -> Naming:
    """The naming that beliefs by themselves prefer."""
    clusters, classes = linear_sum_assignment(-agreement)
    return tuple(clusters[np.argsort(classes)].tolist())


def climb(naming: Naming, evidence: Callable[[Naming], float]) -> Naming:
    """Swap the names of two clusters, the best two at a time, for as long as that helps."""
    best = evidence(naming)
    while True:
        after = max(swaps(naming), key=evidence)
        if evidence(after) <= best:
            return naming
        naming, best = after, evidence(after)


def around(naming: Naming) -> list[Naming]:
    """A naming, and all that differ from it by one swap: where the doubt is, if there is any."""
    return [naming, *swaps(naming)]


def swaps(naming: Naming) -> Iterator[Naming]:
    """All namings that differ by the names of two clusters."""
    for i, j in combinations(range(len(naming)), 2):
        changed = list(naming)
        changed[i], changed[j] = changed[j], changed[i]
        yield tuple(changed)


def mean_beliefs(clusters: Positions, beliefs: Floats) -> Floats:
    """(clusters, k): what is believed of the rows of each cluster, on average."""
    return np.stack([beliefs[clusters == c].mean(axis=0) for c in range(int(clusters.max()) + 1)])
