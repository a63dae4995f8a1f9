"""ScoreStore: a cache of the scores of language models, in one SQLite file.

The key of a score is a hash of the model, the choices and the filled prompt. Margins, answer maps and calibration are
not part of it, so they change without a call. Every answer is written as it arrives, so a killed run loses none.

Several processes may use the file at a time. A process claims a score before it asks for it, so that no other asks for
the same. A claim ends when the answer is written, when its process has ended, or after ten minutes.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadFile
from shortlist.models.cost import Price
from shortlist.models.language_model import Answer, Prompt

SCORES_FILE = "scores.db"
_VERSION = 1


@dataclass
class Spent:
    """Calls, tokens, money and results of the prompts of one model and one labeler."""

    model: str
    labeler: str
    calls: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    characters: int = 0  # of the prompts, to know how many of them make a token
    money: float = 0.0
    answered: int = 0
    refused: int = 0
    outside: int = 0
    too_long: int = 0
    failed: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def add(self, prompt: str, answer: Answer, price: Price | None) -> None:
        """Count one more answer."""
        self.calls += answer.calls
        self.retries += answer.retries
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out
        self.characters += len(prompt) if answer.tokens_in else 0
        self.money += price.of(answer.tokens_in, answer.tokens_out) if price else 0.0
        result = answer.why.replace(" ", "_") or "answered"
        setattr(self, result, getattr(self, result) + 1)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


_COUNTS = [field.name for field in fields(Spent) if field.name not in ("model", "labeler")]
_COLUMNS = ", ".join(f"{name} {'REAL' if name == 'money' else 'INTEGER'} DEFAULT 0" for name in _COUNTS)
_TABLES = f"""
CREATE TABLE IF NOT EXISTS format (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, scores BLOB NOT NULL, why TEXT NOT NULL, how TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS protocols (model TEXT PRIMARY KEY, protocols TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS claims (key BLOB PRIMARY KEY, process INTEGER NOT NULL, since REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
    model TEXT, labeler TEXT, {_COLUMNS}, PRIMARY KEY (model, labeler)
) WITHOUT ROWID
"""


def total_spent(parts: Iterable[Spent], model: str) -> Spent:
    """The sum of several `Spent` of a model."""
    total = Spent(model, "")
    for part in parts:
        for name in _COUNTS:
            setattr(total, name, getattr(total, name) + getattr(part, name))
    return total


class Keys:
    """The keys of prompts, for one model and one list of choices."""

    def __init__(self, model: str, choices: Sequence[str]) -> None:
        head = json.dumps([_VERSION, model, list(choices)])
        self._head = hashlib.blake2b(head.encode("utf-8") + b"\0", digest_size=16)

    def of(self, prompt: Prompt | str) -> bytes:
        """The key of one prompt."""
        key = self._head.copy()
        key.update(prompt.encode("utf-8", "surrogatepass"))
        if prompt.__class__ is not str and prompt.image is not None:  # type: ignore[union-attr]
            key.update(b"\0image\0" + hashlib.blake2b(prompt.image).digest())  # type: ignore[union-attr]
        return key.digest()


class ScoreStore:
    """The scores in a file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"mmap_size={1 << 30}"):
                self._file.execute(f"PRAGMA {pragma}")
            self._make_tables()
        except (sqlite3.Error, OSError) as error:
            raise BadFile(f"cannot be used to keep scores in ({error})", file=str(path)) from error

    def _make_tables(self) -> None:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            for statement in _TABLES.split(";"):
                self._file.execute(statement)
            version = self._file.execute("SELECT version FROM format").fetchone()
            if version is None:
                self._file.execute("INSERT INTO format VALUES (?)", (_VERSION,))
        finally:
            self._file.execute("COMMIT")
        if version is not None and version[0] > _VERSION:
            raise BadFile(
                f"was written by a newer shortlist (format {version[0]}; this one reads {_VERSION})",
                file=str(self.path),
            )

    def __del__(self) -> None:
        with suppress(AttributeError, sqlite3.Error):  # it could not be opened, or belongs to another thread
            self._file.close()

    # -- scores ----------------------------------------------------------------------------------------

    def read(self, keys: Sequence[bytes], c: int) -> tuple[Floats, list[str | None]]:
        """((n, c) scores, why there is no answer): "" for an answer, None (and NaN) for what is not stored."""
        stored = {key: (blob, why) for key, blob, why in self._select("key, scores, why", keys)}
        missing = np.full(c, np.nan).tobytes(), None
        pairs = [stored.get(key, missing) for key in keys]
        scores = np.frombuffer(b"".join(blob for blob, _ in pairs), np.float64).reshape(len(keys), c)
        return scores, [why for _, why in pairs]

    def reasons(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Key → why there is no answer ("": there is one), for the keys that are stored."""
        return dict(self._select("key, why", keys))

    def _select(self, columns: str, keys: Sequence[bytes], at_once: int = 5_000) -> list[Any]:
        ordered = sorted(set(keys))  # neighbours lie on the same page of the file
        rows: list[Any] = []
        for start in range(0, len(ordered), at_once):
            part = ordered[start : start + at_once]
            query = f"SELECT {columns} FROM scores WHERE key IN ({','.join('?' * len(part))})"
            rows += self._file.execute(query, part).fetchall()
        return rows

    def __contains__(self, key: bytes) -> bool:
        """True if a score is stored, perhaps by another process a moment ago."""
        return self._file.execute("SELECT 1 FROM scores WHERE key = ?", (key,)).fetchone() is not None

    def add(self, answers: Sequence[tuple[bytes, Answer]], spent: Spent) -> None:
        """Write answers, and what they cost. Failed ones are not stored: they are asked again another time."""
        rows = [(key, a.scores.astype(np.float64).tobytes(), a.why, a.how) for key, a in answers if a.why != "failed"]
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?)", rows)
        self.release(key for key, _ in answers)
        self._file.execute("INSERT OR IGNORE INTO spent (model, labeler) VALUES (?, ?)", (spent.model, spent.labeler))
        sums = ", ".join(f"{name} = {name} + ?" for name in _COUNTS)
        amounts = [getattr(spent, name) for name in _COUNTS]
        self._file.execute(
            f"UPDATE spent SET {sums} WHERE model = ? AND labeler = ?", (*amounts, spent.model, spent.labeler)
        )
        self._file.execute("COMMIT")

    # -- claims ----------------------------------------------------------------------------------------

    def claim(self, key: bytes) -> bool:
        """Claim a score, unless another process that is alive has done so."""
        now, process = time.time(), os.getpid()
        claim = self._file.execute("INSERT OR IGNORE INTO claims VALUES (?, ?, ?)", (key, process, now))
        if claim.rowcount == 1:
            return True
        other = self._file.execute("SELECT process, since FROM claims WHERE key = ?", (key,)).fetchone()
        if other is None:
            return False  # its answer has just been written
        if other[0] != process and now - other[1] < 600.0 and _alive(other[0]):  # process numbers are used again
            return False
        change = "UPDATE claims SET process = ?, since = ? WHERE key = ? AND process = ? AND since = ?"
        return self._file.execute(change, (process, now, key, *other)).rowcount == 1

    def release(self, keys: Iterable[bytes]) -> None:
        """End claims."""
        self._file.executemany("DELETE FROM claims WHERE key = ?", [(key,) for key in keys])

    # -- models ----------------------------------------------------------------------------------------

    def spent(self, model: str | None = None) -> list[Spent]:
        """The cost so far, one line for each model and labeler."""
        query = f"SELECT model, labeler, {', '.join(_COUNTS)} FROM spent"
        where = "" if model is None else " WHERE model = ?"
        lines = self._file.execute(f"{query}{where} ORDER BY model, labeler", () if model is None else (model,))
        return [Spent(*line) for line in lines]

    def protocols(self, model: str) -> list[Any]:
        """The protocols that a model supports, as plain data; empty if that was not tried."""
        stored = self._file.execute("SELECT protocols FROM protocols WHERE model = ?", (model,)).fetchone()
        return [] if stored is None else list(json.loads(stored[0]))

    def set_protocols(self, model: str, protocols: Sequence[Any]) -> None:
        """Store the protocols that a model supports."""
        self._file.execute("INSERT OR REPLACE INTO protocols VALUES (?, ?)", (model, json.dumps(list(protocols))))


def _alive(process: int) -> bool:
    """True if a process of this machine runs, or if that cannot be found out."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


_open = threading.local()


def open_scores(path: str | os.PathLike[str]) -> ScoreStore:
    """Open a file of scores: once for each thread of each process, and again if the file was replaced."""
    stores: dict[tuple[str, int], tuple[ScoreStore, int]] = _open.__dict__.setdefault("stores", {})
    name = (os.path.abspath(path), os.getpid())
    if name not in stores or _inode(path) != stores[name][1]:
        store = ScoreStore(path)
        stores[name] = store, _inode(path)
    return stores[name][0]


def _inode(path: str | os.PathLike[str]) -> int:
    """The number of a file on its disk, 0 if there is none."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


@cache
def temporary_scores(process: int) -> Path:
    """The file of scores of this process, for models without one; it is removed when Python ends."""
    folder = tempfile.mkdtemp(prefix=f"shortlist-{process}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / SCORES_FILE
