"""Exporting: labels, votes and the report as files, and the command line that does the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from shortlist.errors import ShortlistError
from shortlist.project import Project
from shortlist.project.listener import Listener
from shortlist.project.parts.extract import Extract
from shortlist.project.stages.export import write_extract
from shortlist.studio.desk import Desk
from shortlist.wording import listed, number_of

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
    project, stage = _project(desk), STAGES[what]
    with desk.working():
        outcomes = project.run(None if stage is None else [stage], listener=listener)
    shown = outcomes if stage is None else outcomes[-1:]
    return {
        "files": [str(path) for one in shown for path in one.outputs],
        "lines": [f"{one.stage}: {one.line or one.status}" for one in shown],
        "command": COMMANDS[what],
    }


def export_own(desk: Desk, given: Mapping[str, Any]) -> dict[str, Any]:
    """Write labels to a file of one's own in the project folder: more columns, believed rows only, plain names."""
    project, name = _project(desk), str(given["to"])
    if Path(name).name != name or name.startswith("."):
        raise ShortlistError(f"{name!r} is not the name of a file in the project folder, such as labels.csv")
    extract = Extract(
        tuple(str(column) for column in given.get("columns", ())),
        _belief(given.get("min_belief")),
        bool(given.get("plain_names")),
    )
    path = project.folder / name
    with desk.working(), project.open() as session:
        facts = write_extract(session, path, extract)
    return {
        "files": [str(path)],
        "lines": [number_of(facts["labelled"], "row")],
        "command": command_of(name, extract),
    }


def command_of(name: str, extract: Extract) -> str:
    """The command line that writes the same."""
    parts = ["shortlist export --to", quote(name)]
    parts += ["--columns", quote(listed(extract.columns, gap=""))] if extract.columns else []
    parts += [] if extract.min_belief is None else ["--min-belief", f"{extract.min_belief:g}"]
    parts += ["--plain-names"] if extract.plain_names else []
    return " ".join(parts)


def _project(desk: Desk) -> Project:
    if desk.bare or desk.watch is None:
        raise ShortlistError("write a rule first: without labelers there is nothing to export")
    return desk.watch.project


def _belief(value: Any) -> float | None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise ShortlistError(f"the least belief is a number from 0 to 1; got {value!r}")
