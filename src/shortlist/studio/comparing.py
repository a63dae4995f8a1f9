"""Comparing: two states of the project side by side, and the rows whose label flipped."""

from __future__ import annotations

from typing import Any

from shortlist.browse import show_rows
from shortlist.errors import ShortlistError
from shortlist.project.change import Change
from shortlist.studio.desk import Desk


def compare(desk: Desk, before: int, after: int, *, offset: int = 0, limit: int = 20) -> dict[str, Any]:
    """What differs between two states, and some of the rows that have another label."""
    one, other = desk.states.find(before), desk.states.find(after)
    change = Change(one.snapshot, other.snapshot)
    rows = change.flipped[offset : offset + limit]
    return {
        **change.to_dict(),
        "before": one.to_dict(),
        "after": other.to_dict(),
        "same_rows": change.same_rows,
        "examples": _examples(desk, change, [int(a) for a in rows]),
    }


def _examples(desk: Desk, change: Change, rows: list[int]) -> list[dict[str, Any]]:
    session = desk.opened
    if len(session.votes) != len(change.after.labels):
        raise ShortlistError("the data files are others now: start the studio again to compare")
    return [
        shown.to_dict() | {"was": change.label(change.before, shown.row), "is": change.label(change.after, shown.row)}
        for shown in show_rows(session, rows)
    ]
