"""Engine: where pieces of work run. It maps a function over pieces, and knows nothing of labels.

Another engine (a cluster's) is another class with `workers` and `map`; nothing else changes.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Generic, NoReturn, Protocol, Self, TypeVar

from shortlist.errors import ShortlistError

Work = TypeVar("Work")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs a function on pieces of work."""

    @property
    def workers(self) -> int:
        """How many pieces run at the same time."""

    def map(
        self, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
    ) -> Generator[tuple[int, Result]]:
        """(id, result) for every (id, piece): each id once, in the order in which they finish.

        Pieces are drawn as they are needed, so that a stream is never held whole. The function travels once to each
        worker, the pieces one by one. What the function raises ends the map. A function may have an attribute `gpus`:
        so many GPUs a worker needs for each piece.
        """


class Lasting:
    """An engine that is started and ended: `with Dask(workers=2) as engine`."""

    def close(self) -> None:
        """End what was started."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def is_elsewhere(engine: Engine) -> bool:
    """Whether its workers may be on other machines. They are told where rows are, and read and write files themselves.

    An engine says so by an attribute `elsewhere`.
    """
    return bool(getattr(engine, "elsewhere", False))


def ordered(engine: Engine, function: Callable[[Work], Result], pieces: Iterable[Work]) -> Generator[Result]:
    """The results in the order of the pieces. Of several errors, the first in that order is the one raised."""
    waiting: dict[int, Result | Failed] = {}
    following = 0
    with closing(engine.map(Catching(function), enumerate(pieces))) as results:
        for number, result in results:
            waiting[number] = result
            while following in waiting:
                found = opened(waiting.pop(following))
                following += 1
                yield found


class WorkerError(Exception):
    """Carries the traceback of another process, as text."""


@dataclass(frozen=True)
class Failed:
    """An error that came back like a result."""

    error: Exception
    trace: str

    def throw(self) -> NoReturn:
        """Raise it; where it comes from another process, with what was its traceback there."""
        if self.error.__traceback__ is not None:
            raise self.error
        raise self.error from WorkerError(self.trace)


@dataclass(frozen=True)
class Catching(Generic[Work, Result]):
    """A function whose errors come back like results."""

    function: Callable[[Work], Result]

    @property
    def gpus(self) -> float:
        return gpus_of(self.function)

    def travellers(self) -> Iterable[tuple[str, object]]:
        """What it holds, by name, for an error that says what cannot travel."""
        return getattr(self.function, "travellers", tuple)()

    def __call__(self, piece: Work) -> Result | Failed:
        try:
            return self.function(piece)
        except Exception as error:
            return Failed(error, "".join(traceback.format_exception(error)))


def gpus_of(function: object) -> float:
    """How many GPUs a worker needs for a piece."""
    return float(getattr(function, "gpus", 0))


def opened(result: Result | Failed) -> Result:
    """What a piece gave; the error that it ended with is raised."""
    if isinstance(result, Failed):
        result.throw()
    return result


def machine_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_workers(workers: object) -> int:
    """A whole number from 1."""
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ShortlistError(f"workers is a whole number from 1; got {workers!r}")
    return workers


def processes_here(workers: int | None) -> int:
    """How many processes are started on this machine: as many as it has cores, where nobody says."""
    return checked_workers(machine_cores() if workers is None else workers)


def share_of_cores(workers: int) -> dict[str, str]:
    """What tells polars in each of several processes of this machine how many threads it may have."""
    return {"POLARS_MAX_THREADS": str(max(1, machine_cores() // workers))}


# -- pieces in flight ------------------------------------------------------------------------------------


Handle = TypeVar("Handle")  # by which an engine knows a piece that it was given: a future, a reference


class InFlight(Generic[Work, Handle]):
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
