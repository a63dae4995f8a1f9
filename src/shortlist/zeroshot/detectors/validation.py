"""Judgement: how right a detector is on classes it was not trained on, and where it had better keep silent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.attribute_table import Flags

GRID = np.round(np.arange(0.05, 0.96, 0.05), 2)  # where a band may begin and end
_BANDS = sorted(
    zip(*np.triu_indices(len(GRID)), strict=True),
    key=lambda band: (band[1] - band[0], abs(GRID[band[0]] + GRID[band[1]] - 1)),
)
LOW, HIGH = np.array(_BANDS).T  # positions in GRID of every band: narrow ones first, and those around one half
LEAST = 0.25  # a band leaves a detector at least this share of the rows to vote on
Band = tuple[float, float]


@dataclass(frozen=True)
class Judgement:
    """Of one detector on held-out classes: mean accuracy (classes with and without the attribute count alike), that
    of the worst class, and the band (no_below, yes_from) inside which it abstains.

    NaN, and no band, where no class was held out from it.
    """

    accuracy: float
    worst: float
    band: Band


def judge(scores: Floats, truth: Positions, has: Flags, band: Band | None = None) -> Judgement:
    """Judge scores (m,), NaN where there is none, of rows of classes `truth` (m,) that have the attribute or not (k,).

    The accuracy is that of every score taken as yes (0.5 and above) or no. A band is chosen unless one is given.
    """
    known = ~np.isnan(scores)
    if not known.any():
        return Judgement(np.nan, np.nan, band or (0.5, 0.5))
    scores, truth = scores[known], truth[known]
    right = (scores >= 0.5) == has[truth]
    per_class = np.bincount(truth, right, len(has)) / np.maximum(np.bincount(truth, minlength=len(has)), 1)
    held = np.unique(truth)
    sides = [held[has[held]], held[~has[held]]]
    accuracy = float(np.mean([per_class[side].mean() for side in sides if len(side)]))
    chosen = band or (choose_band(scores, truth, has) if all(len(side) for side in sides) else (0.5, 0.5))
    return Judgement(accuracy, float(per_class[held].min()), chosen)


def choose_band(scores: Floats, truth: Positions, has: Flags) -> Band:
    """The band (no_below, yes_from) with the most bits a row: P(votes) · I(attribute; vote | votes).

    A vote that is a coin toss adds nothing; one that is kept back adds nothing either, and misleads nobody. Of bands
    that are equally good the narrowest is taken; one where "yes" speaks against the attribute is no band.
    """
    weights = class_weights(truth, has)
    yes = has[truth]
    above = np.array([[weights[yes & (scores >= t)].sum(), weights[~yes & (scores >= t)].sum()] for t in GRID])
    below = np.array([[weights[yes & (scores < t)].sum(), weights[~yes & (scores < t)].sum()] for t in GRID])
    cells = np.stack([above[HIGH], below[LOW]], axis=1)  # (bands, said yes or no, has it or not)
    useful = (cells.sum(axis=(1, 2)) >= LEAST) & (np.linalg.det(cells) > 0)
    bits = np.where(useful, np.round(information(cells), 9), 0.0)
    best = int(bits.argmax())  # the first, so the narrowest
    return (float(GRID[LOW[best]]), float(GRID[HIGH[best]])) if bits[best] > 0 else (0.5, 0.5)


def class_weights(truth: Positions, has: Flags) -> Floats:
    """(m,): rows with and without the attribute weigh one half each, classes on either side alike."""
    often = np.bincount(truth, minlength=len(has))
    held = np.flatnonzero(often)
    sides = np.where(has, has[held].sum(), (~has[held]).sum())  # (k,): how many classes are on its side
    each: Floats = 0.5 / np.maximum(sides * often, 1)
    return each[truth]


def information(cells: Floats) -> Floats:
    """Σ p(v, y) log2 [p(v, y) P / (p(v) p(y))] of each table (…, v, y), P being the sum of its cells.

    P times the mutual information of vote and attribute among the rows that are voted on.
    """
    expected = cells.sum(axis=-1, keepdims=True) * cells.sum(axis=-2, keepdims=True)
    ratio = np.divide(cells * cells.sum(axis=(-2, -1), keepdims=True), expected, np.ones_like(cells), where=cells > 0)
    bits: Floats = (cells * np.log2(ratio)).sum(axis=(-2, -1))
    return bits
