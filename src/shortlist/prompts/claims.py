"""Claims: which process asks for which score, so that two that share a file do not ask for the same.

A claim ends when the answer is kept, when its process has ended, or after a while.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable

LASTS = 600.0  # seconds, in case a process number is used again
TABLE = """
CREATE TABLE IF NOT EXISTS claims (key BLOB PRIMARY KEY, process INTEGER NOT NULL, since REAL NOT NULL) WITHOUT ROWID
"""


class Claims:
    """The claims in a file of scores."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file

    def take(self, key: bytes) -> bool:
        """Claim a score, unless another process that is alive has done so."""
        now, process = time.time(), os.getpid()
        claim = self._file.execute("INSERT OR IGNORE INTO claims VALUES (?, ?, ?)", (key, process, now))
        if claim.rowcount == 1:
            return True
        found = self._file.execute("SELECT process, since FROM claims WHERE key = ?", (key,)).fetchone()
        if found is None:
            return False  # its answer has just been kept
        if found[0] != process and now - found[1] < LASTS and _alive(found[0]):
            return False
        change = "UPDATE claims SET process = ?, since = ? WHERE key = ? AND process = ? AND since = ?"
        return self._file.execute(change, (process, now, key, *found)).rowcount == 1

    def drop(self, keys: Iterable[bytes]) -> None:
        """These are answered, or have failed."""
        self._file.executemany("DELETE FROM claims WHERE key = ?", [(key,) for key in keys])


def _alive(process: int) -> bool:
    """Whether a process of this machine runs; where that cannot be told, it does until its claim has lasted."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
