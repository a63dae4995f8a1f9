"""ScoreStore: a cache of the scores of language models, in one SQLite file.

The key of a score is a hash of the model, the choices and the filled prompt. Margins, answer maps and calibration are
not part of it, so they change without a call. Every answer is written as it arrives, so a killed run loses none.

Several processes may use the file at a time. A process claims a score before it asks for it, so that no other asks for
the same, and sets its cost aside, so that all of them together keep within a budget. A claim ends when the answer is
written, when its process has ended, or after ten minutes.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadFile
from shortlist.models.language_model import Answer, Price

SCORES_FILE = "scores.db"
_VERSION = 1


@dataclass
class Spent:
    """Calls, tokens, money, time and results of the prompts of one model and one labeler."""

    model: str
    labeler: str
    calls: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    characters: int = 0  # of the prompts, to know how many of them make a token
    money: float = 0.0
    seconds: float = 0.0  # while prompts were in flight, several at a time
    answered: int = 0
    refused: int = 0
    outside: int = 0
    too_long: int = 0
    failed: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @property
    def replies(self) -> int:
        """Number of prompts that the model replied to."""
        return self.answered + self.refused + self.outside

    def add(self, prompt: str, answer: Answer, price: Price | None) -> None:
        """Count one more answer."""
        self.calls += 1
        self.retries += answer.retries
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out
        self.characters += len(prompt) if answer.tokens_in else 0
        self.money += price.of(answer.tokens_in, answer.tokens_out) if price else 0.0
        result = answer.why.replace(" ", "_") or "answered"
        setattr(self, result, getattr(self, result) + 1)


_AMOUNTS = [field.name for field in fields(Spent)[2:]]
_TABLES = f"""
CREATE TABLE IF NOT EXISTS format (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, scores BLOB NOT NULL, why TEXT NOT NULL, how TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS in_flight (
    key BLOB PRIMARY KEY, model TEXT, process INTEGER, since REAL, tokens INTEGER, money REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
    model TEXT, labeler TEXT, {", ".join(f"{name} NUMERIC DEFAULT 0" for name in _AMOUNTS)},
    PRIMARY KEY (model, labeler)
) WITHOUT ROWID
"""


def prompt_keys(model: str, choices: Sequence[str]) -> Callable[[str], bytes]:
    """The function that gives the key of a prompt, for one model and one list of choices."""
    head = hashlib.blake2b(json.dumps([_VERSION, model, list(choices)]).encode("utf-8") + b"\0", digest_size=16)

    def key(prompt: str) -> bytes:
        whole = head.copy()
        whole.update(prompt.encode("utf-8", "surrogatepass"))
        return whole.digest()

    return key


class ScoreStore:
    """The scores in a file. Threads may share it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()  # a connection has one transaction at a time
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self.path, timeout=60.0, isolation_level=None, check_same_thread=False)
            with suppress(sqlite3.OperationalError):  # locked: another process does it at this moment
                self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            with self._transaction():
                for statement in _TABLES.split(";"):
                    self._file.execute(statement)
                version = self._file.execute("SELECT version FROM format").fetchone()
                if version is None:
                    self._file.execute("INSERT INTO format VALUES (?)", (_VERSION,))
        except (sqlite3.Error, OSError) as error:
            raise BadFile(f"cannot be used to keep scores in ({error})", file=str(path)) from error
        if version is not None and version[0] > _VERSION:
            newer = f"was written by a newer shortlist (format {version[0]}; this one reads {_VERSION})"
            raise BadFile(newer, file=str(path))

    def __del__(self) -> None:
        with suppress(AttributeError):  # it could not be opened
            self._file.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write all of it or nothing. A damaged file is a BadFile."""
        try:
            with self._lock:
                self._file.execute("BEGIN IMMEDIATE")
                with self._file:
                    yield
        except sqlite3.Error as error:
            message = f"holds scores that cannot be read or written ({error}): delete it, and run again"
            raise BadFile(message, file=str(self.path)) from error

    # -- scores ----------------------------------------------------------------------------------------

    def read(self, keys: Sequence[bytes], c: int) -> Floats:
        """(n, c) scores, NaN for what is not stored."""
        stored = dict(self._select("key, scores", keys, c))
        missing = np.full(c, np.nan).tobytes()
        scores = b"".join(stored.get(key, missing) for key in keys)
        return np.frombuffer(scores, np.float64).reshape(len(keys), c)

    def reasons(self, keys: Sequence[bytes], c: int) -> dict[bytes, str]:
        """Key → why there is no answer ("": there is one), for the keys that are stored with c scores."""
        return dict(self._select("key, why", keys, c))

    def _select(self, columns: str, keys: Sequence[bytes], c: int, at_once: int = 5_000) -> list[Any]:
        ordered = sorted(set(keys))  # neighbours lie on the same page of the file
        rows: list[Any] = []
        for start in range(0, len(ordered), at_once):
            part = ordered[start : start + at_once]
            where = f"length(scores) = {8 * c} AND key IN ({','.join('?' * len(part))})"
            try:
                rows += self._file.execute(f"SELECT {columns} FROM scores WHERE {where}", part).fetchall()
            except sqlite3.Error as error:
                raise BadFile(f"holds scores that cannot be read ({error}): delete it", file=str(self.path)) from error
        return rows

    def add(self, answers: Sequence[tuple[bytes, Answer]], spent: Spent) -> None:
        """Write answers, and what they cost. Failed ones are not stored: they are asked again another time."""
        rows = [(key, a.scores.astype(np.float64).tobytes(), a.why, a.how) for key, a in answers if a.why != "failed"]
        with self._transaction():
            self._file.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)", rows)
            self.release(key for key, _ in answers)
            self._book(spent)

    # -- budgets ---------------------------------------------------------------------------------------

    def spent(self) -> list[Spent]:
        """The cost so far, one line for each model and labeler."""
        query = f"SELECT model, labeler, {', '.join(_AMOUNTS)} FROM spent ORDER BY model, labeler"
        return [Spent(*line) for line in self._file.execute(query)]

    def spent_on(self, model: str) -> Spent:
        """The cost of one model so far, over all processes and labelers."""
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in _AMOUNTS)
        return Spent(model, "", *self._file.execute(f"SELECT {sums} FROM spent WHERE model = ?", (model,)).fetchone())

    def charge(self, spent: Spent, limits: Mapping[str, float]) -> str:
        """Book a cost, unless it exceeds a limit; returns the name of that limit, or an empty text."""
        with self._transaction():
            self._book(spent)
            exceeded = self._exceeded(spent.model, limits)
            if exceeded:
                self._file.rollback()
        return exceeded

    def _book(self, spent: Spent) -> None:
        names = (spent.model, spent.labeler)
        self._file.execute("INSERT OR IGNORE INTO spent (model, labeler) VALUES (?, ?)", names)
        sums = ", ".join(f"{name} = {name} + ?" for name in _AMOUNTS)
        amounts = [getattr(spent, name) for name in _AMOUNTS]
        self._file.execute(f"UPDATE spent SET {sums} WHERE model = ? AND labeler = ?", (*amounts, *names))

    def _exceeded(self, model: str, limits: Mapping[str, float]) -> str:
        """The limit that is exceeded by what was spent and what is set aside, or an empty text."""
        if not limits:
            return ""
        spent, aside = self.spent_on(model), self._claims(model)
        totals = {
            "calls": spent.calls + len(aside),
            "tokens": spent.tokens + sum(tokens for tokens, _ in aside),
            "money": spent.money + sum(money for _, money in aside),
        }
        return next((name for name, limit in limits.items() if totals[name] > limit), "")

    def _claims(self, model: str) -> list[tuple[int, float]]:
        """Tokens and money that are set aside for the prompts in flight of all processes."""
        query = "SELECT process, since, tokens, money FROM in_flight WHERE model = ?"
        return [amounts for process, since, *amounts in self._file.execute(query, (model,)) if _held(process, since)]

    def claim(self, key: bytes, c: int, cost: Spent, limits: Mapping[str, float]) -> str:
        """Claim a score and set its cost aside. Returns an empty text, or why it may not be asked for.

        "stored": its answer is there; "claimed": another process asks for it, or for the first answer of this model,
        which shows what answers cost; else the name of the limit that would be exceeded.
        """
        process = os.getpid()
        with self._transaction():
            if self._select("1", [key], c):
                return "stored"
            other = self._file.execute("SELECT process, since FROM in_flight WHERE key = ?", (key,)).fetchone()
            if other is not None and other[0] != process and _held(*other):
                return "claimed"
            unknown = limits.keys() - {"calls"} and not self.spent_on(cost.model).replies
            if unknown and self._claims(cost.model):
                return "claimed"
            claim = (key, cost.model, process, time.time(), cost.tokens, cost.money)
            self._file.execute("INSERT OR REPLACE INTO in_flight VALUES (?, ?, ?, ?, ?, ?)", claim)
            exceeded = self._exceeded(cost.model, limits)
            if exceeded:
                self._file.rollback()
        return exceeded

    def release(self, keys: Iterable[bytes]) -> None:
        """End claims."""
        self._file.executemany("DELETE FROM in_flight WHERE key = ?", [(key,) for key in keys])


def _held(process: int, since: float) -> bool:
    """True if a claim is younger than ten minutes, and its process runs, as far as that can be found out."""
    if time.time() - since > 600.0:  # process numbers are used again
        return False
    try:
        if os.name != "nt":
            os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


_open: dict[tuple[str, int], tuple[ScoreStore, int]] = {}


def open_scores(path: str | os.PathLike[str]) -> ScoreStore:
    """Open a file of scores: once in each process, and again if the file was replaced."""
    name = (os.path.abspath(path), os.getpid())
    if name not in _open or _inode(path) != _open[name][1]:
        store = ScoreStore(path)
        _open[name] = store, _inode(path)
    return _open[name][0]


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
