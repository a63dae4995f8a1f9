"""Flight: the pieces that are under way at an engine. They are drawn as they are needed, and each counts once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Generic, TypeVar

from shortlist.engines.engine import Work

Handle = TypeVar("Handle")  # by which an engine knows a piece that it was given: a future, a reference


class Flight(Generic[Work, Handle]):
    """Pieces that were handed to an engine by `begin` and are not done; `running` says which."""

    def __init__(self, begin: Callable[[Work], Handle], pieces: Iterable[tuple[int, Work]]) -> None:
        self.begin, self._source = begin, iter(pieces)
        self.running: dict[Handle, tuple[int, Work]] = {}

    def fill(self, workers: int) -> bool:
        """Begin more, until two pieces a worker are under way: who ends one has the next. Whether there are any."""
        for number, piece in islice(self._source, max(0, 2 * workers - len(self.running))):
            self.start(number, piece)
        return bool(self.running)

    def start(self, number: int, piece: Work) -> None:
        """Begin a piece; or begin it again, where it got lost."""
        self.running[self.begin(piece)] = number, piece

    def land(self, handle: Handle) -> tuple[int, Work]:
        """A piece is done: its id, and itself."""
        return self.running.pop(handle)
