"""KeptScores: the scores of models, in one SQLite file, by the content of what was asked.

The key of a score is a digest of the model, the choices and the filled prompt. Margins, answer maps and calibration are
not part of it, so they change without a call. Every answer is written as it comes, so that a killed run loses none.
Several processes may use the file at a time.
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
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadFile
from shortlist.models.model import Answer, Prompt
from shortlist.prompts.claims import TABLE, Claims
from shortlist.prompts.spent import COUNTS, Spent

FORMAT = 1
NAME = "scores.db"
AT_ONCE = 5_000  # keys in one query
MAPPED = 1 << 30  # bytes of the file that may be read from memory
_TABLES = """
CREATE TABLE IF NOT EXISTS format (version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, scores BLOB NOT NULL, why TEXT NOT NULL, how TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ways (model TEXT PRIMARY KEY, ways TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spent (
    model TEXT, labeler TEXT, calls INTEGER DEFAULT 0, retries INTEGER DEFAULT 0, tokens_in INTEGER DEFAULT 0,
    tokens_out INTEGER DEFAULT 0, characters INTEGER DEFAULT 0, money REAL DEFAULT 0, answered INTEGER DEFAULT 0,
    refused INTEGER DEFAULT 0, outside INTEGER DEFAULT 0, too_long INTEGER DEFAULT 0, failed INTEGER DEFAULT 0,
    PRIMARY KEY (model, labeler)
) WITHOUT ROWID;
"""


class Keys:
    """The keys of prompts, for one model and one list of choices."""

    def __init__(self, model: str, choices: Sequence[str]) -> None:
        head = json.dumps([FORMAT, model, list(choices)])
        self._head = hashlib.blake2b(head.encode("utf-8") + b"\0", digest_size=16)

    def of(self, prompt: Prompt | str) -> bytes:
        """The key of one prompt."""
        found = self._head.copy()
        found.update(prompt.encode("utf-8", "surrogatepass"))
        if prompt.__class__ is not str and prompt.image is not None:  # type: ignore[union-attr]
            found.update(b"\0image\0" + hashlib.blake2b(prompt.image).digest())  # type: ignore[union-attr]
        return found.digest()


class KeptScores:
    """The scores in a file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(f"PRAGMA mmap_size={MAPPED}")
            self._prepare()
            self.claims = Claims(self._file)
        except (sqlite3.Error, OSError) as error:
            raise BadFile(f"cannot be used to keep scores in ({error})", file=str(path)) from error

    def _prepare(self) -> None:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            for statement in (*_TABLES.split(";"), TABLE):
                self._file.execute(statement)
            found = self._file.execute("SELECT version FROM format").fetchone()
            if found is None:
                self._file.execute("INSERT INTO format VALUES (?)", (FORMAT,))
        finally:
            self._file.execute("COMMIT")
        if found is not None and found[0] > FORMAT:
            raise BadFile(
                f"was written by a newer shortlist (format {found[0]}; this one reads {FORMAT})", file=str(self.path)
            )

    def __del__(self) -> None:
        with suppress(AttributeError, sqlite3.Error):  # it could not be opened, or belongs to another thread
            self._file.close()

    # -- scores ----------------------------------------------------------------------------------------

    def read(self, keys: Sequence[bytes], c: int) -> tuple[Floats, list[str | None]]:
        """((n, c) scores, why there is no answer): "" for an answer, None (and NaN) where nothing is known."""
        found = {key: (blob, why) for key, blob, why in self._found("key, scores, why", keys)}
        missing = np.full(c, np.nan).tobytes(), None
        pairs = [found.get(key, missing) for key in keys]
        scores = np.frombuffer(b"".join(blob for blob, _ in pairs), np.float64).reshape(len(keys), c)
        return scores, [why for _, why in pairs]

    def known(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Key → why there is no answer ("": there is one), for those that were asked before."""
        return dict(self._found("key, why", keys))

    def _found(self, columns: str, keys: Sequence[bytes]) -> list[Any]:
        ordered = sorted(set(keys))  # neighbours lie on the same page of the file
        found: list[Any] = []
        for at in range(0, len(ordered), AT_ONCE):
            some = ordered[at : at + AT_ONCE]
            query = f"SELECT {columns} FROM scores WHERE key IN ({','.join('?' * len(some))})"
            found += self._file.execute(query, some).fetchall()
        return found

    def knows(self, key: bytes) -> bool:
        """Whether this was asked before, perhaps by another process a moment ago."""
        return self._file.execute("SELECT 1 FROM scores WHERE key = ?", (key,)).fetchone() is not None

    def keep(self, answers: Sequence[tuple[bytes, Answer]], spent: Spent) -> None:
        """Write answers down, and what they cost. What failed is not kept: it is asked again another time."""
        rows = [(key, a.scores.astype(np.float64).tobytes(), a.why, a.how) for key, a in answers if a.why != "failed"]
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?)", rows)
        self.claims.drop(key for key, _ in answers)
        self._file.execute("INSERT OR IGNORE INTO spent (model, labeler) VALUES (?, ?)", (spent.model, spent.labeler))
        sums = ", ".join(f"{name} = {name} + ?" for name in COUNTS)
        amounts = [getattr(spent, name) for name in COUNTS]
        self._file.execute(f"UPDATE spent SET {sums} WHERE model = ? AND labeler = ?",
                           (*amounts, spent.model, spent.labeler))  # fmt: skip
        self._file.execute("COMMIT")

    # -- what was spent --------------------------------------------------------------------------------

    def spent(self, model: str | None = None) -> list[Spent]:
        """What was spent so far, one line for each model and labeler."""
        query = f"SELECT model, labeler, {', '.join(COUNTS)} FROM spent"
        where = "" if model is None else " WHERE model = ?"
        lines = self._file.execute(f"{query}{where} ORDER BY model, labeler", () if model is None else (model,))
        return [Spent(*line) for line in lines]

    # -- what models can do ----------------------------------------------------------------------------

    def ways(self, model: str) -> list[Any]:
        """How a model can be asked, where that was found out."""
        found = self._file.execute("SELECT ways FROM ways WHERE model = ?", (model,)).fetchone()
        return [] if found is None else list(json.loads(found[0]))

    def keep_ways(self, model: str, ways: Sequence[Any]) -> None:
        self._file.execute("INSERT OR REPLACE INTO ways VALUES (?, ?)", (model, json.dumps(list(ways))))


_open = threading.local()


def open_kept(path: str | os.PathLike[str]) -> KeptScores:
    """The scores in a file, opened once by each thread of each process, and again where the file is another now."""
    files: dict[tuple[str, int], tuple[KeptScores, int]] = _open.__dict__.setdefault("files", {})
    name = (os.path.abspath(path), os.getpid())
    found = files.get(name)
    if found is None or _number(path) != found[1]:
        made = KeptScores(path)
        found = files[name] = (made, _number(path))
    return found[0]


def _number(path: str | os.PathLike[str]) -> int:
    """The number of a file on its disk, 0 where it is gone."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


@cache
def until_python_ends(process: int) -> Path:
    """Where scores are kept that nobody gave a place: a file of this process, gone with it."""
    folder = tempfile.mkdtemp(prefix=f"shortlist-{process}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / NAME
