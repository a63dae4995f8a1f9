"""The engines of this machine: processes for Python code, threads for NumPy."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from importlib import import_module
from pickle import PicklingError
from typing import Any

from shortlist.engines.engine import Engine, InFlight, Result, Work, checked_workers
from shortlist.errors import ShortlistError
from shortlist.wording import did_you_mean


class Local:
    """One process, or several. They are started afresh, never forked, since polars keeps threads."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = checked_workers(workers)

    def map(
        self, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
    ) -> Generator[tuple[int, Result]]:
        """(id, result) as they finish; in the order of the pieces where there is one worker."""
        if self.workers == 1:
            return ((number, function(piece)) for number, piece in pieces)
        return self._shared(function, pieces)

    def _shared(
        self, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
    ) -> Generator[tuple[int, Result]]:
        from joblib.externals.loky import get_reusable_executor
        from joblib.externals.loky.backend.reduction import register

        register(Cached, reduced_cached)
        # Not joblib.Parallel: who stops it early kills its processes, and its own thread may stumble over that.
        try:
            yield from as_they_finish(get_reusable_executor(self.workers), self.workers, function, pieces)
        except PicklingError as error:
            raise ShortlistError(
                f"what the labelers use cannot be sent to other processes ({error.__cause__ or error}): "
                "make it where it is used, or ask for workers=1"
            ) from error


def chosen_engine(engine: Engine | None, workers: int) -> Engine:
    """The engine that was given, or so many processes of this machine."""
    if engine is None:
        return Local(workers)
    if workers != 1:
        raise ShortlistError(f"engine and workers={workers} were both given: workers=n is short for engine=Local(n)")
    return engine


class Threads:
    """Threads of this process: for work that NumPy or polars does, which run side by side."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = checked_workers(workers)

    def map(
        self, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
    ) -> Generator[tuple[int, Result]]:
        """(id, result) as they finish; in the order of the pieces where there is one worker."""
        if self.workers == 1:
            return ((number, function(piece)) for number, piece in pieces)
        return self._shared(function, pieces)

    def _shared(
        self, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
    ) -> Generator[tuple[int, Result]]:
        with ThreadPoolExecutor(self.workers) as pool:
            yield from as_they_finish(pool, self.workers, function, pieces)


def as_they_finish(
    pool: Executor, workers: int, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
) -> Generator[tuple[int, Result]]:
    """(id, result). Who stops early gives up the pieces that have not begun."""
    in_flight: InFlight[Work, Future[Result]] = InFlight(lambda piece: pool.submit(function, piece), pieces)
    try:
        while in_flight.fill(workers):
            for future in wait(in_flight.running, return_when=FIRST_COMPLETED).done:
                number, _piece = in_flight.land(future)
                yield number, future.result()
    finally:
        for future in in_flight.running:
            future.cancel()


# -- engines by name -------------------------------------------------------------------------------------


KINDS = ("local", "dask", "ray", "spark")


def make_engine(kind: str, address: str | None = None, workers: int | None = None, **options: Any) -> Engine:
    """An engine by its name. Processes of this machine are started where no address is given."""
    if kind not in KINDS:
        raise ShortlistError(f"{kind!r} is no engine.{did_you_mean(kind, KINDS)} Engines: {', '.join(KINDS)}")
    if kind == "local":
        if address is not None:
            raise ShortlistError(f"the engine local works on this machine: leave the address {address!r} out")
        return Local(1 if workers is None else workers)
    made = getattr(import_module(f"shortlist.engines.{kind}"), kind.capitalize())
    engine: Engine = made(address, workers, **options)
    return engine


# -- functions that cache --------------------------------------------------------------------------------


Cached = type(functools.cache(len))  # the class of such functions: functools gives it no public name


def reduced_cached(function: Any) -> str | tuple[Any, ...]:
    """`@cache` and `@lru_cache` functions as pickle is to keep them: by name, or with their code where that is needed.

    What they remember stays behind, so a model that such a function loads is loaded once by each worker.
    """
    name = str(function.__qualname__)
    if getattr(sys.modules.get(function.__module__), name, None) is function:
        return name
    return _cached, (function.__wrapped__, function.cache_parameters())


def _cached(function: Callable[..., Any], how: Mapping[str, Any]) -> Any:
    return functools.lru_cache(**how)(function)
