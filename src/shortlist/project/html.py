"""A project as notebooks show it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from shortlist.project.kept.state import State
from shortlist.project.settings import STAGES

if TYPE_CHECKING:
    from shortlist.project.project import Project


def project_html(project: Project) -> str:
    """The settings, and what was done so far with what it found. Nothing is run."""
    settings, state = project.settings, State(project.hidden / "state.json")
    head = f"<b>Project</b> {escape(str(project.folder))}: {escape(', '.join(settings.data.files))}"
    classes = escape(", ".join(settings.classes))
    lines = [
        f"<tr><td>{stage}</td><td>{escape(told(stage, state.made[stage].facts))}</td></tr>"
        for stage in STAGES
        if stage in state.made
    ]
    table = f"<table><tr><th>stage</th><th>found</th></tr>{''.join(lines)}</table>" if lines else "<p>not run yet</p>"
    return f"<div>{head}<br><b>classes</b> {classes}{table}</div>"


def told(stage: str, facts: dict[str, Any]) -> str:
    """What a stage found, in a few words."""
    match stage:
        case "vote":
            return f"{facts['labelers']} labelers on {facts['rows']:,} rows, {facts['covered']:.1%} covered"
        case "fit":
            return _fit(facts)
        case "check":
            return str(facts["findings"][0]).split(":")[0]
        case "export":
            return f"{facts['labelled']:,} rows labelled"
        case "train":
            return f"trained on {facts['trained_on']:,} rows"
        case "predict":
            return f"{facts['rows']:,} rows" + _right(facts)
    return ""


def _fit(facts: dict[str, Any]) -> str:
    steps = f"{facts['n_iter']} steps" if "n_iter" in facts else ""
    stopped = "" if facts.get("converged", True) else ", not converged"
    return steps + stopped + _right(facts)


def _right(facts: dict[str, Any]) -> str:
    return f", {facts['accuracy']:.1%} right on gold rows" if facts.get("accuracy") is not None else ""
