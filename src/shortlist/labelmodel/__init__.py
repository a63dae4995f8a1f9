"""Stage 2: from votes to beliefs, by estimating how far each labeler can be trusted."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from shortlist.labelmodel.likelihood import Parameters
from shortlist.labelmodel.simulate import simulate

if TYPE_CHECKING:
    from shortlist.labelmodel.baselines import MajorityVote as MajorityVote
    from shortlist.labelmodel.baselines import NearestClass as NearestClass
    from shortlist.labelmodel.gradient import Gradient as Gradient
    from shortlist.labelmodel.model import LabelModel as LabelModel
    from shortlist.labelmodel.pooling import Pooled as Pooled

_LATER = {  # these bring scikit-learn in, so they wait until they are asked for
    "LabelModel": "model",
    "NearestClass": "baselines",
    "MajorityVote": "baselines",
    "Gradient": "gradient",
    "Pooled": "pooling",
}

__all__ = ["Gradient", "LabelModel", "MajorityVote", "NearestClass", "Parameters", "Pooled", "simulate"]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(f"shortlist.labelmodel.{_LATER[name]}"), name)
    raise AttributeError(f"module 'shortlist.labelmodel' has no attribute {name!r}")
