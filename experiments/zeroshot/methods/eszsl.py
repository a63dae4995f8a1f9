"""ESZSL: an embarrassingly simple approach to zero-shot learning (Romera-Paredes and Torr, ICML 2015). Inductive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from experiments.zeroshot.methods.semantic import Scorer, SemanticMethod, best_on_held_out
from shortlist.arrays import Floats
from shortlist.zeroshot.task import Task

STRENGTHS = tuple(10.0**power for power in (0, -3, -2, -1, 1, 2, 3))
OPTIONS = tuple((gamma, strength) for gamma in STRENGTHS for strength in STRENGTHS)


class ESZSL(SemanticMethod):
    """A bilinear map from features to attributes, in closed form.

        V = (XᵀX / m + γI)⁻¹ (Xᵀ Y / m) S (SᵀS + λI)⁻¹,   class of x = argmax_j xᵀ V s_j

    X (m, p) are features, Y (m, k) is +1 for the class of a row and −1 for the others, S (k, n) are the attributes of
    the seen classes, s_j those of any class. γ and λ are chosen on seen classes that are held out.
    """

    def _learn(self, task: Task, new: Floats) -> Scorer:  # noqa: ARG002
        return prepare(task)(best_on_held_out(task, OPTIONS, prepare, self.seed))


def prepare(task: Task) -> Callable[[tuple[float, float]], Scorer]:
    """(γ, λ) → features → scores of all classes. What does not depend on γ and λ is computed once."""
    seen, unseen = task.signatures
    X = task.X.astype(np.float64)
    Y = np.where(task.truth[:, None] == np.arange(len(seen)), 1.0, -1.0)
    size, axes = np.linalg.eigh(X.T @ X / len(X))  # so that an inverse is a division, for every γ
    traits, directions = np.linalg.eigh(seen.T @ seen)
    middle = axes.T @ (X.T @ Y / len(X)) @ seen @ directions
    classes = np.concatenate([seen, unseen])

    def learn(strengths: tuple[float, float]) -> Scorer:
        gamma, strength = strengths
        V = axes @ (middle / (size[:, None] + gamma) / (traits + strength)) @ directions.T
        M = V @ classes.T  # (p, classes)
        return lambda rows: rows @ M

    return learn
