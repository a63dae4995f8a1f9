"""Stage 2: from votes to beliefs, by estimating the accuracy of each labeler."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.labelmodel.likelihood import Parameters
from shortlist.labelmodel.simulate import simulate

if TYPE_CHECKING:
    from shortlist.labelmodel.em import EM
    from shortlist.labelmodel.estimator import Estimate, Estimator, Problem
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled
    from shortlist.labelmodel.model import LabelModel, register_estimator
    from shortlist.labelmodel.paper import Likelihood
    from shortlist.labelmodel.predictor import MajorityVote, NearestClass

_MODULES = {  # imported on first use: some of these import scikit-learn
    "EM": "em",
    "Estimate": "estimator",
    "Estimator": "estimator",
    "LabelModel": "model",
    "Likelihood": "paper",
    "MajorityVote": "predictor",
    "NearestClass": "predictor",
    "Pooled": "estimators.pooled.pooled",
    "Problem": "estimator",
    "register_estimator": "model",
}

__all__ = [
    "EM",
    "Estimate",
    "Estimator",
    "LabelModel",
    "Likelihood",
    "MajorityVote",
    "NearestClass",
    "Parameters",
    "Pooled",
    "Problem",
    "register_estimator",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"shortlist.labelmodel.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'shortlist.labelmodel' has no attribute {name!r}")
