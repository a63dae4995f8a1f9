"""Desk: a project that is open in the studio: its present state, the states before it, and who is told of changes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shortlist.errors import ShortlistError
from shortlist.project.change import Change
from shortlist.project.listener import Listener
from shortlist.project.mistake import NoLabelers
from shortlist.project.session import Session
from shortlist.project.settings import NAME
from shortlist.project.watch import Watch
from shortlist.studio.bare import bare_look
from shortlist.studio.states import States

PAUSE = 0.25  # seconds between looks at the files
Tell = Callable[[str, dict[str, Any]], None]


class Desk:
    """One project. Work on it is done by one at a time; what is shown is the last state that was whole.

    session     votes, model, rows and what people know, as they are now; None before the first look
    revision    a number that grows with every change of what is shown
    mistake     what is wrong with the files, where they cannot be used; the last whole state is then shown on
    """

    def __init__(self, folder: str | os.PathLike[str] = ".") -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise ShortlistError(f"there is no folder {folder}")
        self.watch: Watch | None = None
        self.session: Session | None = None
        self.bare = False  # whether the project has no labelers yet
        self.change: Change | None = None
        self.revision = 0
        self.mistake: str | None = None
        self.states = States(self.folder)
        self.tellers: list[Tell] = []
        self._lock = threading.RLock()
        self._ended = threading.Event()

    @property
    def is_project(self) -> bool:
        """Whether the folder holds a project already."""
        return (self.folder / NAME).exists()

    @property
    def opened(self) -> Session:
        """The present state; an error where there is none."""
        if self.session is None:
            raise ShortlistError(self.mistake or "the project is not open yet")
        return self.session

    def tell(self, kind: str, **facts: Any) -> None:
        """Tell every page that is open."""
        for teller in list(self.tellers):
            teller(kind, {"revision": self.revision, **facts})

    @contextmanager
    def working(self) -> Iterator[None]:
        """One at a time."""
        with self._lock:
            yield

    def look(self, title: str = "files edited") -> Change | None:
        """Vote and fit as the files are now. A mistake in them is kept, and raised."""
        with self.working():
            self.tell("working", stage="looking")
            try:
                change = self._look()
            except Exception as error:  # code of the user can fail in ways that nobody foresees
                known = isinstance(error, (ShortlistError, OSError))
                self.mistake = str(error) if known else f"{type(error).__name__}: {error}"
                self.revision += 1
                self.tell("mistake", message=self.mistake)
                raise
            self.mistake = None
            self.change = change
            self.revision += 1
            self._remember(title)
            self.tell("changed", title=title)
            return change

    def _look(self) -> Change | None:
        if self.watch is None:
            self.watch = Watch(self.folder)
        try:
            change = self.watch.look(_Progress(self))
            self.session, self.bare = self.watch.session, False
        except NoLabelers:
            change, self.session, self.bare = None, bare_look(self.watch), True
        return change

    def _remember(self, title: str) -> None:
        """Keep the state, where it differs from the last one."""
        if not self.bare and self.watch is not None and self.watch.last is not None:
            self.states.add(title, self.watch.last)

    # -- files that others change ----------------------------------------------------------------------

    def follow(self) -> None:
        """Look again whenever a file of the project is saved, until `close`. For a thread of its own."""
        while not self._ended.wait(PAUSE):
            if self.watch is not None and self.watch.touched():
                with self.working():  # code is parsed by one thread at a time: Python 3.11 does not bear more
                    if self.watch.changed():
                        self._try_look()

    def _try_look(self) -> None:
        try:
            self.look()
        except Exception:  # it is told on the page
            assert self.watch is not None
            self.watch.seen = self.watch.stamps()  # not again before the next edit

    def start(self) -> None:
        """Open the project and follow its files, in the background."""
        threading.Thread(target=self._run, name="studio", daemon=True).start()

    def _run(self) -> None:
        while not self.is_project and not self._ended.wait(PAUSE):
            pass
        if self.is_project and self.session is None:
            self._first_look()
        self.follow()

    def _first_look(self) -> None:
        try:
            self.look("opened")
            self._warm()
        except Exception:  # it is told on the page
            while self.watch is None and not self._ended.wait(PAUSE):  # the toml itself is at fault
                if self._mended():
                    return

    def _warm(self) -> None:
        """Do beforehand what the first search would else wait for."""
        if self.session is not None and self.session.rows.keep:
            for _ in self.session.rows.segments():
                pass

    def _mended(self) -> bool:
        before = self.mistake
        try:
            self.look("opened")
        except Exception:
            return self.mistake != before and self.watch is not None
        return True

    def close(self) -> None:
        self._ended.set()


class _Progress(Listener):
    """Tells the pages how far the work is, a few times a second."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.stage, self.rows, self.done, self.told = desk, "", 0, 0, 0.0

    def waiting(self, process: str) -> None:
        self.desk.tell("working", stage=f"waiting for another shortlist (process {process})")

    def begin(self, stage: str, rows: int | None = None) -> None:
        self.stage, self.rows, self.done, self.told = stage, rows or 0, 0, 0.0
        self._tell()

    def advance(self, rows: int) -> None:
        self.done += rows
        self._tell()

    def _tell(self) -> None:
        if time.monotonic() - self.told > 0.2:
            self.told = time.monotonic()
            self.desk.tell("working", stage=self.stage, rows=self.rows, done=self.done)
