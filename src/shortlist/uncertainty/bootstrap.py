"""Bootstrap: fit again, to votes drawn from the fitted model."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from shortlist.errors import BadFit, FitWarning
from shortlist.labelmodel.formulae.evidence import Evidence

if TYPE_CHECKING:
    from shortlist.labelmodel.model import LabelModel


def refits(model: LabelModel, evidence: Evidence, samples: int, seed: int) -> list[LabelModel]:
    """Models with the same options, each fitted to as many rows, drawn from the model, with as many known classes.

    A balance that the model chose by itself is kept: which of two it is is no matter of degree.
    """
    from sklearn.base import clone

    if not isinstance(samples, (int, np.integer)) or samples < 2:
        raise BadFit(f"samples is a whole number from 2; got {samples!r}")
    m = round(evidence.total)
    known = round(float(evidence.weights[evidence.gold >= 0].sum()))
    fits = []
    options = {"balance": model.class_balance_} if model.balance is None else {}
    for rng in np.random.default_rng(seed).spawn(samples):
        votes, truth = model.sample(m, seed=rng)
        gold = dict(enumerate(truth[:known])) if known else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)  # they were said when the model was fitted
            fits.append(clone(model).set_params(**options).fit(votes, gold))
    return fits
