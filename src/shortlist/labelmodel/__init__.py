"""Stage 2: from votes to beliefs, by estimating the accuracy of each labeler."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.labelmodel.likelihood import Parameters as Parameters
from shortlist.labelmodel.simulate import simulate as simulate

if TYPE_CHECKING:
    from shortlist.labelmodel.default.pooled import Pooled as Pooled
    from shortlist.labelmodel.em import EM as EM
    from shortlist.labelmodel.estimator import Estimate as Estimate
    from shortlist.labelmodel.estimator import Estimator as Estimator
    from shortlist.labelmodel.estimator import Problem as Problem
    from shortlist.labelmodel.model import LabelModel as LabelModel
    from shortlist.labelmodel.model import held_out_score as held_out_score
    from shortlist.labelmodel.model import register_estimator as register_estimator
    from shortlist.labelmodel.paper import Likelihood as Likelihood
    from shortlist.labelmodel.predictor import MajorityVote as MajorityVote
    from shortlist.labelmodel.predictor import NearestClass as NearestClass

_NAMES = {  # imported on first use: some of these import scikit-learn
    "em": "EM",
    "estimator": "Estimate Estimator Problem",
    "default.pooled": "Pooled",
    "model": "LabelModel held_out_score register_estimator",
    "paper": "Likelihood",
    "predictor": "MajorityVote NearestClass",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_MODULES, "Parameters", "simulate"])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"shortlist.labelmodel.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'shortlist.labelmodel' has no attribute {name!r}")
