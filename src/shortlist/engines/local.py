"""The engine on this machine: one process, or several."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pickle import PicklingError
from typing import TypeVar

from shortlist.errors import ShortlistError

Work = TypeVar("Work")
Result = TypeVar("Result")


class Local:
    """Maps a function over pieces of work, and gives the results back in the order of the pieces.

    Several workers are processes, started afresh (never forked, since polars keeps threads). Pieces are drawn
    as they are needed, so that a stream is never held whole.
    """

    def __init__(self, workers: int = 1) -> None:
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ShortlistError(f"workers is a whole number from 1; got {workers!r}")
        self.workers = workers

    def map(self, function: Callable[[Work], Result], pieces: Iterable[Work]) -> Iterator[Result]:
        if self.workers == 1:
            return map(function, pieces)
        return self._shared(function, pieces)

    def _shared(self, function: Callable[[Work], Result], pieces: Iterable[Work]) -> Iterator[Result]:
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self.workers, return_as="generator", max_nbytes=None, pre_dispatch="2*n_jobs")
        results = parallel(delayed(_caught)(function, piece) for piece in pieces)
        try:
            for result in results:
                if isinstance(result, _Error):
                    raise result.error from WorkerError(result.trace)
                yield result
        except PicklingError as error:
            raise ShortlistError(
                f"what the labelers use cannot be sent to other processes ({error.__cause__ or error}): "
                "make it where it is used, or ask for workers=1"
            ) from error
        finally:  # whoever stops early knows that work under way is given up: joblib need not warn of it
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.close()


class WorkerError(Exception):
    """Carries the traceback of another process, as text."""


@dataclass(frozen=True)
class _Error:
    error: Exception
    trace: str


def _caught(function: Callable[[Work], Result], piece: Work) -> Result | _Error:
    """Errors come back like results, so that the first one in the order of the pieces is the one raised."""
    try:
        return function(piece)
    except Exception as error:
        return _Error(error, "".join(traceback.format_exception(error)))
