"""The engines of this machine: processes for Python code, threads for NumPy."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from pickle import PicklingError

from shortlist.engines.cached import Cached, reduced_cached
from shortlist.engines.engine import Engine, Result, Work, checked_workers
from shortlist.engines.flight import Flight
from shortlist.errors import ShortlistError


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
    flight: Flight[Work, Future[Result]] = Flight(lambda piece: pool.submit(function, piece), pieces)
    try:
        while flight.fill(workers):
            for future in wait(flight.running, return_when=FIRST_COMPLETED).done:
                number, _piece = flight.land(future)
                yield number, future.result()
    finally:
        for future in flight.running:
            future.cancel()
