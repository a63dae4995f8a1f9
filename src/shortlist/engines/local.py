"""The engines of this machine: processes for Python code, threads for NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pickle import PicklingError

from shortlist.engines.engine import Engine, Result, Work, checked_workers
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
        from joblib import Parallel, delayed

        parallel = Parallel(
            n_jobs=self.workers, return_as="generator_unordered", max_nbytes=None, pre_dispatch="2*n_jobs"
        )
        results = parallel(delayed(_numbered)(function, number, piece) for number, piece in pieces)
        try:
            for numbered in results:  # noqa: UP028  `yield from` would close them before the warning is silenced
                yield numbered
        except PicklingError as error:
            raise ShortlistError(
                f"what the labelers use cannot be sent to other processes ({error.__cause__ or error}): "
                "make it where it is used, or ask for workers=1"
            ) from error
        finally:  # whoever stops early knows that work under way is given up: joblib need not warn of it
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.close()


def chosen_engine(engine: Engine | None, workers: int) -> Engine:
    """The engine that was given, or so many processes of this machine."""
    if engine is None:
        return Local(workers)
    if workers != 1:
        raise ShortlistError(f"engine and workers={workers} were both given: workers=n is short for engine=Local(n)")
    return engine


def _numbered(function: Callable[[Work], Result], number: int, piece: Work) -> tuple[int, Result]:
    return number, function(piece)


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
        source = iter(pieces)
        with ThreadPoolExecutor(self.workers) as pool:
            running: set[Future[tuple[int, Result]]] = set()
            while True:
                for number, piece in islice(source, 2 * self.workers - len(running)):
                    running.add(pool.submit(_numbered, function, number, piece))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
