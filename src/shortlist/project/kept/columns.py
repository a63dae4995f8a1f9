"""VoteColumns: the votes of each labeler on each segment, so that no labeler is asked twice about the same rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from shortlist.errors import BadFile
from shortlist.project.kept.lock import sweep
from shortlist.votes import Votes

VERSIONS = 200  # of labelers that are no longer in use; the oldest go first


class VoteColumns:
    """A folder of votes: one folder for each version of a labeler, one file for each segment of rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memory: dict[Path, Votes] = {}
        self.keep = False  # whether what was read or written once is kept in memory

    def path(self, fingerprint: str, source: str, number: int) -> Path:
        return self.folder / fingerprint[:32] / f"{source[:24]}-{number}.npz"

    def is_readable(self, fingerprint: str, source: str, number: int) -> bool:
        """Whether one labeler's votes on one segment are known. A damaged file is thrown away."""
        path = self.path(fingerprint, source, number)
        if path in self.memory or not path.exists():
            return path in self.memory
        try:
            self.load(fingerprint, source, number)
        except BadFile:
            return False
        return True

    def load(self, fingerprint: str, source: str, number: int) -> Votes:
        """One labeler's votes on one segment; a damaged file is thrown away."""
        path = self.path(fingerprint, source, number)
        if path in self.memory:
            return self.memory[path]
        try:
            votes = Votes.load(path)
        except BadFile:
            path.unlink(missing_ok=True)
            raise
        return self._kept(path, votes)

    def save(self, fingerprint: str, source: str, number: int, votes: Votes) -> None:
        path = self.path(fingerprint, source, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        votes.save(path)
        self._kept(path, votes)

    def _kept(self, path: Path, votes: Votes) -> Votes:
        if self.keep:
            self.memory[path] = votes
        return votes

    def forget(self, fingerprints: Iterable[str]) -> None:
        """Throw away what these versions of labelers said."""
        for fingerprint in fingerprints:
            shutil.rmtree(self.folder / fingerprint[:32], ignore_errors=True)

    def sweep(self) -> None:
        """Throw away what a killed run left half written."""
        for folder in self.folder.iterdir() if self.folder.is_dir() else ():
            sweep(folder)

    def prune(self, used: Iterable[str]) -> None:
        """Of versions no longer in use, keep the latest: an edit is often undone."""
        current = {fingerprint[:32] for fingerprint in used}
        old = [one for one in self.folder.iterdir() if one.name not in current] if self.folder.is_dir() else []
        old.sort(key=lambda one: one.stat().st_mtime_ns, reverse=True)
        for one in old[VERSIONS:]:
            shutil.rmtree(one, ignore_errors=True)
        self.memory = {path: votes for path, votes in self.memory.items() if path.parent.name in current}
