"""Lock: one run at a time in a folder. The lock goes away with its process, however that ends."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_DRAFT = re.compile(r"^\..+\.[0-9a-f]{32}\.tmp$")
PATIENCE = 0.1  # seconds between looks


@contextmanager
def locked(path: Path, waiting: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock, or wait for it after saying once who has it."""
    with path.open("a+", encoding="utf-8") as file:
        told = False
        while not _take(file):
            if not told:
                file.seek(0)
                waiting(file.read().strip() or "unknown")
                told = True
            time.sleep(PATIENCE)
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _take(file: IO[str]) -> bool:
    """Try to take the lock of the operating system, which ends with the process."""
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


def sweep(folder: Path) -> None:
    """Throw away what a killed run left half written. Only for those who hold the lock."""
    for path in folder.glob(".*.tmp") if folder.is_dir() else ():
        if _DRAFT.match(path.name):
            path.unlink(missing_ok=True)
