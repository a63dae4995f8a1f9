"""Engine: maps a function over pieces of work. It knows nothing of labels.

The engines of this machine are here: processes for Python code and threads for NumPy. Another engine (a cluster's) is
another class with `workers` and `map`; nothing else changes.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pickle import PicklingError
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

from shortlist.errors import ShortlistError
from shortlist.wording import did_you_mean

Work = TypeVar("Work")
Result = TypeVar("Result")
Pieces: TypeAlias = Iterable[tuple[int, Work]]  # (id, piece)
Results: TypeAlias = Generator[tuple[int, Result]]  # (id, result)
Handle = TypeVar("Handle")  # of a piece that an engine is working on: a future, a reference


class Engine(Protocol):
    """Runs a function on pieces of work."""

    @property
    def workers(self) -> int:
        """Number of pieces that run at the same time."""

    def map(self, function: Callable[[Work], Result], pieces: Pieces[Work]) -> Results[Result]:
        """(id, result) for every (id, piece): each id once, in the order in which they finish.

        Pieces are drawn as they are needed, so that a stream is never held whole. The function is sent once to each
        worker, the pieces one by one. An error of the function ends the map. A function may have an attribute `gpus`:
        the number of GPUs a worker needs for each piece.
        """


class Cluster(ABC):
    """An engine that is started and closed, `with Dask(workers=2) as engine`, and has workers on other machines."""

    elsewhere = True

    @abstractmethod
    def close(self) -> None:
        """End what was started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def is_elsewhere(engine: Engine) -> bool:
    """True for an engine with an attribute `elsewhere`: its workers may be on other machines.

    Such workers get the locations of rows, and read and write files themselves.
    """
    return bool(getattr(engine, "elsewhere", False))


def ordered(engine: Engine, function: Callable[[Work], Result], pieces: Iterable[Work]) -> Generator[Result]:
    """The results in the order of the pieces. Of several errors, the first in that order is raised."""
    waiting: dict[int, Result | Failed] = {}
    following = 0
    with closing(engine.map(Catching(function), enumerate(pieces))) as results:
        for number, result in results:
            waiting[number] = result
            while following in waiting:
                following += 1
                yield unwrapped(waiting.pop(following - 1))


class WorkerError(Exception):
    """Carries the traceback of another process, as text."""


@dataclass(frozen=True)
class Failed:
    """An error that came back like a result, and its traceback as text."""

    error: Exception
    trace: str


def unwrapped(result: Result | Failed) -> Result:
    """The result of a piece; its error is raised, with the traceback of the other process where it comes from one."""
    if not isinstance(result, Failed):
        return result
    if result.error.__traceback__ is not None:
        raise result.error
    raise result.error from WorkerError(result.trace)


@dataclass(frozen=True)
class Catching(Generic[Work, Result]):
    """A function whose errors come back like results."""

    function: Callable[[Work], Result]

    @property
    def gpus(self) -> float:
        return float(getattr(self.function, "gpus", 0))

    def parts_to_pickle(self) -> Iterable[tuple[str, object]]:
        """The parts of the function by name, for an error that says which of them cannot be pickled."""
        return getattr(self.function, "parts_to_pickle", tuple)()

    def __call__(self, piece: Work) -> Result | Failed:
        try:
            return self.function(piece)
        except Exception as error:
            return Failed(error, "".join(traceback.format_exception(error)))


class InFlight(Generic[Work, Handle]):
    """Pieces that an engine is working on: drawn as they are needed, handed over by `begin`, listed in `running`."""

    def __init__(self, begin: Callable[[Work], Handle], pieces: Pieces[Work]) -> None:
        self.begin, self._source = begin, iter(pieces)
        self.running: dict[Handle, tuple[int, Work]] = {}

    def fill(self, workers: int) -> bool:
        """Begin pieces until there are two a worker, so that none waits for its next. False once all are done."""
        for number, piece in islice(self._source, max(0, 2 * workers - len(self.running))):
            self.start(number, piece)
        return bool(self.running)

    def start(self, number: int, piece: Work) -> None:
        """Begin a piece, or begin it again after it got lost."""
        self.running[self.begin(piece)] = number, piece

    def land(self, handle: Handle) -> tuple[int, Work]:
        """Remove a piece that is done: (id, piece)."""
        return self.running.pop(handle)


def machine_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def checked_workers(workers: object) -> int:
    """A whole number from 1."""
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ShortlistError(f"workers is a whole number from 1; got {workers!r}")
    return workers


