"""A project that is open in the studio: its session in memory, its earlier states, and the pages to notify."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from shortlist.errors import BadFile, ShortlistError, Stopped
from shortlist.labelmodel import NearestClass
from shortlist.progress import Tell, still_wanted
from shortlist.project.changes import Change, Snapshot
from shortlist.project.code.roster import Roster
from shortlist.project.session import Listener, Session
from shortlist.project.settings import NAME
from shortlist.project.toml import NoLabelers
from shortlist.project.watch import Watch
from shortlist.votes import Votes


class OpenProject:
    """One project; pages show the last state that succeeded.

    lock        held by whoever edits, votes and fits, and while that asks a model
    gold_lock   held while a label is written: it never waits for a model
    session     rows, votes, model and gold labels as of the last successful refresh; None before the first
    by          the person who labels; "" without a name
    bare        whether the project has no labelers yet: rows can be read, searched and labelled
    revision    a counter that grows with every change of what is shown
    problem     what is wrong with the files, if they cannot be used
    """

    def __init__(self, folder: str | os.PathLike[str] = ".", by: str = "") -> None:
        self.folder, self.by = Path(folder), by
        if not self.folder.is_dir():
            raise ShortlistError(f"there is no folder {folder}")
        self.watch: Watch | None = None
        self.session: Session | None = None
        self.bare = False
        self.change: Change | None = None
        self.revision = 0
        self.problem: str | None = None
        self.states = States()
        self.subscribers: list[Callable[[str, dict[str, Any]], None]] = []
        self.lock, self.gold_lock = threading.RLock(), threading.RLock()
        self.labels = 0  # written so far
        self._stops = 0  # times that the user has stopped work
        self._closed = threading.Event()

    @property
    def exists(self) -> bool:
        """Whether the folder contains a project."""
        return (self.folder / NAME).exists()

    @property
    def current(self) -> Session:
        """The session; an error if there is none yet."""
        if self.session is None:
            raise ShortlistError(self.problem or "the project is not open yet")
        return self.session

    def notify(self, kind: str, **facts: Any) -> None:
        """Send an event to every open page."""
        for send in list(self.subscribers):
            send(kind, {"revision": self.revision, **facts})

    def changed(self, title: str) -> None:
        """Count a change of what is shown, and notify the pages."""
        self.revision += 1
        self.notify("changed", title=title)

    def refresh(self, title: str = "files edited") -> Change | None:
        """Vote and fit with the files as they are now. An error is kept for the pages, and raised."""
        with self.lock:
            self.notify("working", stage="checking for changes")
            try:
                with self.stoppable():
                    self.change = self._refresh()
            except Exception as error:  # user code can fail in any way
                expected = isinstance(error, (ShortlistError, OSError))
                self.problem = str(error) if expected else f"{type(error).__name__}: {error}"
                self.revision += 1
                self.notify("problem", message=self.problem)
                raise
            self.problem = None
            if not self.bare and self.watch is not None and self.watch.last is not None:
                self.states.add(title, self.watch.last)
            self.changed(title)
            return self.change

    def forget(self) -> None:
        """Take back a project that could not be opened: the folder has none again."""
        self.watch = self.session = self.problem = None
        self.changed("not created")

    def _refresh(self) -> Change | None:
        if self.watch is None:
            self.watch = Watch(self.folder)
        change, session, labels = None, None, self.labels
        try:
            change = self.watch.look(_Progress(self))
        except NoLabelers:
            session = _without_labelers(self.watch)
        with self.gold_lock:
            self.session, self.bare = session or self.watch.session, session is not None
            if self.labels != labels:  # meanwhile, with the session before
                self.current.gold_changed()
        return change

    # -- asking models ---------------------------------------------------------------------------------

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Let `stop` end the asking, and slow searches, inside."""
        stops = self._stops

        def check() -> None:
            if self._stops != stops:
                raise Stopped("stopped. All answers so far are kept: to go on, save it again")

        before = still_wanted.set(check)
        try:
            yield
        finally:
            still_wanted.reset(before)

    @contextmanager
    def asking(self, labeler: str) -> Iterator[Tell]:
        """Show the pages what a model is asked, and a button to stop it."""
        _Progress(self).tell(f"asking about {labeler}")
        try:
            with self.stoppable():
                yield _Progress(self).tell
        finally:
            self.notify("idle")

    def stop(self) -> None:
        """End what is being asked. Answers so far are kept."""
        self._stops += 1

    # -- files that change -----------------------------------------------------------------------------

    def start(self) -> None:
        """Open the project and follow its files, in the background."""
        threading.Thread(target=self.follow, name="studio", daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self.stop()

    def follow(self) -> None:
        """Refresh whenever a file of the project is saved, until `close`."""
        opened = None  # the time of shortlist.toml when it was last tried
        while not self._closed.is_set():
            if self.watch is None and self.exists and opened != (opened := (self.folder / NAME).stat().st_mtime_ns):
                self._open()
            elif self.watch is not None and self.watch.touched():
                with self.lock:  # Python 3.11 cannot parse code in two threads at once
                    if self.watch.changed():
                        self._try_refresh("files edited")
            self._closed.wait(0.25)

    def _open(self) -> None:
        with self.lock:
            if self.watch is None:  # else the page has just made the project
                self._try_refresh("opened")
        if self.session is not None and self.session.rows.in_memory:
            for _ in self.session.rows.segments():  # the first search finds the rows in memory
                pass

    def _try_refresh(self, title: str) -> None:
        try:
            self.refresh(title)
        except Exception:  # the page shows it
            if self.watch is not None:
                self.watch.seen = {**self.watch.stamps(), **self.watch.seen}  # wait for the next edit


def _without_labelers(watch: Watch) -> Session:
    """A session in which one labeler abstains on every row."""
    with watch.open() as session:
        classes = session.settings.classes
        codes = np.zeros((len(session.rows), 1), np.uint8)
        votes = Votes(codes, [[[classes[0]]]], classes, ["(no labeler yet)"], ids=session.rows.ids())
        session.roster = Roster((), (), None, session.settings, session.folder, ())
        session.votes, session.results["fit"] = votes, NearestClass().fit(votes)
        for _ in session.rows.segments():  # read once, and kept in memory
            pass
    return session


class _Progress(Listener):
    """Notifies the pages of progress, at most five times a second."""

    def __init__(self, project: OpenProject) -> None:
        self.project, self.stage, self.rows, self.done, self.sent = project, "", 0, 0, 0.0

    def waiting(self, process: str) -> None:
        self.project.notify("working", stage=f"waiting for another shortlist (process {process})")

    def tell(self, line: str) -> None:
        self.project.notify("working", stage=line, stops=True)

    def begin(self, stage: str, rows: int | None = None) -> None:
        self.stage, self.rows, self.done, self.sent = stage, rows or 0, 0, 0.0
        self.advance(0)

    def advance(self, rows: int) -> None:
        self.done += rows
        if time.monotonic() - self.sent > 0.2:
            self.sent = time.monotonic()
            self.project.notify("working", stage=self.stage, rows=self.rows, done=self.done)


# -- states --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SavedState:
    """A snapshot of the project, with its number, its time and the change that led to it."""

    number: int
    at: str
    title: str
    snapshot: Snapshot

    def to_dict(self) -> dict[str, Any]:
        totals, labelers = self.snapshot.totals, len(self.snapshot.fingerprints)
        return {"number": self.number, "at": self.at, "title": self.title, "totals": totals, "labelers": labelers}


class States:
    """The states of this session."""

    def __init__(self) -> None:
        self.all: list[SavedState] = []

    def add(self, title: str, snapshot: Snapshot) -> None:
        """Add a state, unless it equals the last one."""
        if self.all and _same(self.all[-1].snapshot, snapshot):
            return
        number = self.all[-1].number + 1 if self.all else 1
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        self.all.append(SavedState(number, now, title, snapshot))
        del self.all[1:-40]  # the first one stays, as it was when the session began

    def find(self, number: int) -> SavedState:
        for state in self.all:
            if state.number == number:
                return state
        raise BadFile(f"state {number} is no longer available")


def _same(one: Snapshot, other: Snapshot) -> bool:
    same = all(getattr(one, name) == getattr(other, name) for name in ("fingerprints", "totals", "sources", "classes"))
    return same and np.array_equal(one.labels, other.labels)
