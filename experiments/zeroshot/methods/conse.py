"""ConSE: convex combination of semantic embeddings (Norouzi et al., ICLR 2014). Inductive."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.zeroshot.methods.semantic import Scorer, SemanticMethod
from shortlist.arrays import Floats
from shortlist.classifier.linear import SoftLogisticRegression
from shortlist.zeroshot.task import Task


class ConSE(SemanticMethod):
    """A row has the attributes of the seen classes, in proportion to how likely they are.

        f(x) = Σ_{t ≤ T} P(ŷ_t | x) s(ŷ_t) / Σ_{t ≤ T} P(ŷ_t | x),   class of x = argmax_j cos(f(x), s_j)

    ŷ_1 … ŷ_T are the T most likely seen classes by a classifier of seen classes, here a logistic regression.

    top : T
    """

    def __init__(self, table: Any, *, generalised: bool = False, seed: int = 0, top: int = 10) -> None:
        super().__init__(table, generalised=generalised, seed=seed)
        self.top = top

    def _learn(self, task: Task, new: Floats) -> Scorer:  # noqa: ARG002
        seen, unseen = task.signatures
        model = SoftLogisticRegression().fit_beliefs(
            task.X.astype(np.float64), np.eye(len(seen))[task.truth], np.ones(len(task.X))
        )
        classes = np.concatenate([seen, unseen])
        return lambda rows: embed(np.exp(model.log_proba(rows)), seen, self.top) @ classes.T


def embed(proba: Floats, seen: Floats, top: int) -> Floats:
    """f(x) from P(seen class | x) (m, k) and attributes (k, n), scaled to length one, so that a product is a cosine."""
    kept = proba.copy()
    if top < kept.shape[1]:
        lowest = np.argsort(-kept, axis=1, kind="stable")[:, top:]
        np.put_along_axis(kept, lowest, 0.0, axis=1)
    mixed = kept @ seen
    embedded: Floats = mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-12)
    return embedded
