"""VoteColumns: what labelers said about parts of the rows, so that no labeler is asked twice about the same rows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from shortlist.errors import BadFile
from shortlist.project.kept.digest import digest
from shortlist.project.kept.lock import sweep
from shortlist.project.kept.state import write_json
from shortlist.votes import Votes

VERSIONS = 200  # groups of labelers that are no longer in use; the oldest go first
LIST = "labelers.json"


class VoteColumns:
    """A folder of votes: one folder for each group of labelers that were asked together, one file for each part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.memory: dict[Path, Votes] = {}
        self.keep = False  # whether what was read or written once is kept in memory
        self._groups: dict[str, list[str]] = {}

    def __reduce__(self) -> tuple[type[VoteColumns], tuple[Path]]:
        """To other processes only the place travels."""
        return VoteColumns, (self.folder.absolute(),)

    def known(self, fingerprints: Sequence[str]) -> dict[str, dict[str, Path]]:
        """Part → version of a labeler → the file that holds its votes on that part."""
        wanted, found = set(fingerprints), dict[str, dict[str, Path]]()
        for group, members in self.groups().items():
            here = [mark for mark in members if mark in wanted]
            for path in sorted((self.folder / group).glob("*.parquet")) if here else ():
                found.setdefault(path.stem, {}).update(dict.fromkeys(here, path))
        return found

    def groups(self) -> dict[str, list[str]]:
        """Folder → the versions of labelers whose votes are in it, in the order of the columns."""
        there = [one for one in sorted(self.folder.iterdir()) if one.is_dir()] if self.folder.is_dir() else []
        self._groups = {one.name: self._groups.get(one.name) or _listed(one / LIST) for one in there}
        return self._groups

    def load(self, path: Path, fingerprints: Sequence[str]) -> Votes:
        """The votes of some labelers, from one file. A damaged file is thrown away."""
        members = self._groups.get(path.parent.name) or _listed(path.parent / LIST)
        try:
            votes = self.memory.get(path) or Votes.load(path)
            chosen = [members.index(mark) for mark in fingerprints]
            if len(votes.names) != len(members):
                raise BadFile(f"{path} does not hold what its folder says")
        except (BadFile, ValueError):
            path.unlink(missing_ok=True)
            raise BadFile(f"{path} is damaged") from None
        self._kept(path, votes)
        return votes if chosen == list(range(len(members))) else votes[:, chosen]

    def path(self, fingerprints: Sequence[str], part: str) -> Path:
        """Where the votes of these labelers on a part are kept."""
        return self.folder / digest(list(fingerprints))[:32] / f"{part}.parquet"

    def save(self, fingerprints: Sequence[str], part: str, votes: Votes) -> Path:
        """Keep what these labelers said about a part."""
        path = self.path(fingerprints, part)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not (path.parent / LIST).exists():
            write_json(path.parent / LIST, list(fingerprints))
        votes.save(path)
        self._kept(path, votes)
        return path

    def _kept(self, path: Path, votes: Votes) -> None:
        if self.keep:
            self.memory[path] = votes

    def forget(self, fingerprints: Iterable[str]) -> None:
        """Throw away what these versions of labelers said."""
        gone = set(fingerprints)
        for group, members in self.groups().items():
            if gone.intersection(members):
                shutil.rmtree(self.folder / group, ignore_errors=True)

    def sweep(self) -> None:
        """Throw away what a killed run left half written."""
        for folder in self.folder.iterdir() if self.folder.is_dir() else ():
            sweep(folder)

    def prune(self, used: Iterable[str]) -> None:
        """Of versions no longer in use, keep the latest: an edit is often undone."""
        current = set(used)
        old = [self.folder / group for group, members in self.groups().items() if not current.intersection(members)]
        old.sort(key=lambda one: one.stat().st_mtime_ns, reverse=True)
        for one in old[VERSIONS:]:
            shutil.rmtree(one, ignore_errors=True)
        unused = {one.name for one in old}
        self.memory = {path: votes for path, votes in self.memory.items() if path.parent.name not in unused}


def _listed(path: Path) -> list[str]:
    """The labelers of a group; none where that cannot be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [str(mark) for mark in found] if isinstance(found, list) else []
