"""Dask: pieces as tasks of a Dask cluster (`pip install 'shortlist[dask]'`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from itertools import islice
from typing import Any

from shortlist.engines.engine import Failed, Result, Work, checked_workers
from shortlist.engines.travel import Packed
from shortlist.errors import PieceLost, ShortlistError, require

TRIES = 4  # how often a piece is begun whose worker goes away


class Dask:
    """Workers of a Dask cluster.

    address   of a scheduler, "tcp://10.0.0.1:8786"; without it, processes of this machine are started and ended
    workers   how many processes are started where there is no address
    client    your own `distributed.Client`, which is left open
    gpus      how many units of the resource "GPU" a piece takes; workers are started with `--resources GPU=1`
    """

    elsewhere = True

    def __init__(
        self, address: str | None = None, workers: int | None = None, *, client: Any = None, gpus: int = 0
    ) -> None:
        distributed = require("distributed", extra="dask")
        self.gpus, self._own = gpus, client is None
        self._cluster = _local_cluster(distributed, workers) if client is None and address is None else None
        self.client = client or distributed.Client(address or self._cluster, set_as_default=False)

    @property
    def workers(self) -> int:
        """How many pieces run at the same time."""
        return sum(self.client.nthreads().values()) or 1

    @property
    def dashboard(self) -> str | None:
        """The address of the page that shows what workers do."""
        link: str | None = self.client.dashboard_link or None
        return link

    def map(
        self, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
    ) -> Generator[tuple[int, Result]]:
        """(id, result) as they finish. A piece whose worker is killed is begun again elsewhere, and counts once."""
        packed, source = Packed.of(function), iter(pieces)
        running: dict[Any, tuple[int, Work, int]] = {}
        distributed = require("distributed", extra="dask")
        sent = self.client.scatter(packed, broadcast=True, hash=False)
        done = distributed.as_completed(loop=self.client.loop)

        def begin(number: int, piece: Work, tries: int = 1) -> None:
            future = self.client.submit(_run, sent, piece, pure=False, resources=self._resources)
            running[future] = (number, piece, tries)
            done.add(future)

        try:
            for number, piece in islice(source, 2 * self.workers):
                begin(number, piece)
            while running:
                future = next(done)
                number, piece, tries = running.pop(future)
                if future.cancelled() and tries < TRIES:  # the packed function was lost with the workers that held it
                    sent = self.client.scatter(packed, broadcast=True, hash=False)
                    begin(number, piece, tries + 1)
                    continue
                result = _result(future, number)
                for more in islice(source, 1):
                    begin(*more)
                yield number, result
        finally:
            self.client.cancel(list(running), force=True)

    @property
    def _resources(self) -> dict[str, int] | None:
        return {"GPU": self.gpus} if self.gpus else None

    def close(self) -> None:
        """End what was started; a client that was handed in stays open."""
        if self._own:
            self.client.close()
            if self._cluster is not None:
                self._cluster.close()

    def __enter__(self) -> Dask:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _run(packed: Packed, piece: Any) -> Any:
    return packed(piece)


def _result(future: Any, number: int) -> Any:
    """What a piece gave, or the error it ended with."""
    if future.status != "finished":
        error = None
        with suppress(Exception):
            error = future.exception(timeout=30)
        if error is not None and type(error).__name__ != "KilledWorker":
            raise ShortlistError(f"Dask could not do a piece of the work: {error}") from error
        raise PieceLost("its worker was killed each time it was begun", number=number) from error
    found = future.result()
    if isinstance(found, Failed):
        found.throw()
    return found


def _local_cluster(distributed: Any, workers: int | None) -> Any:
    """Processes of this machine, which share its cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = checked_workers(cores if workers is None else workers)
    threads = {"POLARS_MAX_THREADS": str(max(1, cores // count))}
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0", env=threads, silence_logs=50
    )
