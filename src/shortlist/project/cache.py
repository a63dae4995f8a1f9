"""Cache: files in .shortlist: records of stages, digests of files, the history of runs, and the lock of the folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from shortlist.engines.pickling import MAKER
from shortlist.errors import BadFile

HIDDEN = ".shortlist"  # the folder of all caches; it can be deleted at any time
FORMAT = 1  # of state.json and history.json
_DRAFT = re.compile(r"^\..+\.[0-9a-f]{32}\.tmp$")


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, replaced in one step. (`archive.atomic` would import numpy.)"""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        draft.write_text(json.dumps(value, indent=1) + "\n", "utf-8")
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        error.filename = str(path)
        raise


def read_json(path: Path) -> Any:
    """The content of a JSON file; None if it is missing or damaged."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def sweep(folder: Path, idle: float = 0.0) -> None:
    """Delete drafts that a killed run left. Without the lock of who writes there, only those `idle` seconds old."""
    for path in folder.glob(".*.tmp") if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            if _DRAFT.match(path.name) and time.time() - path.stat().st_mtime >= idle:
                path.unlink()


@dataclass(frozen=True)
class StageRecord:
    """A stage that was done: the hash of its inputs, its output files with their digests, and what it found."""

    key: str
    outputs: dict[str, str] = field(default_factory=dict)  # path within the project → digest
    reads: list[str] = field(default_factory=list)  # other files that it was seen to read
    facts: dict[str, Any] = field(default_factory=dict)


class State:
    """Records of stages, in state.json. A file that is missing or damaged counts as "nothing was done yet"."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: dict[str, StageRecord] = {}
        content = read_json(path)
        with suppress(LookupError, TypeError, AttributeError):
            if content["format"] == FORMAT:
                self.records = {stage: StageRecord(**record) for stage, record in content["stages"].items()}

    def keep(self, stage: str, record: StageRecord) -> None:
        """Record that a stage was done; on disk in one step."""
        self.records[stage] = record
        stages = {name: asdict(one) for name, one in sorted(self.records.items())}
        write_json(self.path, {"format": FORMAT, "stages": stages})


def digest(*parts: Any) -> str:
    """Hash of plain data and of the version of shortlist (`MAKER`), since another version may work differently."""
    text = json.dumps([MAKER, *parts], sort_keys=True, ensure_ascii=True, default=_plain)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return ["a set", sorted(value)]
    return [type(value).__name__, repr(value)]


def file_digest(path: Path) -> str:
    """Hash of the content of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read ({error.strerror})") from error


class Look(NamedTuple):
    """Size, time stamp and inode of a file, and when they were read."""

    stamp: list[int]
    now: int


def look(path: Path) -> Look:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    return Look([status.st_size, status.st_mtime_ns, status.st_ino], time.time_ns())


class Digests:
    """Digests of files, cached for as long as size, time stamp and inode stay the same.

    As in git's index, a digest is not cached if the file had just been written when it was taken: a later change
    within the resolution of the time stamp would not be seen.
    """

    def __init__(self, memory: Path) -> None:
        self.memory = memory
        cached = read_json(memory)
        whole = isinstance(cached, dict) and all(isinstance(v, list) and len(v) == 4 for v in cached.values())
        self._cached: dict[str, list[Any]] = cached if whole else {}
        self._changed = False
        self._seen: dict[str, str] = {}

    def look_again(self) -> None:
        """Allow for changed files from now on. Until then, the first digest of each file counts."""
        self._seen.clear()

    def of(self, path: Path, *, again: bool = False) -> str:
        """Digest of a file as it was when first asked for; with `again`, as it is."""
        name = str(path.absolute())
        if again or name not in self._seen:
            now = look(path)
            self._seen[name] = self._remembered(name, now) or self.learn(path, file_digest(path), now)
        return self._seen[name]

    def unknown(self, paths: Iterable[Path]) -> list[Path]:
        """Files that have to be read to know their digest."""
        names = ((path, str(path.absolute())) for path in paths)
        return [path for path, name in names if name not in self._seen and not self._remembered(name, look(path))]

    def learn(self, path: Path, content: str, before: Look) -> str:
        """Store the digest of a file, as it was when it was looked at."""
        name = str(path.absolute())
        self._seen[name] = content
        if before.stamp[1] < before.now - 2_000_000_000:  # nanoseconds: a later write is sure to get another time stamp
            self._cached[name] = [*before.stamp, content]
            self._changed = True
        return content

    def _remembered(self, name: str, now: Look) -> str | None:
        cached = self._cached.get(name)
        return str(cached[3]) if cached and cached[:3] == now.stamp else None

    def save(self) -> None:
        if self._changed and self.memory.parent.is_dir():
            write_json(self.memory, dict(sorted(self._cached.items())))
            self._changed = False


Figures = dict[str, float]  # shares of gold rows that are right, by method; "covered": of all rows with a vote


@dataclass(frozen=True)
class Run:
    """The figures of one run, and what has to be equal for two runs to be compared.

    gold_rows, gold_voted   rows with a known class, and those of them with a vote
    """

    figures: Figures
    gold_rows: int = 0
    gold_voted: int = 0


class History:
    """The runs so far, the latest at the end. A file that cannot be read counts as none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: list[Run] = []
        content = read_json(path)
        with suppress(LookupError, TypeError, AttributeError):
            if content["format"] == FORMAT:
                self.runs = [Run(**run) for run in content["runs"]]

    def add(self, run: Run, *, most: int = 200) -> None:
        """Add a run, of which the latest `most` are kept; on disk in one step."""
        self.runs = [*self.runs, run][-most:]
        write_json(self.path, {"format": FORMAT, "runs": [asdict(run) for run in self.runs]})

    @property
    def change(self) -> dict[str, tuple[float, float]]:
        """Figure → its value one run before and now, if these differ."""
        if len(self.runs) < 2:
            return {}
        before, now = (run.figures for run in self.runs[-2:])
        both = {name: (before[name], new) for name, new in now.items() if name in before}
        return {name: (old, new) for name, (old, new) in both.items() if round(old, 3) != round(new, 3)}

    @property
    def other_gold(self) -> str:
        """Note that the last two runs were scored on different numbers of gold rows; empty if not."""
        if len(self.runs) < 2:
            return ""
        before, now = self.runs[-2:]
        counts = {"gold rows": (before.gold_rows, now.gold_rows)}
        counts["gold rows with a vote"] = before.gold_voted, now.gold_voted
        return next((f"{old:,} → {new:,} {what}" for what, (old, new) in counts.items() if old != new), "")


@contextmanager
def locked(path: Path, waiting: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a folder; while another process holds it, call `waiting` once with its number, and wait."""
    with path.open("a+", encoding="utf-8") as file:
        if not _take(file):
            file.seek(0)
            waiting(file.read().strip() or "unknown")
            while not _take(file):
                time.sleep(0.1)
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _take(file: IO[str]) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(1 << 20)  # a byte nobody reads, so that the owner's number can be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
