"""VCL: visual centre learning (Wan et al., NeurIPS 2019). Reads no unlabelled rows; WDVSc builds on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from shortlist.arrays import Floats
from shortlist.zeroshot.methods.semantic import Scorer, SemanticMethod, best_on_held_out, centres, signatures
from shortlist.zeroshot.task import Task

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
    seen, unseen = (with_bias(rows) for rows in signatures(task))
    here = centres(task)
    return lambda penalty: nearest(np.concatenate([here, unseen @ ridge(seen, here, penalty)]))


def ridge(S: Floats, C: Floats, penalty: float) -> Floats:
    """argmin_M ‖S M − C‖² + penalty ‖M‖²: from attributes (with a bias) to features."""
    return np.asarray(np.linalg.solve(S.T @ S + penalty * np.eye(S.shape[1]), S.T @ C), np.float64)


def with_bias(S: Floats) -> Floats:
    return np.hstack([S, np.ones((len(S), 1))])


def nearest(places: Floats) -> Scorer:
    """Rows → minus the distance to every centre."""
    return lambda rows: -cdist(rows, places)