def processes_here(workers: int | None) -> int:
    """Number of processes to start on this machine; by default one a core."""
    return checked_workers(machine_cores() if workers is None else workers)


def share_of_cores(workers: int) -> dict[str, str]:
    """Environment of each of several processes of this machine: polars gets its share of the cores."""
    return {"POLARS_MAX_THREADS": str(max(1, machine_cores() // workers))}


# -- the engines of this machine, and every engine by its name ---------------------------------------------

ENGINES = ("local", "dask", "ray", "spark")
CachedFunction = type(functools.cache(len))  # functools gives it no public name


class Local:
    """One process, or several. They are started afresh, never forked, since polars keeps threads."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = checked_workers(workers)

    def map(self, function: Callable[[Work], Result], pieces: Pieces[Work]) -> Results[Result]:
        """(id, result) as they finish; in the order of the pieces where there is one worker."""
        if self.workers == 1:
            return ((number, function(piece)) for number, piece in pieces)
        return self._shared(function, pieces)

    def _shared(self, function: Callable[[Work], Result], pieces: Pieces[Work]) -> Results[Result]:
        """(id, result) of several workers."""
        from joblib.externals.loky import get_reusable_executor
        from joblib.externals.loky.backend.reduction import register

        register(CachedFunction, reduce_cached)
        # Not joblib.Parallel: stopping it early kills its processes, and its own thread may stumble over that.
        pool = get_reusable_executor(self.workers, initializer=_end_with, initargs=(os.getpid(),))
        try:
            yield from as_they_finish(pool, self.workers, function, pieces)
        except PicklingError as error:
            raise ShortlistError(
                f"what the labelers use cannot be sent to other processes ({error.__cause__ or error}): "
                "make it where it is used, or ask for workers=1"
            ) from error


def _end_with(parent: int) -> None:
    """Let a worker end when the process that started it was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    if os.name != "nt":  # where the number of the parent stays
        threading.Thread(target=watch, name="parent", daemon=True).start()


class Threads(Local):
    """Threads of this process, for work of NumPy or polars, which runs in parallel."""

    def _shared(self, function: Callable[[Work], Result], pieces: Pieces[Work]) -> Results[Result]:
        with ThreadPoolExecutor(self.workers) as pool:
            yield from as_they_finish(pool, self.workers, function, pieces)


def as_they_finish(
    pool: Executor, workers: int, function: Callable[[Work], Result], pieces: Pieces[Work]
) -> Results[Result]:
    """(id, result) as they finish. Closed early, it cancels the pieces that have not begun."""
    in_flight: InFlight[Work, Future[Result]] = InFlight(lambda piece: pool.submit(function, piece), pieces)
    try:
        while in_flight.fill(workers):
            for future in wait(in_flight.running, 0.2, FIRST_COMPLETED).done:
                number, _piece = in_flight.land(future)
                yield number, future.result()
    finally:
        for future in in_flight.running:
            future.cancel()


def make_engine(kind: str, address: str | None = None, workers: int | None = None, **options: Any) -> Engine:
    """An engine by its name. Without an address, processes of this machine are started."""
    if kind not in ENGINES:
        raise ShortlistError(f"{kind!r} is no engine.{did_you_mean(kind, ENGINES)} Engines: {', '.join(ENGINES)}")
    if kind == "local":
        if address is not None:
            raise ShortlistError(f"the engine local works on this machine: leave the address {address!r} out")
        return Local(1 if workers is None else workers)
    engine: Engine = getattr(import_module(f"shortlist.engines.{kind}"), kind.capitalize())(address, workers, **options)
    return engine


def chosen_engine(engine: Engine | None, workers: int) -> Engine:
    """The engine, or so many processes of this machine; both together are an error."""
    if engine is None:
        return Local(workers)
    if workers != 1:
        raise ShortlistError(f"engine and workers={workers} were both given: workers=n is short for engine=Local(n)")
    return engine


def reduce_cached(function: Any) -> str | tuple[Any, ...]:
    """Pickle a `@cache` or `@lru_cache` function: by name, or with its code where workers cannot import it.

    Its cached values are left out, so a model that such a function loads is loaded once by each worker.
    """
    name = str(function.__qualname__)
    if getattr(sys.modules.get(function.__module__), name, None) is function:
        return name
    return _cached, (function.__wrapped__, function.cache_parameters())


def _cached(function: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)
