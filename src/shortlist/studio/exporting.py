"""Exporting: labels, votes and the report as files, and the command line that does the same."""

from __future__ import annotations

from typing import Any

from shortlist.errors import ShortlistError
from shortlist.project.listener import Listener
from shortlist.studio.desk import Desk

STAGES = {"labels": "export", "votes": "vote", "report": "report", "everything": None}
COMMANDS = {
    "labels": "shortlist export",
    "votes": "shortlist vote",
    "report": "shortlist report --open",
    "everything": "shortlist run",
}


def export(desk: Desk, what: str, listener: Listener | None = None) -> dict[str, Any]:
    """Write the files of one kind; where they are comes back, with the command that does the same."""
    if what not in STAGES:
        raise ShortlistError(f"{what!r} cannot be exported. Choose among {', '.join(STAGES)}")
    if desk.bare or desk.watch is None:
        raise ShortlistError("write a rule first: without labelers there is nothing to export")
    stage = STAGES[what]
    with desk.working():
        outcomes = desk.watch.project.run(None if stage is None else [stage], listener=listener)
    shown = outcomes if stage is None else outcomes[-1:]
    return {
        "files": [str(path) for one in shown for path in one.outputs],
        "lines": [f"{one.stage}: {one.line or one.status}" for one in shown],
        "command": COMMANDS[what],
    }
