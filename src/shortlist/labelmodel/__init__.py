"""Stage 2: from votes to beliefs, by estimating how far each labeler can be trusted."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.labelmodel.formulae.likelihood import Parameters
from shortlist.labelmodel.simulate import simulate

if TYPE_CHECKING:
    from shortlist.labelmodel.baselines import MajorityVote as MajorityVote
    from shortlist.labelmodel.baselines import NearestClass as NearestClass
    from shortlist.labelmodel.estimators.estimate import Estimate as Estimate
    from shortlist.labelmodel.estimators.estimator import Estimator as Estimator
    from shortlist.labelmodel.estimators.paper import Likelihood as Likelihood
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled as Pooled
    from shortlist.labelmodel.model import LabelModel as LabelModel
    from shortlist.labelmodel.model import register_estimator as register_estimator
    from shortlist.labelmodel.problem import Problem as Problem
    from shortlist.labelmodel.solvers.em import EM as EM
    from shortlist.labelmodel.solvers.gradient import Gradient as Gradient

_LATER = {  # some of these bring scikit-learn in, so all wait until they are asked for
    "EM": "solvers.em",
    "Estimate": "estimators.estimate",
    "Estimator": "estimators.estimator",
    "Gradient": "solvers.gradient",
    "LabelModel": "model",
    "Likelihood": "estimators.paper",
    "MajorityVote": "baselines",
    "NearestClass": "baselines",
    "Pooled": "estimators.pooled.pooled",
    "Problem": "problem",
    "register_estimator": "model",
}

__all__ = [
    "EM",
    "Estimate",
    "Estimator",
    "Gradient",
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
    if name in _LATER:
        return getattr(importlib.import_module(f"shortlist.labelmodel.{_LATER[name]}"), name)
    raise AttributeError(f"module 'shortlist.labelmodel' has no attribute {name!r}")
