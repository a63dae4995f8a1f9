"""Agreement of people who labelled the same rows: Krippendorff's alpha, and Cohen's kappa of each pair.

Both are 1 where people always agree, and 0 where they agree as often as by chance. Alpha takes any number of people,
each of whom may have labelled some rows only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shortlist.arrays import Positions
from shortlist.wording import listed, number_of


@dataclass(frozen=True)
class Pair:
    """Two people, the rows that both labelled, and Cohen's kappa; None if both always name the same one class."""

    one: str
    other: str
    rows: int
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """Agreement of several people.

    people   names
    rows     rows with a label by two people or more
    same     those of them on which all agree
    alpha    Krippendorff's alpha for classes without an order; None if only one class was named
    pairs    of people with a row in common
    """

    people: tuple[str, ...]
    rows: int
    same: int
    alpha: float | None
    pairs: tuple[Pair, ...]

    @classmethod
    def of(cls, labels: Positions, people: Sequence[str]) -> Agreement | None:
        """Agreement by labels (m, n) of n people, −1 where one has no label; None if no row has two labels."""
        labels = labels[(labels >= 0).sum(axis=1) > 1]
        if not len(labels):
            return None
        k = int(labels.max()) + 1
        counts = np.stack([(labels == j).sum(axis=1) for j in range(k)], axis=1)
        same = int(((counts > 0).sum(axis=1) == 1).sum())
        return cls(tuple(people), len(labels), same, krippendorff_alpha(counts), tuple(_pairs(labels, people)))

    def __str__(self) -> str:
        shared = number_of(self.rows, "row")
        lines = [f"{listed(self.people)}: {self.same / self.rows:.0%} of {shared} with several labels have one class"]
        lines += [] if self.alpha is None else [f"Krippendorff's α {self.alpha:.2f}"]
        pairs = [pair for pair in self.pairs if pair.kappa is not None]
        lines += [f"Cohen's κ of {one.one} and {one.other} {one.kappa:.2f} ({one.rows:,} rows)" for one in pairs]
        return f"{'; '.join(lines)}."


def krippendorff_alpha(counts: Positions) -> float | None:
    """Alpha by the number of people who named each class (m, k), for rows with two labels or more."""
    sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
    n = int(sizes.sum())
    observed = n - float(((counts * (counts - 1)).sum(axis=1) / (sizes - 1)).sum())
    expected = float(n**2 - (totals**2).sum()) / (n - 1)
    return 1 - observed / expected if expected else None


def cohen_kappa(one: Positions, other: Positions) -> float | None:
    """Kappa of two people by their labels (m,) of the same rows."""
    classes = np.union1d(one, other)
    chance = float(sum((one == j).mean() * (other == j).mean() for j in classes))
    return (float((one == other).mean()) - chance) / (1 - chance) if chance < 1 else None


def _pairs(labels: Positions, people: Sequence[str]) -> list[Pair]:
    pairs = []
    for i, j in combinations(range(len(people)), 2):
        both = labels[(labels[:, [i, j]] >= 0).all(axis=1)]
        if len(both):
            pairs.append(Pair(people[i], people[j], len(both), cohen_kappa(both[:, i], both[:, j])))
    return pairs
