"""Gate: when the next request may go: not more than so many a minute, and not while the server asks to wait."""

from __future__ import annotations

import random
import threading
import time
from email.utils import parsedate_to_datetime

LONGEST = 60.0  # seconds between two tries, where the server does not say


class Gate:
    """Shared by all threads that ask one server."""

    def __init__(self, per_minute: float | None = None) -> None:
        self.spacing = 60.0 / per_minute if per_minute else 0.0
        self.stop = threading.Event()  # set when nobody should wait any longer
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self) -> None:
        """Until a request may go."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + self.spacing if self.spacing else self._next
        if start > now:
            self.stop.wait(start - now)

    def pause(self, seconds: float) -> None:
        """Nobody asks for so long."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)

    def sleep(self, seconds: float) -> None:
        """Only this one waits."""
        self.stop.wait(seconds)


def backoff(attempt: int, first: float) -> float:
    """Seconds before try number `attempt` (from 1): doubled each time, with jitter."""
    longest: float = min(LONGEST, first * 2 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)


def retry_after(headers: dict[str, str]) -> float | None:
    """Seconds that the server asks to wait, in any of the ways in which servers say it."""
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        said = headers.get(name)
        if said is None:
            continue
        try:
            return max(0.0, float(said) * scale)
        except ValueError:
            pass
        try:
            return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
        except (ValueError, TypeError):
            continue
    return None
