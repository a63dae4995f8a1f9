"""Progress: bars on standard error, and whoever else wants to know how far the work is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[[int], None]  # called with how many more are done
Tell: TypeAlias = Callable[[str], None]  # called with one line


@contextmanager
def counted(progress: bool | Advance | None, what: str, total: int | None = None) -> Iterator[Advance]:
    """A function to call with how many more are done.

    progress   True for a bar, False for none, None for a bar on a terminal only, or a function that is told instead
    total      how many there are, where that is known
    """
    if callable(progress):
        yield progress
        return
    if not (sys.stderr.isatty() if progress is None else progress):
        yield lambda _more: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.advance(task, more)


@contextmanager
def live_line(progress: bool | Advance | None) -> Iterator[Tell | None]:
    """A function to call with a line that takes the place of the one before; None where nobody watches.

    progress   as in `counted`; a function is told numbers, and no lines
    """
    if callable(progress) or not (sys.stderr.isatty() if progress is None else progress):
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), transient=sys.stderr.isatty(), refresh_per_second=4) as live:
        yield lambda line: live.update(Text(line))


@contextmanager
def told_lines(progress: bool | Tell | None) -> Iterator[Tell]:
    """A function to call with a line that takes the place of the one before.

    progress   True to show it on standard error, False not to, None on a terminal only, or a function that is told
    """
    if callable(progress):
        yield progress
        return
    with live_line(progress) as tell:
        yield tell or (lambda _line: None)


@contextmanager
def progress_bar(show: bool | Tell, what: str = "training") -> Iterator[Callable[[float], None] | None]:
    """A function to call with the share that is done, or None where no bar is wanted.

    show   whether there is a bar, or a function that is told a line instead
    """
    if callable(show):
        yield lambda share: show(f"{what}: {share:.0%}")
        return
    if not show:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
