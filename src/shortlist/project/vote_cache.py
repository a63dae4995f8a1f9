"""VoteCache: votes of labelers on parts of the rows, so that no labeler is asked twice about the same rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from shortlist.errors import BadFile
from shortlist.project.cache import digest, read_json, sweep, write_json
from shortlist.votes import Votes

MEMBERS = "labelers.json"  # the list of the labelers of a folder, by their fingerprints


class VoteCache:
    """A folder of votes: one folder for each group of labelers that were asked together, one file for each part."""

    def __init__(self, folder: Path, *, in_memory: bool = False) -> None:
        self.folder, self.in_memory = folder, in_memory
        self._memory: dict[Path, Votes] = {}  # what was read or written once, with `in_memory`
        self._groups: dict[str, list[str]] = {}

    def __reduce__(self) -> tuple[type[VoteCache], tuple[Path]]:
        """Send only the place to other processes."""
        return VoteCache, (self.folder.absolute(),)

    def known(self, fingerprints: Sequence[str]) -> dict[str, dict[str, Path]]:
        """Part → fingerprint of a labeler → the file that holds its votes on that part."""
        wanted, files = set(fingerprints), dict[str, dict[str, Path]]()
        for group, members in self.groups().items():
            here = [mark for mark in members if mark in wanted]
            for path in sorted((self.folder / group).glob("*.parquet")) if here else ():
                files.setdefault(path.stem, {}).update(dict.fromkeys(here, path))
        return files

    def groups(self) -> dict[str, list[str]]:
        """Folder → fingerprints of the labelers whose votes are in it, in the order of the columns."""
        there = filter(Path.is_dir, sorted(self.folder.glob("*")))
        self._groups = {one.name: self._groups.get(one.name) or _members(one) for one in there}
        return self._groups

    def load(self, path: Path, fingerprints: Sequence[str]) -> Votes:
        """Votes of some labelers, from one file. A damaged file is deleted."""
        members = self._groups.get(path.parent.name) or _members(path.parent)
        try:
            votes = self._memory.get(path) or Votes.load(path)
            chosen = [members.index(mark) for mark in fingerprints]
            if len(votes.names) != len(members):
                raise BadFile(f"{path} does not hold what its folder says")
        except (BadFile, ValueError):
            path.unlink(missing_ok=True)
            raise BadFile(f"{path} is damaged") from None
        if self.in_memory:
            self._memory[path] = votes
        return votes if chosen == list(range(len(members))) else votes[:, chosen]

    def path(self, fingerprints: Sequence[str], part: str) -> Path:
        """The file for the votes of these labelers on a part."""
        return self.folder / digest(list(fingerprints))[:32] / f"{part}.parquet"

    def save(self, fingerprints: Sequence[str], part: str, votes: Votes) -> Path:
        path = self.path(fingerprints, part)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not (path.parent / MEMBERS).exists():
            write_json(path.parent / MEMBERS, list(fingerprints))
        votes.save(path)
        if self.in_memory:
            self._memory[path] = votes
        return path

    def remove(self, fingerprints: Iterable[str]) -> None:
        gone = set(fingerprints)
        for group, members in self.groups().items():
            if gone.intersection(members):
                shutil.rmtree(self.folder / group, ignore_errors=True)

    def sweep(self) -> None:
        """Delete drafts that a killed run left."""
        for folder in self.folder.glob("*"):
            sweep(folder)

    def prune(self, used: Iterable[str], *, most: int = 200) -> None:
        """Delete groups of labelers that are not in use, but for the latest `most`: an edit is often undone."""
        current = set(used)
        old = [self.folder / group for group, members in self.groups().items() if not current.intersection(members)]
        old.sort(key=lambda one: one.stat().st_mtime_ns, reverse=True)
        for one in old[most:]:
            shutil.rmtree(one, ignore_errors=True)
        unused = {one.name for one in old}
        self._memory = {path: votes for path, votes in self._memory.items() if path.parent.name not in unused}


def _members(folder: Path) -> list[str]:
    """Fingerprints of the labelers of a group; none if the list cannot be read."""
    return list(read_json(folder / MEMBERS) or ())
