"""The engines of this machine, processes for Python code and threads for NumPy; and every engine by its name."""

from __future__ import annotations

import functools
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from importlib import import_module
from pickle import PicklingError
from typing import Any

from shortlist.engines.engine import Engine, InFlight, Pieces, Result, Results, Work, checked_workers
from shortlist.errors import ShortlistError
from shortlist.wording import did_you_mean

ENGINES = ("local", "dask", "ray", "spark")
CachedFunction = type(functools.cache(len))  # functools gives it no public name


class _Pool(ABC):
    def __init__(self, workers: int = 1) -> None:
        self.workers = checked_workers(workers)

    def map(self, function: Callable[[Work], Result], pieces: Pieces[Work]) -> Results[Result]:
        """(id, result) as they finish; in the order of the pieces where there is one worker."""
        if self.workers == 1:
            return ((number, function(piece)) for number, piece in pieces)
        return self._shared(function, pieces)

    @abstractmethod
    def _shared(self, function: Callable[[Work], Result], pieces: Pieces[Work]) -> Results[Result]:
        """(id, result) of several workers."""


class Local(_Pool):
    """One process, or several. They are started afresh, never forked, since polars keeps threads."""

    def _shared(self, function: Callable[[Work], Result], pieces: Pieces[Work]) -> Results[Result]:
        from joblib.externals.loky import get_reusable_executor
        from joblib.externals.loky.backend.reduction import register

        register(CachedFunction, reduce_cached)
        # Not joblib.Parallel: stopping it early kills its processes, and its own thread may stumble over that.
        try:
            yield from as_they_finish(get_reusable_executor(self.workers), self.workers, function, pieces)
        except PicklingError as error:
            raise ShortlistError(
                f"what the labelers use cannot be sent to other processes ({error.__cause__ or error}): "
                "make it where it is used, or ask for workers=1"
            ) from error


class Threads(_Pool):
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
