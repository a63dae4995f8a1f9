"""Progress: a bar on standard error, for those who ask for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(show: bool, what: str = "training") -> Iterator[Callable[[float], None] | None]:
    """A function to call with the share that is done, or None where no bar is wanted."""
    if not show:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
