"""`shortlist label`: label rows with one key each. Every label is written to the gold file at once."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import typer

from shortlist.browse import RowView, find_row, next_row, show_rows
from shortlist.browse.labeling import PICKS, read_answers, write_records
from shortlist.cli.commands import fitted_session
from shortlist.cli.screen import Screen
from shortlist.cli.show import bare_lines, row_lines
from shortlist.errors import ShortlistError
from shortlist.project.gold import NOBODY, Entry, Picked, entry_for
from shortlist.project.session import Session
from shortlist.reporting.overview import FAIR_SCORE
from shortlist.wording import number_of

SEVERAL, SKIP, UNDO, QUIT, HINT = "m", "s", "u", "q", "?"
CLASS_KEYS = "123456789abcdefghijklnoprtvwxyz"


def label_rows(folder: Path, row: str | None, picked: Picked, by: str = "", *, as_json: bool) -> None:
    """Ask for labels until the user quits or no row is left."""
    screen = Screen(as_json=as_json)
    if as_json or not sys.stdin.isatty():
        raise ShortlistError("labeling needs a terminal; elsewhere, use label --export and --import")
    session = fitted_session(folder, screen)
    if len(session.settings.classes) > len(CLASS_KEYS):
        raise ShortlistError(f"there are keys for {len(CLASS_KEYS)} classes only: use label --export")
    first = None if row is None else find_row(session, row)
    with keyboard() as read:
        LabelingSession(session, screen, read, picked, by).run(first)


def export_rows(folder: Path, path: Path, form: str, picked: Picked, *, limit: int, as_json: bool) -> None:
    """Write the most helpful rows, or random ones, for a labeling tool."""
    screen = Screen(as_json=as_json)
    session = fitted_session(folder, screen)
    session.refuse_to_overwrite(path)
    chosen = PICKS[picked](session, limit)
    write_records(show_rows(session, chosen), form, path, picked)
    screen.text(f"{number_of(len(chosen), 'row')} to label → {path}{_why_fewer(picked, len(chosen), limit)}")
    screen.json({"rows": len(chosen), "outputs": [str(path)]})


def _why_fewer(picked: Picked, rows: int, limit: int) -> str:
    if rows >= limit:
        return ""
    if picked == "differ":
        return "\npeople differ on no other row"
    if picked == "random":
        return f"\nfewer than {limit:,}: all other rows are labelled"
    return (
        f"\nfewer than {limit:,}: one row for each combination of votes, since rows with the same votes get the same "
        "label. `--random` writes more"
    )


def import_answers(folder: Path, path: Path, by: str = "", *, as_json: bool) -> None:
    """Read labels from the export of a labeling tool."""
    screen = Screen(as_json=as_json)
    session = fitted_session(folder, screen)
    labelled, unlabelled = read_answers(session, path, by)
    gold = session.gold_file.path
    screen.text(f"{number_of(labelled, 'row')} labelled, {unlabelled:,} without an answer → {gold}")
    screen.json({"labelled": labelled, "not_labelled": unlabelled, "outputs": [str(gold)]})


class LabelingSession:
    """One row after the other, with the entries made so far."""

    def __init__(
        self, session: Session, screen: Screen, read: Callable[[], str], picked: Picked = "gain", by: str = ""
    ) -> None:
        self.session, self.screen, self.read, self.picked, self.by = session, screen, read, picked, by
        self.entries: list[tuple[int, Entry]] = []
        self.by_key = dict(zip(CLASS_KEYS, session.settings.classes, strict=False))
        self.chosen: int | None = None  # the row that the user asked for
        self.hidden: RowView | None = None  # the row, if its votes and beliefs are hidden

    def run(self, row: int | None = None) -> None:
        """Ask until the user stops; the summary is printed after Ctrl-C, too."""
        self.chosen, end = row, ""
        try:
            end = self._ask_all(self._next() if row is None else row)
        finally:
            entries = [entry for _, entry in self.entries]
            self.screen.text(f"{end}{summary(entries, self.session.gold_file.path)}")
            if any(len(entry.classes) == 1 and entry.picked in ("gain", "differ") for entry in entries):
                self.screen.text("These rows were picked because they are hard: a score on them may be too low.")
                self.screen.text(FAIR_SCORE)

    def _ask_all(self, row: int | None) -> str:
        while row is not None:
            self._show(row)
            answer = self._answer()
            if answer == QUIT:
                return ""
            row = self._undo(row) if answer == UNDO else self._put(row, () if answer == SKIP else tuple(answer))
        return "no row is left; "

    def _next(self) -> int | None:
        return next_row(self.session, self.picked, self.by)

    def _show(self, row: int) -> None:
        (view,) = show_rows(self.session, [row])
        # a fair score: neither beliefs nor other people must influence the label
        self.hidden = replace(view, known=()) if self.picked == "random" else None
        keys = [f"{key} {name}" for key, name in self.by_key.items()]
        self.screen.print("", *(row_lines(view, plain=False) if self.hidden is None else bare_lines(view)))
        if self.picked == "differ":
            said = self.session.known.people[row].items()
            self.screen.text("; ".join(f"{by or NOBODY}: {' or '.join(one.classes) or 'skipped'}" for by, one in said))
        hint = "" if self.hidden is None else f"{HINT} show votes  "
        self.screen.text(f"{'  '.join(keys)}   {SEVERAL} several  {SKIP} skip  {UNDO} undo  {hint}{QUIT} quit")

    def _answer(self) -> str | Sequence[str]:
        """The chosen classes, or SKIP, UNDO or QUIT."""
        while True:
            key = self.read()
            if key in (SKIP, UNDO, QUIT, ""):
                return key or QUIT
            if key in self.by_key:
                return [self.by_key[key]]
            if key == HINT and self.hidden is not None:
                self.screen.print(*row_lines(self.hidden, plain=False))
            elif key != SEVERAL:
                self.screen.text("no such key: press one of those above")
            elif chosen := self._several():
                return chosen

    def _several(self) -> list[str]:
        """Toggle classes until Enter."""
        chosen: list[str] = []
        self.screen.text("one of several classes: press their keys, then Enter")
        while (key := self.read()) not in ("\r", "\n", ""):
            if key in self.by_key:
                name = self.by_key[key]
                chosen = [one for one in chosen if one != name] if name in chosen else [*chosen, name]
                self.screen.text(f"  {' or '.join(chosen) or 'none'}")
            else:
                self.screen.text("no such key: press one of those above, or Enter")
        if len(chosen) == len(self.by_key):
            self.screen.text("every class is the same as no label: press s to skip the row")
            return []
        return chosen

    def _put(self, row: int, classes: tuple[str, ...]) -> int | None:
        entry = entry_for(self.session.rows, row, classes, None if row == self.chosen else self.picked, self.by)
        self.session.gold_file.add(entry)
        self.entries.append((row, entry))
        self.screen.text(f"→ {' or '.join(classes) or 'skipped'}")
        self.session.gold_changed()
        return self._next()

    def _undo(self, row: int) -> int:
        """Take back the last label; return its row."""
        if not self.entries:
            self.screen.text("nothing to undo in this session")
            return row
        before, entry = self.entries.pop()
        self.session.gold_file.undo(entry)
        self.session.gold_changed()
        return before


def summary(entries: Sequence[Entry], path: Path) -> str:
    """Count the labels of a session, and say what the next run uses."""
    sizes = [len(entry.classes) for entry in entries]
    if not sizes:
        return "nothing labelled"
    one, skipped = sizes.count(1), sizes.count(0)
    several = len(sizes) - one - skipped
    counts = {"labelled": one, "with several classes": several, "skipped": skipped}
    shown = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    if several:
        return f"{shown} → {path}. `shortlist run` uses rows with one class"
    return f"{shown} → {path}" + (f". `shortlist run` uses {'it' if one == 1 else 'them'}" if one else "")


# -- keyboard ------------------------------------------------------------------------------------------


@contextmanager
def keyboard() -> Iterator[Callable[[], str]]:
    """Yield a function that waits for the next key and returns it, "" at the end of input."""
    if os.name == "nt":
        yield typer.getchar
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSANOW)  # keys that were pressed before are kept
    try:
        yield lambda: _read_key(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _read_key(terminal: int) -> str:
    """Read one key; arrows and the like, which send several characters (ESC [ …), are one key."""
    while not select.select([terminal], [], [], 0.2)[0]:  # once polars has worked, Ctrl-C does not interrupt a read
        pass
    key = os.read(terminal, 1)
    while re.fullmatch(rb"\x1b(\[[0-?]*|O)?", key) and select.select([terminal], [], [], 0)[0]:
        key += os.read(terminal, 1)
    return key.decode("utf-8", "replace")
