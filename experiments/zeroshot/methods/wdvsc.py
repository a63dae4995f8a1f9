"""WDVSc: visual centres under a Wasserstein constraint (Wan et al., NeurIPS 2019). Transductive."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.cluster import KMeans

from experiments.zeroshot.methods.semantic import Scorer, SemanticMethod, best_on_held_out, ridge, with_bias
from experiments.zeroshot.methods.vcl import PENALTIES, nearest, prepare
from shortlist.arrays import Floats
from shortlist.zeroshot.task import Task, centres_of

WEIGHT = 1.0  # β: how much the clusters of unlabelled rows count, compared with the centres of seen classes
SHARPNESS = 20.0  # λ: of the transport plan, over the mean squared distance
ROUNDS, SINKHORN = 100, 200


class WDVSc(SemanticMethod):
    """VCL, whose centres of unseen classes must also lie where clusters of the unlabelled rows lie.

        min over f, X:  Σ_{j seen} ‖f(s_j) − c_j‖² + β Σ_{u, v} X_uv ‖f(s_u) − z_v‖² − (1/λ) H(X)

    z_v are the centres of k-means clusters of the unlabelled rows, as many as there are unseen classes. X is a
    transport plan with equal margins (Sinkhorn). As in VCL f is linear here, so that f is exact given X, and X given f.
    They are computed in turns until the plan no longer changes.
    """

    transductive = True

    def _learn(self, task: Task, new: Floats) -> Scorer:
        penalty = best_on_held_out(task, PENALTIES, prepare, self.seed)
        seen, unseen = task.signatures
        here = centres_of(task.X, task.truth)
        k = len(unseen)
        clusters = KMeans(min(k, len(new)), n_init=10, random_state=self.seed).fit(new).cluster_centers_
        return nearest(np.concatenate([here, placed(with_bias(seen), with_bias(unseen), here, clusters, penalty)]))


def placed(seen: Floats, unseen: Floats, here: Floats, clusters: Floats, penalty: float) -> Floats:
    """(unseen, p): the centres of the unseen classes."""
    M = ridge(seen, here, penalty)
    plan = np.zeros((len(unseen), len(clusters)))
    for _ in range(ROUNDS):
        last, plan = plan, transport(cdist(unseen @ M, clusters, "sqeuclidean"))
        if np.abs(plan - last).max() < 1e-6:
            break
        share = WEIGHT * plan * len(unseen)  # rows sum to β
        weights = np.sqrt(share.sum(axis=1, keepdims=True))
        wanted = (share @ clusters) / np.maximum(weights, 1e-12)  # Σ_v X_uv ‖f − z_v‖² = ‖X_u‖ ‖f − mean‖² + constant
        M = ridge(np.concatenate([seen, weights * unseen]), np.concatenate([here, wanted]), penalty)
    return unseen @ M


def transport(cost: Floats) -> Floats:
    """The plan with equal margins that costs least, smoothed by its entropy: Sinkhorn's iteration in log space."""
    logits = -SHARPNESS * cost / max(float(cost.mean()), 1e-12)
    u, v = cost.shape
    rows, columns = np.zeros(u), np.zeros(v)
    for _ in range(SINKHORN):
        rows = -np.log(u) - logsumexp(logits + columns, axis=1)
        columns = -np.log(v) - logsumexp(logits + rows[:, None], axis=0)
    plan: Floats = np.exp(logits + rows[:, None] + columns)
    return plan
