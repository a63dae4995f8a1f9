"""Stage 2: from votes to beliefs, by estimating how far each labeler can be trusted."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.labelmodel.formulae.likelihood import Parameters
from shortlist.labelmodel.simulate import simulate

if TYPE_CHECKING:
    from shortlist.labelmodel.baselines import MajorityVote as MajorityVote
    from shortlist.labelmodel.baselines import NearestClass as NearestClass
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled as Pooled
    from shortlist.labelmodel.model import LabelModel as LabelModel
    from shortlist.labelmodel.solvers.gradient import Gradient as Gradient

_LATER = {  # these bring scikit-learn in, so they wait until they are asked for
    "LabelModel": "model",
    "NearestClass": "baselines",
    "MajorityVote": "baselines",
    "Gradient": "solvers.gradient",
    "Pooled": "estimators.pooled.pooled",
}

__all__ = ["Gradient", "LabelModel", "MajorityVote", "NearestClass", "Parameters", "Pooled", "simulate"]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"shortlist.labelmodel.{_LATER[name]}"), name)
    raise AttributeError(f"module 'shortlist.labelmodel' has no attribute {name!r}")
