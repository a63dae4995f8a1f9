"""VCL: visual centre learning (Wan et al., NeurIPS 2019). Inductive; WDVSc builds on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from experiments.zeroshot.methods.semantic import Scorer, SemanticMethod, best_on_held_out, ridge, with_bias
from shortlist.arrays import Floats
from shortlist.zeroshot.task import Task, centres_of

PENALTIES = (0.1, 0.01, 0.03, 0.3, 1.0)


class VCL(SemanticMethod):
    """Attributes are mapped to where the rows of a class lie; a row belongs to the nearest centre.

        min over f:  Σ_{j seen} ‖f(s_j) − c_j‖² + penalty,   class of x = argmin_j ‖x − f(s_j)‖

    c_j is the mean of the rows of class j. The published f has two fully connected layers; here it is linear with a
    ridge penalty (and so has a closed form), chosen on held-out seen classes. Seen classes have their own centres.
    """

    def _learn(self, task: Task, new: Floats) -> Scorer:  # noqa: ARG002
        return prepare(task)(best_on_held_out(task, PENALTIES, prepare, self.seed))


def prepare(task: Task) -> Callable[[float], Scorer]:
    """Penalty → features → scores of all classes."""
    seen, unseen = (with_bias(rows) for rows in task.signatures)
    here = centres_of(task.X, task.truth)
    return lambda penalty: nearest(np.concatenate([here, unseen @ ridge(seen, here, penalty)]))


def nearest(places: Floats) -> Scorer:
    """Rows → minus the distance to every centre."""
    return lambda rows: -cdist(rows, places)
