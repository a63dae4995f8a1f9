"""Figures: what takes longer than a glance: intervals of accuracies, what labelers are worth, what there is to do."""

from __future__ import annotations

from typing import Any

from shortlist.identifiability import diagnose
from shortlist.project.session import Session
from shortlist.reporting.overview import Overview

LIMIT = 5.0  # seconds for the doctor


def figures(session: Session) -> dict[str, Any]:
    """Per labeler: the interval of its accuracy and its worth; and the doctor's findings."""
    found = Overview(session.analysis, diagnosis=diagnose(session.votes, time_limit=LIMIT))
    kept = ("accuracy", "accuracy_low", "accuracy_high", "likelihood", "gold_gain")
    lines = {line["labeler"]: {name: line[name] for name in kept if name in line} for line in found.labelers.to_dicts()}
    return {"labelers": lines, "todo": [{"kind": "finding", "what": text} for text in found.diagnosis.findings]}
