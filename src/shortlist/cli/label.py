"""`shortlist label`: a person labels rows, one key each. What is said is written to the gold file at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from shortlist.browse import Shown, find_row, next_row, show_rows
from shortlist.browse.exchange import read_answers, write_records
from shortlist.browse.queue import PICKS
from shortlist.cli.keyboard import keyboard
from shortlist.cli.screen import Screen
from shortlist.cli.show import bare_lines, lines, opened
from shortlist.errors import ShortlistError
from shortlist.project.gold.file import Entry, Picked
from shortlist.project.gold.known import entry_for
from shortlist.project.session import Session
from shortlist.reporting.notices import FAIR_SCORE
from shortlist.wording import number_of

SEVERAL, SKIP, UNDO, QUIT, HINT = "m", "s", "u", "q", "?"
KEYS = "123456789abcdefghijklnoprtvwxyz"  # of the classes, in order
USED = "`shortlist run` uses rows that are labelled with one class"
NO_KEY = "that key means nothing here: press one of those above"
HARD = (
    "These rows were picked because they are hard: the score on them may be lower than on all rows.",
    FAIR_SCORE,
)


def label(folder: Path, row: str | None, picked: Picked, *, as_json: bool) -> None:
    """Ask for labels until the person stops or no row is left."""
    screen = Screen(as_json=as_json)
    if as_json or not sys.stdin.isatty():
        raise ShortlistError("labels are asked for at a terminal; for other programs: label --export and --import")
    session = opened(folder, screen)
    if len(session.settings.classes) > len(KEYS):
        raise ShortlistError(f"there are keys for {len(KEYS)} classes only: use label --export")
    first = None if row is None else find_row(session, row)
    with keyboard() as read:
        Asking(session, screen, read, picked).ask(first)


def export_rows(folder: Path, path: Path, form: str, picked: Picked, *, limit: int, as_json: bool) -> None:
    """Write the rows that promise most, or random ones, for people who label elsewhere."""
    screen = Screen(as_json=as_json)
    session = opened(folder, screen)
    chosen = PICKS[picked](session, limit)
    write_records(show_rows(session, chosen), form, path, picked)
    screen.text(f"{number_of(len(chosen), 'row')} to label → {path}")
    screen.json({"rows": len(chosen), "outputs": [str(path)]})


def import_answers(folder: Path, path: Path, *, as_json: bool) -> None:
    """Read what people said elsewhere."""
    screen = Screen(as_json=as_json)
    session = opened(folder, screen)
    answered, not_answered = read_answers(session, path)
    where = session.gold_file.path
    are = "row is" if answered == 1 else "rows are"
    screen.text(f"{answered:,} {are} labelled, {not_answered:,} {'is' if not_answered == 1 else 'are'} not → {where}")
    screen.json({"labelled": answered, "not_labelled": not_answered, "outputs": [str(where)]})


class Asking:
    """One sitting: rows one after the other, with what was said so far."""

    def __init__(self, session: Session, screen: Screen, read: Callable[[], str], picked: Picked = "gain") -> None:
        self.session, self.screen, self.read, self.picked = session, screen, read, picked
        self.said: list[tuple[int, Entry]] = []
        self.chosen: int | None = None  # the row that the person asked for
        self.hidden: Shown | None = None  # the row, where it is shown without what rules and model say

    def ask(self, row: int | None = None) -> None:
        """Row after row, until the person stops, also with Ctrl-C: what was said is told in any case."""
        self.chosen = row
        end = ""
        try:
            end = self._sit(row)
        finally:
            self._tell(end)

    def _sit(self, row: int | None) -> str:
        row = self._next() if row is None else row
        while row is not None:
            self._show(row)
            answer = self._answer()
            if answer == QUIT:
                return ""
            row = self._undo(row) if answer == UNDO else self._put(row, () if answer == SKIP else tuple(answer))
        return "no row is left to ask about; "

    def _tell(self, end: str) -> None:
        entries = [entry for _, entry in self.said]
        self.screen.text(f"{end}{told(entries, self.session.gold_file.path)}")
        if any(len(entry.classes) == 1 and entry.picked == "gain" for entry in entries):
            for line in HARD:
                self.screen.text(line)

    def _next(self) -> int | None:
        return next_row(self.session, picked=self.picked)

    def _show(self, row: int) -> None:
        (shown,) = show_rows(self.session, [row])
        classes = self.session.settings.classes
        self.hidden = shown if self.picked == "random" else None  # a fair score: nobody is led to what is to be scored
        keys = [f"{key} {name}" for key, name in zip(KEYS, classes, strict=False)]
        self.screen.print("", *(lines(shown, plain=False) if self.hidden is None else bare_lines(shown)))
        hint = "" if self.hidden is None else f"{HINT} what the rules say  "
        self.screen.text(f"{'  '.join(keys)}   {SEVERAL} several  {SKIP} skip  {UNDO} undo  {hint}{QUIT} quit")

    def _answer(self) -> str | Sequence[str]:
        """The classes that were chosen, or SKIP, UNDO or QUIT."""
        by_key = dict(zip(KEYS, self.session.settings.classes, strict=False))
        while True:
            key = self.read()
            if key in (SKIP, UNDO, QUIT, ""):
                return key or QUIT
            if key in by_key:
                return [by_key[key]]
            if key == HINT and self.hidden is not None:
                self.screen.print(*lines(self.hidden, plain=False))
            elif key != SEVERAL:
                self.screen.text(NO_KEY)
            elif chosen := self._several(by_key):
                return chosen

    def _several(self, by_key: dict[str, str]) -> list[str]:
        """Keys add and take away classes, until Enter."""
        chosen: list[str] = []
        self.screen.text("several: press the keys of the classes, then Enter")
        while (key := self.read()) not in ("\r", "\n", ""):
            if key in by_key:
                name = by_key[key]
                chosen = [one for one in chosen if one != name] if name in chosen else [*chosen, name]
                self.screen.text(f"  {' or '.join(chosen) or 'none'}")
            else:
                self.screen.text(f"{NO_KEY}, or Enter")
        everything = len(chosen) == len(by_key)
        if everything:
            self.screen.text("that is every class, which says nothing: press s to skip the row")
        return [] if everything else chosen

    def _put(self, row: int, classes: tuple[str, ...]) -> int | None:
        entry = entry_for(self.session.rows, row, classes, None if row == self.chosen else self.picked)
        self.session.gold_file.add(entry)
        self.said.append((row, entry))
        self.screen.text(f"→ {' or '.join(classes) or 'skipped'}")
        self._look_again()
        return self._next()

    def _undo(self, row: int) -> int:
        """Back to the row before, with what was said about it taken back."""
        if not self.said:
            self.screen.text("there is nothing to take back in this sitting")
            return row
        before, entry = self.said.pop()
        self.session.gold_file.undo(entry)
        self._look_again()
        return before

    def _look_again(self) -> None:
        """What people know has changed; the model waits for the next run."""
        self.session.gold_changed()


def told(entries: Sequence[Entry], path: Path) -> str:
    """What a sitting came to: how many rows have a label, which the next run uses, several classes, or none."""
    sizes = [len(entry.classes) for entry in entries]
    one, skipped = sizes.count(1), sizes.count(0)
    several = len(sizes) - one - skipped
    if not sizes:
        return "nothing labelled"
    counts = {"labelled": one, "with several classes": several, "skipped": skipped}
    shown = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    used = USED if several else f"`shortlist run` uses {'it' if one == 1 else 'them'}" if one else ""
    return ". ".join(filter(None, (f"{shown} → {path}", used)))
