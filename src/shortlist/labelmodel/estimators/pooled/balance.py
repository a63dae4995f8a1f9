"""Balance: how frequent classes are among the rows with a vote, as these votes have it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.formulae.likelihood import Parameters, emission

EQUAL_ROWS = 30.0  # rows that it is worth that classes are equal


def believed_balance(rows: Sample, fitted: Parameters) -> Floats:
    """(k,): the mean belief under equal classes, by what labelers say only.

    That a labeler votes at all is left out: how often it votes on each class was found under equal classes.
    """
    alike = np.repeat(fitted.propensity.mean(axis=1, keepdims=True), rows.layout.k, axis=1)
    beliefs = rows.beliefs(emission(replace(fitted, propensity=alike), rows.layout))
    balance: Floats = rows.weights @ beliefs + EQUAL_ROWS / rows.layout.k
    shares: Floats = balance / balance.sum()
    return shares
