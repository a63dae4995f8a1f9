"""Watch: run the stages again whenever a file of the project is saved, in a session in memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shortlist.errors import ShortlistError
from shortlist.project.cache import look
from shortlist.project.changes import Change, Snapshot
from shortlist.project.code.source import local_files
from shortlist.project.parts import data_files, depended_files
from shortlist.project.project import Project
from shortlist.project.session import Listener, Session
from shortlist.project.settings import NAME
from shortlist.project.stages.run import run_stages
from shortlist.project.stages.stage import Outcome
from shortlist.votes.codomain import failure_notes

Stamps = dict[str, list[int] | None]  # file → size, time stamp and inode


class Watch:
    """A project whose stages vote and fit are run again and again. What did not change stays in memory.

    session    the session of the last look that succeeded, with rows, votes, model and analysis
    outcomes   what became of its stages
    last       what it showed
    """

    def __init__(self, folder: str | os.PathLike[str] = ".") -> None:
        self.project = Project(folder)
        self.session: Session | None = None
        self.outcomes: list[Outcome] = []
        self.last: Snapshot | None = None
        self._reads: tuple[Path, ...] = ()  # files that labelers.py opened while it was loaded
        self.seen: Stamps = {}
        self.seen = self.stamps()

    def look(self, listener: Listener | None = None) -> Change | None:
        """Vote and fit again; return what changed since the last look that succeeded, or None the first time."""
        with self.open(listener) as session:
            self._reads = session.roster.reads
            self.outcomes = run_stages(session, ["fit"])
            marks = dict(zip(session.roster.names, session.roster.fingerprints, strict=True))
            now = Snapshot.of(session.analysis, marks, tuple(session.rows.sources))
        before, self.last = self.last, now
        return None if before is None else Change(before, now)

    @contextmanager
    def open(self, listener: Listener | None = None) -> Iterator[Session]:
        """Open a session in memory on the files as they are now. It is kept if nothing fails."""
        self.seen = self.stamps()
        with self.project.open(listener, in_memory=True, earlier=self.session) as session:
            yield session
        self.session = session

    @property
    def notes(self) -> list[str]:
        """Sentences for the user about the last look."""
        return list(dict.fromkeys(note for one in self.outcomes for note in one.notes))

    @property
    def failed(self) -> list[str]:
        """Notes about labelers that failed at the last look."""
        votes = self.session and self.session.votes
        return failure_notes(votes.names, votes.failures) if votes else []

    def gold_was_read(self) -> None:
        """Take the gold file as it is now as seen: it is no reason to look again."""
        path = self.project.folder / self.project.settings.data.gold_file
        self.seen[str(path)] = _stamp(path)

    def touched(self) -> bool:
        """Whether a file may have changed since the last look."""
        return self.stamps() != self.seen

    def changed(self) -> bool:
        """Whether a file was saved since the last look, and saving has ended: editors write in steps."""
        before, now = self.seen, self.stamps()
        changed = before != now
        while before != now:
            time.sleep(0.03)
            before, now = now, self.stamps()
        return changed

    def wait(self) -> None:
        """Wait until a file is saved."""
        while not self.changed():
            time.sleep(0.05)

    def stamps(self) -> Stamps:
        """The stamps of all files that matter."""
        settings, folder = self.project.settings, self.project.folder
        code = folder / settings.labelers.file
        files = [folder / NAME, code, folder / settings.data.gold_file]
        try:
            files += local_files(code)
            files += [*data_files(folder, settings), *depended_files(folder, settings)]
        except Exception:  # a file that is being edited, or away for a moment
            files += [path for path in map(Path, self.seen) if path not in files]
        return {str(path): _stamp(path) for path in (*files, *self._reads)}


def _stamp(path: Path) -> list[int] | None:
    try:
        return look(path).stamp
    except (OSError, ShortlistError):
        return None
