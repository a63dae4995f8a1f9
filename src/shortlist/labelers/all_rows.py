"""AllRows: all rows at once, for labelers that have something to do before any row is voted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shortlist.progress import Tell
from shortlist.rows import Chunk

Read = Callable[[], tuple[Iterator[Chunk], int | None]]


class AllRows:
    """The rows, to be gone through as often as needed.

    read   the rows from the beginning, and how many there are where that is known
    tell   told how it goes, in one line that replaces the one before; None where nobody watches
    """

    def __init__(self, read: Read, tell: Tell | None = None) -> None:
        self.read, self.tell = read, tell

    def chunks(self) -> Iterator[Chunk]:
        """The rows from the beginning."""
        return self.read()[0]

    @property
    def count(self) -> int | None:
        """How many rows there are, where that is known."""
        return self.read()[1]
