"""Printed: what the code of users prints. The first lines are shown beside the results, the others are counted."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

SHOWN = 5  # lines: a print() in a labeler is called on every row
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Excerpt(NamedTuple):
    """What was printed in a worker: the first lines, and how many there were."""

    first: str
    total: int


class Printed:
    """Takes the place of standard output; in all else it is the stream that it writes to."""

    def __init__(self, to: Any) -> None:
        self.to = to
        self.lines = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.to, name)

    def write(self, text: str) -> int:
        """A debugger shows all it has to say."""
        everything = sys.gettrace() is not None
        for line in _LINE.findall(text):
            if everything or self.lines < SHOWN:
                self.to.write(line)
            self.lines += line.endswith("\n")
        return len(text)

    def add(self, excerpt: Excerpt) -> None:
        """Take in what was printed elsewhere."""
        self.write(excerpt.first)
        self.lines += excerpt.total - excerpt.first.count("\n")

    def end(self) -> None:
        """Say how many lines were left out."""
        more = self.lines - SHOWN
        if more > 0 and sys.gettrace() is None:
            which = "1 more line was" if more == 1 else f"{more:,} more lines were"
            self.to.write(f"… {which} printed by labelers; to read all of them, print to a file\n")


@contextlib.contextmanager
def printing() -> Iterator[None]:
    """What is printed inside does not mix with output: it goes to standard error, and not all of it."""
    printed: Any = Printed(sys.stderr)
    try:
        with contextlib.redirect_stdout(printed):
            yield
    finally:
        printed.end()


@contextlib.contextmanager
def gathered() -> Iterator[list[Excerpt]]:
    """In another process than `printing()`: what is printed inside, to be handed there. An error shows it at once."""
    found: list[Excerpt] = []
    if isinstance(sys.stdout, Printed):
        yield found
        return
    text = io.StringIO()
    printed: Any = Printed(text)
    try:
        with contextlib.redirect_stdout(printed):
            yield found
    except BaseException:
        sys.stderr.write(text.getvalue())
        raise
    found.append(Excerpt(text.getvalue(), printed.lines))


def hand_over(excerpt: Excerpt) -> None:
    """Show what was gathered elsewhere with what is printed here."""
    if isinstance(sys.stdout, Printed):
        sys.stdout.add(excerpt)
