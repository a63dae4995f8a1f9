"""QFSL: quasi-fully supervised learning (Song et al., CVPR 2018). Transductive."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp

from experiments.zeroshot.methods.semantic import Scorer, SemanticMethod
from shortlist.arrays import Floats
from shortlist.zeroshot.task import Task


class QFSL(SemanticMethod):
    """Features are mapped to attributes; an unlabelled row may be of any unseen class.

        p = softmax_j(s_jᵀ W x)  over seen and unseen classes
        min over W:  mean over seen rows of −log p_y + λ · mean over unlabelled rows of −log Σ_{u unseen} p_u + γ/2 ‖W‖²

    The published network is trained end to end from images; here W is linear on given features.

    weight, penalty : λ and γ
    """

    transductive = True

    def __init__(
        self, table: Any, *, generalised: bool = False, seed: int = 0, weight: float = 1.0, penalty: float = 0.01
    ) -> None:
        super().__init__(table, generalised=generalised, seed=seed)
        self.weight = weight
        self.penalty = penalty

    def _learn(self, task: Task, new: Floats) -> Scorer:
        seen, unseen = task.signatures
        S = np.concatenate([seen, unseen]).T  # (n, k)
        X = task.X.astype(np.float64)
        truth = np.eye(S.shape[1])[task.truth]

        def loss(theta: Floats) -> tuple[float, Floats]:
            W = theta.reshape(X.shape[1], S.shape[0])
            first, slope = quasi_loss(X @ W @ S, truth, new @ W @ S, len(seen), self.weight)
            gradient = np.concatenate([X, new]).T @ slope @ S.T + self.penalty * W
            return first + self.penalty / 2 * float((W**2).sum()), gradient.ravel()

        start = np.zeros(X.shape[1] * S.shape[0])
        found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
        M = found.x.reshape(X.shape[1], S.shape[0]) @ S
        return lambda rows: rows @ M


def quasi_loss(known: Floats, truth: Floats, new: Floats, k: int, weight: float) -> tuple[float, Floats]:
    """The two losses of logits (m, k + u) and (unlabelled, k + u), and the slope of their sum at each logit."""
    log_p, log_q = log_softmax(known, axis=1), log_softmax(new, axis=1)
    some = logsumexp(log_q[:, k:], axis=1)  # log P(unseen)
    value = -float((truth * log_p).sum()) / len(known) - weight * float(some.mean())
    slope = (np.exp(log_p) - truth) / len(known)
    inside = np.exp(log_q)
    inside[:, k:] -= np.exp(log_q[:, k:] - some[:, None])
    return value, np.concatenate([slope, weight * inside / len(new)])
