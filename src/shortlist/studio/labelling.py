"""Labelling: the row that would help most, what a person says about it, and taking that back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shortlist.browse import next_row, show_rows
from shortlist.errors import ShortlistError
from shortlist.project.gold.file import Entry, Picked
from shortlist.project.gold.known import entry_for
from shortlist.studio.desk import Desk
from shortlist.studio.overview import gold


def next_to_label(desk: Desk, passed: Sequence[int] = (), picked: Picked = "gain") -> dict[str, Any]:
    """The row to label next, without those that were passed over; None where none is left."""
    session = desk.opened
    row = next_row(session, frozenset(passed), picked)
    shown = None if row is None else show_rows(session, [row])[0].to_dict()
    return {"row": shown, "gold": gold(session, bare=desk.bare)}


def label_row(desk: Desk, row: int, classes: Sequence[str], picked: Picked | None = None) -> dict[str, Any]:
    """Write down what a person says: one class, several of which one is meant, or none to skip the row."""
    with desk.working():
        session = desk.opened
        if not 0 <= row < len(session.votes):
            raise ShortlistError(f"there is no row {row}", row=row)
        named = [name for name in session.votes.space if name in classes]
        if len(named) < len(set(classes)):
            unknown = next(name for name in classes if name not in named)
            session.votes.space.position(unknown)  # an error that offers the nearest class
        if len(named) == len(session.votes.space):
            raise ShortlistError("that is every class, which says nothing: skip the row instead")
        entry = entry_for(session.rows, row, named, picked)
        session.gold_file.add(entry)
        _known(desk, f"row {row} labelled", lambda: session.gold_said(row, named))
        return {"entry": entry.to_dict(), "row": show_rows(desk.opened, [row])[0].to_dict(),
                "gold": gold(desk.opened, bare=desk.bare)}  # fmt: skip


def take_back(desk: Desk, entry: dict[str, Any]) -> dict[str, Any]:
    """Take back what was said."""
    with desk.working():
        session = desk.opened
        if session.gold_file.undo(Entry.from_dict(entry)) is None:
            raise ShortlistError("this label is not there any more: it was taken back elsewhere")
        _known(desk, "a label taken back", session.gold_changed)
        return {"gold": gold(desk.opened, bare=desk.bare)}


def _known(desk: Desk, title: str, take_in: Callable[[], None]) -> None:
    """The fit takes labels in where the settings say so; else only what is known changes, which is quick."""
    if desk.opened.settings.gold_fits and not desk.bare:
        desk.look(title)
        return
    take_in()
    if desk.watch is not None:
        desk.watch.gold_was_read()
    desk.revision += 1
    desk.tell("changed", title=title)
