"""Label sets that hold the true class with, for example, 90 %, whatever the beliefs are (split conformal prediction).

A class is in the set of a row if it is believed at least as much as a threshold. With n gold rows, drawn at random
and not learned from, the threshold is the ⌊(n + 1)(1 − coverage)⌋-th smallest belief in a true class among them. Then
a further random row's class is in its set with at least this coverage: its belief is equally likely to have any rank
among the gold rows'. Every class that is frequent enough has a threshold of its own, so it is covered as often as the
others; rare classes share one. Which classes are frequent is read from beliefs, not from gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shortlist.arrays import Floats, Mask, Positions
from shortlist.beliefs import leading
from shortlist.errors import BadFit
from shortlist.uncertainty.rates import GoldSample, RandomGold

ENOUGH = 2.0  # a class needs so many times the fewest gold rows that allow a threshold


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Sets of classes, (m, k), that hold the true class with the coverage.

    thresholds   (k,): the least belief of a class in a set; 0 where gold rows are too few to leave the class out
    group        (k,): classes of one number share a threshold
    gold_rows    number of gold rows that the thresholds are from
    """

    sets: Mask
    coverage: float
    thresholds: Floats
    group: Positions
    gold_rows: int

    @property
    def by_class(self) -> bool:
        """Each class has a threshold of its own."""
        return len(set(self.group.tolist())) == len(self.group)

    def __str__(self) -> str:
        sizes = self.sets.sum(axis=1)
        kind = "of each class" if self.by_class else "of all rows"
        return (
            f"Label sets hold the true class {kind} with {100 * self.coverage:.4g} % ({self.gold_rows:,} gold rows): "
            f"{sizes.mean():.1f} classes on average, a single one for {(sizes == 1).mean():.0%} of the rows."
        )


def label_sets(
    beliefs: Any, gold: RandomGold, *, coverage: float = 0.9, classes: Sequence[str] | None = None
) -> LabelSets:
    """Sets of classes that hold the class of a random row with this coverage; by class where gold rows suffice."""
    if not 0 < coverage < 1:
        raise BadFit(f"coverage is a share of rows, between 0 and 1; got {coverage!r}")
    sample = GoldSample.read(beliefs, gold, classes)
    table, rows, known = sample.beliefs, sample.rows, sample.gold
    group = frequent_classes(table.mean(axis=0), len(rows), coverage)
    thresholds = np.zeros(table.shape[1])
    for g in np.unique(group):
        inside = group[known] == g
        thresholds[group == g] = threshold(table[rows[inside], known[inside]], coverage)
    return LabelSets((table >= thresholds) | leading(table), coverage, thresholds, group, len(rows))


def threshold(believed: Floats, coverage: float) -> float:
    """The threshold by beliefs (n,) in the true classes of gold rows; 0 if they are too few."""
    place = int(np.floor((len(believed) + 1) * (1 - coverage) + 1e-9))
    return float(np.sort(believed)[place - 1]) if place else 0.0


def frequent_classes(shares: Floats, n: int, coverage: float) -> Positions:
    """(k,): a number for every frequent class; rare classes share one, with the least frequent of the others."""
    order = np.argsort(shares, kind="stable")
    enough = ENOUGH / (1 - coverage)
    expected, together = n * np.cumsum(shares[order]), int((n * shares < enough).sum())
    while together and together < len(shares) and expected[together - 1] < enough:
        together += 1
    group = np.empty(len(shares), np.int64)
    group[order] = np.maximum(np.arange(len(shares)) - max(together - 1, 0), 0)
    return group
