"""Progress: bars and status lines on standard error, or a callback in their place; and how work is stopped."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Advance: TypeAlias = Callable[[int], None]  # called with the number of rows that were done since the last call
Tell: TypeAlias = Callable[[str], None]  # called with one line

# Called by work that takes long, now and then; it raises if nobody waits for the result any more
still_wanted: ContextVar[Callable[[], None]] = ContextVar("still_wanted", default=lambda: None)


def silent(_line: str) -> None:
    """Tell nobody."""


@contextmanager
def progress_count(progress: bool | Advance | None, what: str, total: int | None = None) -> Iterator[Advance]:
    """A function to call with the number of rows that were done.

    progress   True for a bar, False for none, None for a bar on a terminal only, or a callback
    total      number of all rows, where it is known
    """
    if callable(progress):
        yield progress
        return
    if not _is_shown(progress):
        yield lambda _more: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.advance(task, more)


@contextmanager
def progress_lines(progress: bool | Tell | None) -> Iterator[Tell]:
    """A function to call with a line that replaces the one before.

    progress   True to show it on standard error, False not to, None on a terminal only, or a callback
    """
    if callable(progress):
        yield progress
        return
    if not _is_shown(progress):
        yield silent
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), transient=sys.stderr.isatty(), refresh_per_second=4) as live:
        yield lambda line: live.update(Text(line))


def time_left(started: float, done: float) -> str:
    """ ", about 20 s left", by the share of the work that is done since `started` (time.monotonic); "" at its begin."""
    seconds = time.monotonic() - started
    if done < 0.05 or seconds < 1:
        return ""
    left = seconds * max(1 / done - 1, 0)
    return f", about {left:.0f} s left" if left < 90 else f", about {left / 60:.0f} min left"


def _is_shown(progress: bool | None) -> bool:
    return sys.stderr.isatty() if progress is None else progress


@contextmanager
def progress_share(progress: bool | Tell, what: str = "training") -> Iterator[Callable[[float], None]]:
    """A function to call with the share that is done, shown as a line: `training: 40%, about 20 s left`."""
    started = time.monotonic()
    with progress_lines(progress) as tell:
        yield lambda share: tell(f"{what}: {share:.0%}{time_left(started, share) if share < 1 else ''}")
