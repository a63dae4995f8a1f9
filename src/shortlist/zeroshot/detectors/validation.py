"""Validation: how right a detector is on classes it was not trained on, and the scores at which it should abstain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from shortlist.arrays import Floats, Mask, Positions

GRID = np.round(np.arange(0.05, 0.96, 0.05), 2)  # where a band may begin and end
_BANDS = sorted(
    zip(*np.triu_indices(len(GRID)), strict=True),
    key=lambda band: (band[1] - band[0], abs(GRID[band[0]] + GRID[band[1]] - 1)),
)
LOW, HIGH = np.array(_BANDS).T  # positions in GRID of every band: narrow ones first, then those around one half
LEAST = 0.25  # of the rows: a detector votes on at least this share
Band: TypeAlias = tuple[float, float]  # (no_below, yes_from): a detector abstains on scores from no_below to yes_from


@dataclass(frozen=True)
class Validation:
    """One detector on held-out classes: its mean accuracy, the accuracy of its worst class, and its band.

    Classes with the attribute and classes without it count half each in the mean. Both figures are NaN, and there is
    no band, where no class was held out from the detector.
    """

    accuracy: float
    worst: float
    band: Band


def validate(scores: Floats, truth: Positions, has: Mask, band: Band | None = None) -> Validation:
    """Validate the scores (m,) of a detector, NaN where there is none.

    `truth` (m,) are the classes of the rows, and `has` (k,) says which classes have the attribute. A score of 0.5 or
    more counts as yes. A band is chosen unless one is given.
    """
    known = ~np.isnan(scores)
    if not known.any():
        return Validation(np.nan, np.nan, band or (0.5, 0.5))
    scores, truth = scores[known], truth[known]
    right = (scores >= 0.5) == has[truth]
    per_class = np.bincount(truth, right, len(has)) / np.maximum(np.bincount(truth, minlength=len(has)), 1)
    held = np.unique(truth)
    sides = [held[has[held]], held[~has[held]]]
    accuracy = float(np.mean([per_class[side].mean() for side in sides if len(side)]))
    chosen = band or (choose_band(scores, truth, has) if all(len(side) for side in sides) else (0.5, 0.5))
    return Validation(accuracy, float(per_class[held].min()), chosen)


def choose_band(scores: Floats, truth: Positions, has: Mask) -> Band:
    """The band with the most bits a row: P(vote) · I(attribute; vote | vote).

    A vote that is no better than chance adds nothing to that, and neither does abstaining. Of equally good bands the
    narrowest is taken. Bands with which "yes" speaks against the attribute are left out.
    """
    weights = class_weights(truth, has)
    yes = has[truth]
    above = np.array([[weights[yes & (scores >= t)].sum(), weights[~yes & (scores >= t)].sum()] for t in GRID])
    below = np.array([[weights[yes & (scores < t)].sum(), weights[~yes & (scores < t)].sum()] for t in GRID])
    cells = np.stack([above[HIGH], below[LOW]], axis=1)  # (bands, voted yes or no, has it or not)
    useful = (cells.sum(axis=(1, 2)) >= LEAST) & (np.linalg.det(cells) > 0)
    bits = np.where(useful, np.round(information(cells), 9), 0.0)
    best = int(bits.argmax())  # the first, so the narrowest
    return (float(GRID[LOW[best]]), float(GRID[HIGH[best]])) if bits[best] > 0 else (0.5, 0.5)


def class_weights(truth: Positions, has: Mask) -> Floats:
    """(m,): rows with the attribute weigh one half in all, rows without it the other; classes of one side alike."""
    often = np.bincount(truth, minlength=len(has))
    held = np.flatnonzero(often)
    sides = np.where(has, has[held].sum(), (~has[held]).sum())  # (k,): how many classes are on its side
    each: Floats = 0.5 / np.maximum(sides * often, 1)
    return each[truth]


def information(cells: Floats) -> Floats:
    """Σ p(v, y) log2 [p(v, y) P / (p(v) p(y))] of each table (…, v, y), P being the sum of its cells.

    This is P times the mutual information of vote and attribute among the rows that are voted on.
    """
    expected = cells.sum(axis=-1, keepdims=True) * cells.sum(axis=-2, keepdims=True)
    ratio = np.divide(cells * cells.sum(axis=(-2, -1), keepdims=True), expected, np.ones_like(cells), where=cells > 0)
    bits: Floats = (cells * np.log2(ratio)).sum(axis=(-2, -1))
    return bits
