"""Dask: pieces as tasks of a Dask cluster (`pip install 'shortlist[dask]'`)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from itertools import islice
from typing import Any

from shortlist.engines.engine import Failed, Lasting, Result, Work, checked_workers, machine_cores
from shortlist.engines.travel import Packed
from shortlist.errors import PieceLost, ShortlistError, require

PAUSE, LOOK = 0.01, 5.0  # seconds between looks at what is done, and at the workers
PATIENCE = 300  # seconds for which a cluster may be without workers


class Dask(Lasting):
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
        self._count = checked_workers(machine_cores() if workers is None else workers)
        self._cluster = _local_cluster(distributed, self._count) if client is None and address is None else None
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
        """(id, result) as they finish. A piece whose worker is killed is begun again elsewhere, and counts once.

        Dask suspects all pieces that a killed worker had in hand. Those it gives up are begun once more at the end, one
        by one: only a piece that is killed alone is lost.
        """
        flight, suspects = Flight(self, Packed.of(function)), dict[int, Work]()
        source = iter(pieces)
        try:
            while flight.fill(source, 2 * self.workers):
                number, piece, result = flight.land()
                if isinstance(result, BaseException):
                    suspects[number] = piece
                else:
                    yield number, _found(result)
            for suspect in suspects.items():
                flight.fill(iter([suspect]), 1)
                number, _piece, result = flight.land()
                if isinstance(result, BaseException):
                    raise PieceLost("its worker was killed each time it was begun", number=number) from result
                yield number, _found(result)
        finally:
            flight.cancel()

    def no_workers(self, seconds: float) -> None:
        """Nobody has worked for so long: processes of this machine are started again, those of a cluster awaited."""
        if self._cluster is not None:
            self._cluster.scale(self._count)
        elif seconds > PATIENCE:
            raise ShortlistError(
                f"the Dask cluster has had no workers for {PATIENCE} seconds: start some, and run again"
            )

    def close(self) -> None:
        """End what was started; a client that was handed in stays open."""
        if self._own:
            self.client.close()
            if self._cluster is not None:
                self._cluster.close()


class Flight:
    """Pieces that are under way."""

    def __init__(self, engine: Dask, packed: Packed) -> None:
        self.engine, self.client = engine, engine.client
        self.resources = {"GPU": engine.gpus} if engine.gpus else None
        self.running: dict[Any, tuple[int, Any]] = {}
        self.landed: list[Any] = []
        self.done = require("distributed", extra="dask").as_completed(loop=self.client.loop)
        self.name = f"shortlist-{packed.key[:16]}-{uuid.uuid4().hex[:8]}"
        self.client.register_plugin(_carrier(packed), name=self.name)

    def fill(self, source: Iterator[tuple[int, Any]], most: int) -> bool:
        """Begin more pieces, until so many are under way. Whether there are any."""
        for number, piece in islice(source, max(0, most - len(self.running))):
            self._begin(number, piece)
        return bool(self.running)

    def _begin(self, number: int, piece: Any) -> None:
        future = self.client.submit(_run, self.name, piece, pure=False, resources=self.resources)
        self.running[future] = number, piece
        self.done.add(future)

    def land(self) -> tuple[int, Any, Any]:
        """The next piece that is done: its id, itself, and its result; or an error, where its worker was killed."""
        while True:
            future = self._next()
            number, piece = self.running.pop(future)
            with suppress(CancelledError):  # the result was lost with its worker
                if future.status == "finished":
                    return number, piece, future.result()
            if future.status == "error":
                break
            self._begin(number, piece)
        error = future.exception()
        if type(error).__name__ != "KilledWorker":
            raise ShortlistError(f"Dask could not do a piece of the work: {error}") from error
        return number, piece, error

    def _next(self) -> Any:
        """The next future that is done. Meanwhile, it is looked after the workers."""
        begun = looked = time.monotonic()
        while not self.landed:
            self.landed = self.done.next_batch(block=False)
            now = time.monotonic()
            if not self.landed and now - looked > LOOK:
                looked = now
                if self.client.nthreads():
                    begun = now
                else:
                    self.engine.no_workers(now - begun)
            time.sleep(0 if self.landed else PAUSE)
        return self.landed.pop()

    def cancel(self) -> None:
        self.client.cancel(list(self.running), force=True)
        self.client.unregister_worker_plugin(self.name)


def _carrier(packed: Packed) -> Any:
    """A plugin that brings the function to every worker once, to those that are started later, too."""

    class Carrier(require("distributed", extra="dask").WorkerPlugin):  # type: ignore[misc]
        def __init__(self) -> None:
            self.packed = packed

    return Carrier()


def _run(name: str, piece: Any) -> Any:
    from distributed import get_worker

    carrier: Any = get_worker().plugins[name]
    return carrier.packed(piece)


def _found(result: Any) -> Any:
    """What a piece gave; the error of the function is raised."""
    if isinstance(result, Failed):
        result.throw()
    return result


def _local_cluster(distributed: Any, count: int) -> Any:
    """Processes of this machine, which share its cores."""
    threads = {"POLARS_MAX_THREADS": str(max(1, machine_cores() // count))}
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0", env=threads, silence_logs=50
    )
