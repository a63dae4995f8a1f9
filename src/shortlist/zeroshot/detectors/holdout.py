"""Holdout: which seen classes are held out when, and one job for every attribute that can then be learned.

Detectors are for classes that nobody has seen, so they are judged on classes that they have not seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.attribute_table import Flags

SHARE = 10  # with one fold: one class in so many is held out, and at least one


@dataclass(frozen=True, eq=False)
class Holdout:
    """Jobs: job g trains a detector of attribute `attribute[g]` on the classes that fold `fold[g]` does not hold out.

    held (folds, k) are the classes held out; has (k, n) their attributes; truth (m,) the class of each row. The jobs of
    the last fold are the detectors that are kept; those of the others only serve to judge them.
    """

    truth: Positions
    has: Flags
    held: Flags
    fold: Positions
    attribute: Positions

    @property
    def jobs(self) -> int:
        return len(self.fold)

    @property
    def final(self) -> Positions:
        """The jobs that are kept."""
        return np.flatnonzero(self.fold == len(self.held) - 1)

    def only(self, attributes: Iterable[int]) -> Holdout:
        """The jobs of some attributes."""
        chosen = np.isin(self.attribute, list(attributes))
        return replace(self, fold=self.fold[chosen], attribute=self.attribute[chosen])

    def targets(self) -> Flags:
        """(G, m): whether each row has the attribute of each job."""
        return self.has.T[self.attribute][:, self.truth]

    def weights(self) -> Floats:
        """(G, m): how often each row is drawn; a job's rows with and without its attribute weigh the same in all.

        This is oversampling the minority. Rows of classes that are held out are never drawn.
        """
        rows = ~self.held[self.fold][:, self.truth]  # (G, m)
        yes = self.targets()
        weights = np.zeros(rows.shape)
        for side in (rows & yes, rows & ~yes):
            weights += side / np.maximum(2 * side.sum(axis=1, keepdims=True), 1)
        return weights

    @cached_property
    def judged(self) -> Flags:
        """(G, k): the classes each job is judged on.

        They are those held out from it. Where no class with the attribute, or none without it, was ever held out from
        any of its jobs, the job that is kept is judged on its own classes of that side: better than on one side only.
        """
        judged = self.held[self.fold].copy()
        for g in self.final:
            i = self.attribute[g]
            ever = np.asarray(judged[self.attribute == i].any(axis=0))
            for side in (self.has[:, i], ~self.has[:, i]):
                if not (ever & side).any():
                    judged[g] |= side
        return judged

    def gather(self, scores: Floats) -> Floats:
        """(m, n): what jobs (m, G) say about the rows they are judged on; NaN where there is no such job."""
        found = np.full((len(self.truth), self.has.shape[1]), np.nan)
        for g, classes in enumerate(self.judged):
            rows = classes[self.truth]
            found[rows, self.attribute[g]] = scores[rows, g]
        return found


def deal(truth: Positions, has: Flags, folds: int, rng: np.random.Generator) -> Holdout:
    """Hold classes out: in turn, dealt into `folds` parts, and at last none; or, with one fold, a tenth of them once.

    An attribute that the remaining classes all have, or none of them, has no job in that fold.
    """
    k = len(has)
    order = rng.permutation(k)
    parts = [order[: max(1, k // SHARE)]] if folds == 1 else [*np.array_split(order, min(folds, k)), order[:0]]
    held = np.zeros((len(parts), k), np.bool_)
    for f, part in enumerate(parts):
        held[f, part] = True
    varies = np.array([has[~out].any(axis=0) & ~has[~out].all(axis=0) for out in held])  # (folds, n)
    jobs = np.argwhere(varies & varies[-1])  # (G, 2): without a detector to keep there is nothing to judge
    return Holdout(truth, has, held, jobs[:, 0], jobs[:, 1])
