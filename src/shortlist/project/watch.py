"""Watch: votes and labels again whenever a file of the project is saved; what did not change is kept in memory."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from shortlist.analysis import Analysis
from shortlist.analysis.measures import Distinct
from shortlist.engines import Local
from shortlist.errors import ShortlistError
from shortlist.labelspace import LabelSpace
from shortlist.project.change import Change, Snapshot
from shortlist.project.code.source import local_files
from shortlist.project.files import data_files, depended_files
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.listener import Listener
from shortlist.project.parts.voting import vote
from shortlist.project.project import Project
from shortlist.project.rows import Rows
from shortlist.project.session import Session
from shortlist.project.settings import NAME
from shortlist.project.stages.fit import fitted
from shortlist.project.stages.stage import noted
from shortlist.rows.row_file import stamp
from shortlist.votes import Votes
from shortlist.votes.codomain import failure_notes

LARGE = 1 << 30  # bytes: data files larger than this together are read again each time
PAUSE = 0.05  # seconds between looks
QUIET = 0.03  # seconds for which nothing may change, since editors write in steps
Stamps = dict[str, tuple[int, int, int] | None]


class Watch:
    """A project that is looked at again and again."""

    def __init__(self, folder: str | os.PathLike[str] = ".") -> None:
        self.project = Project(folder)
        self.columns = VoteColumns(self.project.hidden / "votes")
        self.columns.keep = True
        self.last: Snapshot | None = None
        self.session: Session | None = None  # the one of the last look that succeeded, with votes, model and analysis
        self.rows: Rows | None = None
        self.notes: list[str] = []
        self._rows_from: Any = None  # what the rows were made from
        self._gold: tuple[Any, Any, Any] = (None, None, None)  # of what, by name, by position
        self._reads: tuple[Path, ...] = ()  # files that labelers.py opened while it was loaded
        self.seen: Stamps = {}
        self.seen = self.stamps()

    def look(self, listener: Listener | None = None) -> Change | None:
        """Vote and fit as things are now; what changed since the last look that succeeded, or None the first time."""
        self.seen = self.stamps()
        with self.project.open(listener) as session:
            self.take_rows(session)
            now = self._snapshot(session)
        before, self.last, self.session = self.last, now, session
        return None if before is None else Change(before, now)

    @property
    def failed(self) -> list[str]:
        """Who failed at the last look, on how many rows, and how."""
        votes = self.session.votes if self.session is not None else None
        return [] if votes is None else failure_notes(votes.names, votes.failures)

    def take_rows(self, session: Session) -> None:
        """Give a session what is in memory: rows, known votes, and what people know."""
        session.columns, session.rows = self.columns, self._rows(session)
        session.known = self._known(session)

    def gold_was_read(self) -> None:
        """The gold file as it is now is known already: it is no reason to look again."""
        assert self.session is not None or self._gold is not None
        path = self.project.folder / self.project.settings.data.gold_file
        self.seen[str(path)] = _stamp(path)

    def _snapshot(self, session: Session) -> Snapshot:
        """The project as it is now. Nothing is written but the votes of labelers that were asked."""
        rows, settings = session.rows, session.settings
        self._reads = session.roster.reads
        session.listener.begin("vote", len(rows))
        for note in session.roster.notes:
            session.listener.note(f"vote: {note}")
        self.notes = []
        with noted(self.notes):
            session.prepare()
        roster = session.roster
        done, _asked = vote(roster, rows, session.columns, Local(settings.labelers.workers), session.listener.advance)
        said = Votes.concat(voted.votes for voted in done if voted.votes is not None)
        votes = Votes(said.codes, said.codomains, said.space, said.names, ids=rows.ids(), failures=said.failures)
        session.listener.begin("fit")
        session.votes = votes
        self._fit(session, votes)
        marks = dict(zip(roster.names, roster.fingerprints, strict=True))
        return Snapshot.of(session.analysis, marks, tuple(rows.sources))

    def _fit(self, session: Session, votes: Votes) -> None:
        """The model and the analysis of the votes. Rows that differ are found once for both."""
        settings, patterns = session.settings, votes.patterns()
        with noted(self.notes):
            if settings.gold_fits:
                model = fitted(settings, votes, session.gold)
            else:
                differing = Votes(patterns.codes, votes.codomains, votes.space, votes.names)
                model = fitted(settings, differing, weights=patterns.counts)
        session.results["fit"] = model
        session.analysis = Analysis(votes, model)
        session.analysis.gold = self._gold[2]
        session.analysis.distinct = Distinct.of(votes, model, patterns)

    def _rows(self, session: Session) -> Rows:
        """The rows, with what the last look kept of them in memory; the same ones where nothing about them changed."""
        settings = session.settings
        what = (settings.data, settings.classifier.on, session.data_digests())
        if self.rows is not None and what == self._rows_from:
            self.rows.toml = settings.toml
            return self.rows
        self._rows_from = what
        rows = session.rows
        rows.keep = sum(path.stat().st_size for path in rows.paths) <= LARGE
        if self.rows is not None:
            rows.take_over(self.rows)
        self.rows = rows
        return rows

    def _known(self, session: Session) -> Any:
        """What people know, read again only where the data or the gold file changed."""
        rows, classes = session.rows, session.settings.classes
        what = (rows.sources, rows.data.gold, session.gold_digest(), classes)
        if self._gold[0] != what:
            found = session.known
            positions = None if found.classes is None else LabelSpace(classes).positions(found.classes)
            self._gold = (what, found, positions)
        return self._gold[1]

    def texts(self, chosen: list[int]) -> dict[int, str]:
        """What some rows say, to be shown."""
        assert self.rows is not None
        text = self.rows.data.text
        found = self.rows.take(chosen, None if text is None else [text])
        lines = found.iter_rows(named=True)
        return {row: str(line if text is None else line[text]) for row, line in zip(chosen, lines, strict=True)}

    def names(self, chosen: list[int]) -> dict[int, str]:
        """What some rows are called: by their ids, or else by their numbers."""
        assert self.rows is not None
        column = self.rows.data.id
        if column is None:
            return {row: f"row {row}" for row in chosen}
        return {row: str(name) for row, name in zip(chosen, self.rows.take(chosen, [column])[column], strict=True)}

    def touched(self) -> bool:
        """Whether a file that mattered at the last look, or the list of data files, may be another one now.

        That is cheaper to find out than `changed`, and reads no code.
        """
        if any(_stamp(Path(name)) != before for name, before in self.seen.items()):
            return True
        try:
            return any(str(path) not in self.seen for path in data_files(self.project.folder, self.project.settings))
        except ShortlistError:  # away for a moment
            return False

    def changed(self) -> bool:
        """Whether a file was saved since the last look, and saving has come to an end."""
        now = self.stamps()
        if now == self.seen:
            return False
        while True:
            time.sleep(QUIET)
            again = self.stamps()
            if again == now:
                return True
            now = again

    def wait(self) -> None:
        """Until a file is saved."""
        while not self.changed():
            time.sleep(PAUSE)

    def stamps(self) -> Stamps:
        """Every file that matters, and what changes when it is written to."""
        return {str(path): _stamp(path) for path in self._files()}

    def _files(self) -> list[Path]:
        project = self.project
        settings, folder = project.settings, project.folder
        code = folder / settings.labelers.file
        found = [folder / NAME, code, folder / settings.data.gold_file]
        try:
            found += local_files(code)
            found += [*data_files(folder, settings), *depended_files(folder, settings)]
        except Exception:  # a file that is being edited, or away for a moment
            found += [path for path in map(Path, self.seen) if path not in found]
        return [*found, *self._reads]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        return stamp(path)
    except OSError:
        return None
