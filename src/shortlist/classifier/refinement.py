"""Refinement: what may be done to beliefs before, and between, rounds of training. Pure functions of arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shortlist.classifier.beliefs import Floats

TINY = 1e-12


def temper(beliefs: Floats, power: float) -> Floats:
    """P(j | G)^power, made to sum to one: sharper above 1, flatter below."""
    if power == 1:
        return beliefs
    raised = (beliefs / beliefs.max(axis=1, keepdims=True)) ** power
    tempered: Floats = raised / raised.sum(axis=1, keepdims=True)
    return tempered


def confidence(beliefs: Floats) -> Floats:
    """(m,): one minus the entropy as a share of its largest value; 0 for uniform, 1 for one-hot beliefs."""
    entropy = -(beliefs * np.log(np.maximum(beliefs, TINY))).sum(axis=1)
    sure: Floats = np.clip(1 - entropy / np.log(beliefs.shape[1]), 0.0, 1.0)
    return sure


def combine(beliefs: Floats, read: Floats, covered: npt.NDArray[np.bool_]) -> Floats:
    """What votes and text say together: P(j | G) · P(j | text), normalised; the text alone where nobody voted."""
    joint = np.where(covered[:, None], beliefs, 1.0) * np.maximum(read, TINY)
    together: Floats = joint / joint.sum(axis=1, keepdims=True)
    return together
