"""Shortlist: weak supervision with partial labelers.

    votes = apply(labelers, rows)                                                # stage 1: what every labeler says
    beliefs = LabelModel().fit(votes).predict_proba(votes)                       # stage 2: how far to trust each
    reader = NoiseAwareClassifier().fit(rows, beliefs, classes=votes.space)      # stage 3: what the rows say

The front door is lazy (scientific Python's SPEC 1): a name is imported when it is first used, so that
`import shortlist` costs next to nothing.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from shortlist.analysis import Analysis as Analysis
    from shortlist.classifier import MLPClassifier as MLPClassifier
    from shortlist.classifier import NoiseAwareClassifier as NoiseAwareClassifier
    from shortlist.classifier import TransformerClassifier as TransformerClassifier
    from shortlist.classifier import evaluate as evaluate
    from shortlist.errors import ShortlistError as ShortlistError
    from shortlist.identifiability import diagnose as diagnose
    from shortlist.joint import JointModel as JointModel
    from shortlist.labelers import Labeler as Labeler
    from shortlist.labelers import apply as apply
    from shortlist.labelers import attributes as attributes
    from shortlist.labelers import feature as feature
    from shortlist.labelers import from_classifier as from_classifier
    from shortlist.labelers import keywords as keywords
    from shortlist.labelers import labeler as labeler
    from shortlist.labelers import pattern as pattern
    from shortlist.labelers import spacy_features as spacy_features
    from shortlist.labelmodel import LabelModel as LabelModel
    from shortlist.labelmodel import MajorityVote as MajorityVote
    from shortlist.labelmodel import NearestClass as NearestClass
    from shortlist.labelmodel import simulate as simulate
    from shortlist.labelspace import LabelSpace as LabelSpace
    from shortlist.labelspace import Not as Not
    from shortlist.project import Project as Project
    from shortlist.prompts import ask as ask
    from shortlist.prompts import choose as choose
    from shortlist.prompts import plan as plan
    from shortlist.prompts import similar as similar
    from shortlist.prompts import suggest_rules as suggest_rules
    from shortlist.reporting import report as report
    from shortlist.reporting.advice import checkup as checkup
    from shortlist.uncertainty import certify as certify
    from shortlist.uncertainty import intervals as intervals
    from shortlist.uncertainty import label_sets as label_sets
    from shortlist.votes import Votes as Votes
    from shortlist.zeroshot import AttributeDetectors as AttributeDetectors
    from shortlist.zeroshot import ZeroShotClassifier as ZeroShotClassifier

_NAMES = {
    "analysis": "Analysis",
    "classifier": "MLPClassifier NoiseAwareClassifier TransformerClassifier evaluate",
    "errors": "ShortlistError",
    "identifiability": "diagnose",
    "joint": "JointModel",
    "labelers": "Labeler apply attributes feature from_classifier keywords labeler pattern spacy_features",
    "labelmodel": "LabelModel MajorityVote NearestClass simulate",
    "labelspace": "LabelSpace Not",
    "project": "Project",
    "prompts": "ask choose plan similar suggest_rules",
    "reporting": "checkup report",
    "uncertainty": "certify intervals label_sets",
    "votes": "Votes",
    "zeroshot": "AttributeDetectors ZeroShotClassifier",
}
_ROOM_OF = {name: room for room, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_ROOM_OF)


def __getattr__(name: str) -> Any:
    if name in _ROOM_OF:
        globals()[name] = getattr(importlib.import_module(f"shortlist.{_ROOM_OF[name]}"), name)
        return globals()[name]
    if find_spec(f"shortlist.{name}") is not None:
        return importlib.import_module(f"shortlist.{name}")
    raise AttributeError(f"module 'shortlist' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_NAMES, "__version__"})
