"""Digests: what a result was made from, as one word that changes when any of it does."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from shortlist.engines.pickling import MAKER
from shortlist.errors import BadFile
from shortlist.project.kept.state import write_json

SETTLED = 2_000_000_000  # nanoseconds after which a file that changes again is sure to get another time stamp


def digest(*parts: Any) -> str:
    """One word for plain data; `MAKER` is part of it, since another version may do otherwise."""
    text = json.dumps([MAKER, *parts], sort_keys=True, ensure_ascii=True, default=_plain)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return ["a set", sorted(value)]
    return [type(value).__name__, repr(value)]


def file_digest(path: Path) -> str:
    """The content of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read ({error.strerror})") from error


class Look(NamedTuple):
    """What changes when a file is written to (size, time stamp, inode), and when that was looked at."""

    stamp: list[int]
    now: int


def look(path: Path) -> Look:
    """A file as it is now."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    return Look([found.st_size, found.st_mtime_ns, found.st_ino], time.time_ns())


class Digests:
    """Digests of files, remembered for as long as size, time stamp and inode stay the same.

    As in git's index, a digest is not trusted when the file had just been written at the time it was taken: a later
    change within the grain of the time stamp would go unseen.
    """

    def __init__(self, memory: Path) -> None:
        self.memory = memory
        self._known: dict[str, list[Any]] = _read(memory)
        self._changed = False
        self._seen: dict[str, str] = {}

    def look_again(self) -> None:
        """From now on, files may have changed. Until then, what was seen first is what counts."""
        self._seen.clear()

    def of(self, path: Path, *, again: bool = False) -> str:
        """The digest of a file's content, as it was when it was first asked for; or again, as it is."""
        name = str(path.absolute())
        if again or name not in self._seen:
            self._seen[name] = self._of(path, name)
        return self._seen[name]

    def unknown(self, paths: Iterable[Path]) -> list[Path]:
        """The files whose content has to be read to know it."""
        return [path for path in paths if self._remembered(path, look(path)) is None]

    def learn(self, path: Path, content: str, before: Look) -> str:
        """Remember the content of a file, as it was when it was looked at."""
        self._seen[str(path.absolute())] = content
        if before.stamp[1] < before.now - SETTLED:
            self._known[str(path.absolute())] = [*before.stamp, content]
            self._changed = True
        return content

    def _remembered(self, path: Path, now: Look) -> str | None:
        name = str(path.absolute())
        known = self._known.get(name)
        if name in self._seen:
            return self._seen[name]
        return str(known[3]) if known and known[:3] == now.stamp else None

    def _of(self, path: Path, name: str) -> str:
        before = look(path)
        known = self._known.get(name)
        if known and known[:3] == before.stamp:
            return str(known[3])
        return self.learn(path, file_digest(path), before)

    def save(self) -> None:
        """Remember them for the next time; a folder that cannot be written to is no reason to fail."""
        if self._changed and self.memory.parent.is_dir():
            write_json(self.memory, dict(sorted(self._known.items())))
            self._changed = False


def _read(path: Path) -> dict[str, list[Any]]:
    """What was remembered; a damaged file is forgotten."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    whole = isinstance(found, dict) and all(isinstance(v, list) and len(v) == 4 for v in found.values())
    return found if whole else {}
