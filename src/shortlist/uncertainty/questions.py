"""The questions (splits of the classes) whose answers about all rows would be most informative.

With p the belief in S, an answer of accuracy a has the information H(a p + (1 − a)(1 − p)) − H(a), in bits.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shortlist.arrays import Floats, Mask

Split = tuple[int, ...]  # the classes on the yes side, by position


def best_questions(
    beliefs: Floats, weights: Floats, n: int, accuracy: float, largest: int
) -> Iterator[tuple[Split, float]]:
    """At most n (split, expected information in bits a row), each given the ones before it."""
    asked: list[Split] = []
    for _ in range(n):
        split, gain = best_split(beliefs, weights, accuracy, largest)
        if gain <= 1e-9 or split in asked:
            return
        asked.append(split)
        yield split, gain
        beliefs, weights = answered(beliefs, weights, mask_of(split, beliefs.shape[1]), accuracy)


def entropy(p: Floats) -> Floats:
    """Binary entropy, in bits."""
    inside = np.clip(p, 1e-300, 1.0)
    other = np.clip(1.0 - p, 1e-300, 1.0)
    return np.asarray(-(p * np.log2(inside) + (1.0 - p) * np.log2(other)))


def information(beliefs: Floats, weights: Floats, masks: Mask, accuracy: float) -> Floats:
    """(c,): expected information of questions about c sets of classes, in bits a row."""
    p = beliefs @ masks.T.astype(np.float64)  # (u, c)
    bits = entropy(accuracy * p + (1 - accuracy) * (1 - p)) - entropy(np.array(accuracy))
    return np.asarray(weights @ bits)


def best_split(beliefs: Floats, weights: Floats, accuracy: float, largest: int) -> tuple[Split, float]:
    """The most informative set of at most `largest` classes, the smallest of equals, by beam search."""
    k = beliefs.shape[1]
    sets: list[Split] = [(j,) for j in range(k)]
    best, most = sets[0], -1.0
    for size in range(1, min(largest, k - 1) + 1):
        gains = information(beliefs, weights, np.array([mask_of(one, k) for one in sets]), accuracy)
        order = np.argsort(-np.round(gains, 12), kind="stable")
        if gains[order[0]] > most + 1e-9:
            best, most = sets[order[0]], float(gains[order[0]])
        if size < largest:
            grown = {tuple(sorted((*sets[i], j))) for i in order[:24] for j in range(k) if j not in sets[i]}
            sets = sorted(grown)
    return best, most


def answered(beliefs: Floats, weights: Floats, mask: Mask, accuracy: float) -> tuple[Floats, Floats]:
    """Beliefs after the answer, for yes and for no, and the expected weight of each."""
    likely = np.where(mask, accuracy, 1 - accuracy)
    parts = [beliefs * likely, beliefs * (1 - likely)]
    chances = [part.sum(axis=1) for part in parts]
    updated = [part / np.maximum(chance, 1e-300)[:, None] for part, chance in zip(parts, chances, strict=True)]
    return np.concatenate(updated), np.concatenate([weights * chance for chance in chances])


def mask_of(split: Split, k: int) -> Mask:
    return np.isin(np.arange(k), split)
