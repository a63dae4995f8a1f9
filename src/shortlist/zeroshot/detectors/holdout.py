"""Holdout: which seen classes are held out when, and one job for every attribute that can then be learned.

Detectors are for unseen classes, so they are validated on classes that they were not trained on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shortlist.arrays import Floats, Mask, Positions

SHARE = 10  # with one fold: one class in so many is held out, and at least one


@dataclass(frozen=True, eq=False)
class Holdout:
    """Job g trains a detector of attribute `attribute[g]` on the classes that fold `fold[g]` does not hold out.

    truth (m,) is the class of each row, has (k, n) are the attributes of the classes, and held (folds, k) says which
    classes each fold holds out. The jobs of the last fold are the detectors that are kept; the others only serve to
    validate them.
    """

    truth: Positions
    has: Mask
    held: Mask
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

    def targets(self) -> Mask:
        """(G, m): whether each row has the attribute of each job."""
        return self.has.T[self.attribute][:, self.truth]

    def weights(self) -> Floats:
        """(G, m): how often each row is drawn. Rows with a job's attribute and rows without it have the same total.

        So the minority is oversampled. Rows of held-out classes are never drawn.
        """
        rows = ~self.held[self.fold][:, self.truth]  # (G, m)
        yes = self.targets()
        weights = np.zeros(rows.shape)
        for side in (rows & yes, rows & ~yes):
            weights += side / np.maximum(2 * side.sum(axis=1, keepdims=True), 1)
        return weights

    @cached_property
    def validated(self) -> Mask:
        """(G, k): the classes that each job is validated on.

        These are the classes held out from it. Where no class with the attribute, or none without it, was ever held out
        from any of its jobs, the job that is kept is validated on its own training classes of that side.
        """
        classes = self.held[self.fold].copy()
        for g in self.final:
            i = self.attribute[g]
            ever = np.asarray(classes[self.attribute == i].any(axis=0))
            for side in (self.has[:, i], ~self.has[:, i]):
                if not (ever & side).any():
                    classes[g] |= side
        return classes

    def gather(self, scores: Floats) -> Floats:
        """(m, n): the scores to validate attributes by, from those of all jobs (m, G); NaN where there are none."""
        found = np.full((len(self.truth), self.has.shape[1]), np.nan)
        for g, classes in enumerate(self.validated):
            rows = classes[self.truth]
            found[rows, self.attribute[g]] = scores[rows, g]
        return found


def hold_out(truth: Positions, has: Mask, folds: int, rng: np.random.Generator) -> Holdout:
    """Split the classes at random into `folds` parts and hold out each part once; the last fold holds out none.

    With one fold a tenth of the classes is held out, once. An attribute that all remaining classes have, or none, has
    no job in that fold.
    """
    k = len(has)
    order = rng.permutation(k)
    parts = [order[: max(1, k // SHARE)]] if folds == 1 else [*np.array_split(order, min(folds, k)), order[:0]]
    held = np.zeros((len(parts), k), np.bool_)
    for f, part in enumerate(parts):
        held[f, part] = True
    varies = np.array([has[~out].any(axis=0) & ~has[~out].all(axis=0) for out in held])  # (folds, n)
    jobs = np.argwhere(varies & varies[-1])  # (G, 2): without a detector to keep there is nothing to validate
    return Holdout(truth, has, held, jobs[:, 0], jobs[:, 1])
