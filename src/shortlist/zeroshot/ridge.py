"""Ridge: linear maps from attributes to features, with a penalty and in closed form."""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats


def ridge(S: Floats, C: Floats, penalty: float) -> Floats:
    """argmin_M ‖S M − C‖² + penalty ‖M‖²."""
    return np.asarray(np.linalg.solve(S.T @ S + penalty * np.eye(S.shape[1]), S.T @ C), np.float64)


def with_bias(S: Floats) -> Floats:
    """S with a last column of ones."""
    return np.hstack([S, np.ones((len(S), 1))])
