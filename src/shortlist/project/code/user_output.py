"""User output: the first lines that the code of users prints are shown beside the results, the others are counted."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import Any

SHOWN = 5  # lines: a print() in a labeler is called on every row
Excerpt = tuple[str, int]  # output of a worker: the first lines, and the number of lines


class UserOutput:
    """Replaces standard output; in all else it is the stream that it writes to."""

    def __init__(self, to: Any) -> None:
        self.to = to
        self.lines = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.to, name)

    def write(self, text: str) -> int:
        """Write the first lines; everything under a debugger."""
        for line in text.splitlines(keepends=True):
            if self.lines < SHOWN or sys.gettrace() is not None:
                self.to.write(line)
            self.lines += line.endswith("\n")
        return len(text)


@contextlib.contextmanager
def printing() -> Iterator[None]:
    """Send standard output to standard error: its first lines, and the number of the others."""
    printed: Any = UserOutput(sys.stderr)
    try:
        with contextlib.redirect_stdout(printed):
            yield
    finally:
        more = printed.lines - SHOWN
        if more > 0 and sys.gettrace() is None:
            which = "1 more line was" if more == 1 else f"{more:,} more lines were"
            printed.to.write(f"… {which} printed by labelers; to read all of them, print to a file\n")


@contextlib.contextmanager
def gathered() -> Iterator[list[Excerpt]]:
    """Collect the output in another process than `printing()`, to be handed there. An error shows it at once."""
    excerpts: list[Excerpt] = []
    text = io.StringIO()
    printed: Any = UserOutput(text)
    try:
        with contextlib.redirect_stdout(printed):
            yield excerpts
    except BaseException:
        sys.stderr.write(text.getvalue())
        raise
    excerpts.append((text.getvalue(), printed.lines))


def hand_over(excerpt: Excerpt) -> None:
    """Show the output of a worker with that of this process."""
    if isinstance(sys.stdout, UserOutput):
        first, total = excerpt
        sys.stdout.write(first)
        sys.stdout.lines += total - first.count("\n")
