"""Figures: what takes longer than a glance: intervals of accuracies, what labelers are worth, what there is to do."""

from __future__ import annotations

from typing import Any

from shortlist.project.code.places import Places
from shortlist.project.session import Session
from shortlist.reporting.advising.advice import Advice
from shortlist.reporting.overview import Overview

LIMIT = 5.0  # seconds for the doctor


def figures(session: Session) -> dict[str, Any]:
    """Per labeler: the interval of its accuracy and its worth; and what to do next, the most gain first."""
    found = Overview(
        session.analysis, time_limit=LIMIT, lines=Places(session.roster), gold_fits=session.settings.gold_fits
    )
    kept = ("accuracy", "accuracy_low", "accuracy_high", "not_known", "worth", "gold_gain")
    lines = {line["labeler"]: {name: line[name] for name in kept if name in line} for line in found.labelers.to_dicts()}
    return {"labelers": lines, "todo": [_to_do(one, len(session.votes)) for one in found.checkup.advice]}


def _to_do(advice: Advice, rows: int) -> dict[str, Any]:
    """One thing to do, with what the page opens for it: a rule, or rows."""
    facts = {"kind": advice.kind, "what": advice.what, "why": advice.why, "gain": advice.show_gain(rows)}
    if advice.kind == "mixed":
        return facts | {"query": {"believed": advice.about, "unsure": True}}
    if advice.kind == "uncovered":
        return facts | {"query": {"uncovered": True}}
    if advice.kind == "leave out" and advice.measured:
        return facts | {"query": {"labeler": advice.about, "wrong": True}}
    return facts | {"labeler": advice.about or None}
