"""Shortlist: weak supervision with partial labelers.

    votes = apply(labelers, rows)                                                # stage 1: what every labeler says
    beliefs = LabelModel().fit(votes).predict_proba(votes)                       # stage 2: how far to trust each
    reader = NoiseAwareClassifier().fit(rows, beliefs, classes=votes.space)      # stage 3: what the rows say

The front door is lazy (scientific Python's SPEC 1): a name is imported when it is first used, so that
`import shortlist` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from shortlist.lazy import lazy_names

__version__ = "0.1.0"
_lazy, _names = lazy_names(__name__)
__all__ = sorted(_names)


def __getattr__(name: str) -> Any:
    if name not in _names and find_spec(f"shortlist.{name}") is not None:
        return import_module(f"shortlist.{name}")
    return _lazy(name)


def __dir__() -> list[str]:
    return sorted({*_names, "__version__"})
