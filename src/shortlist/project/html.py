"""A project as notebooks show it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shortlist.project.kept.state import State
from shortlist.project.stages import STAGES

if TYPE_CHECKING:
    from shortlist.project.project import Project


def project_html(project: Project) -> str:
    """The settings, and what was done so far with what it found. Nothing is run."""
    settings, records = project.settings, State(project.hidden / "state.json").records
    head = f"<b>Project</b> {escape(str(project.folder))}: {escape(', '.join(settings.data.files))}"
    classes = escape(", ".join(settings.classes))
    lines = [
        f"<tr><td>{name}</td><td>{escape(STAGES[name].tell(records[name].facts))}</td></tr>"
        for name in STAGES.here
        if name in records
    ]
    table = f"<table><tr><th>stage</th><th>found</th></tr>{''.join(lines)}</table>" if lines else "<p>not run yet</p>"
    return f"<div>{head}<br><b>classes</b> {classes}{table}</div>"
