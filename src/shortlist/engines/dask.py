"""Dask: pieces as tasks of a Dask cluster (extra `dask`)."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

from shortlist.engines.engine import Cluster, InFlight, Pieces, Results, processes_here, share_of_cores, unwrapped
from shortlist.engines.pickling import Packed
from shortlist.errors import PieceLost, ShortlistError, require

Killed = tuple[int, Any, Exception]  # a piece whose worker was killed: its id, the piece, the error of Dask


class Dask(Cluster):
    """Workers of a Dask cluster.

    address   of a scheduler, "tcp://10.0.0.1:8786"; without it, processes of this machine are started and ended
    workers   number of processes to start where there is no address
    client    your own `distributed.Client`, which is left open
    """

    def __init__(self, address: str | None = None, workers: int | None = None, *, client: Any = None) -> None:
        self._dask, self._own = require("distributed", extra="dask"), client is None
        self._count = processes_here(workers)
        self._cluster = _local_cluster(self._dask, self._count) if client is None and address is None else None
        self.client = client or self._dask.Client(address or self._cluster, set_as_default=False)

    @property
    def workers(self) -> int:
        """Number of pieces that run at the same time."""
        return sum(self.client.nthreads().values()) or 1

    @property
    def dashboard(self) -> str | None:
        """Address of the page that shows what workers do."""
        return self.client.dashboard_link or None

    def map(self, function: Callable[[Any], Any], pieces: Pieces[Any]) -> Results[Any]:
        """(id, result) as they finish. A piece whose worker is killed is begun again elsewhere, and counts once.

        Dask suspects all pieces that a killed worker had in hand. Those it gives up are begun once more at the end, one
        by one: only a piece that is killed alone is lost.
        """
        with self._carried(Packed.of(function)) as begin:
            for number, piece, _error in (yield from self._results(InFlight(begin, pieces))):
                for *_piece, error in (yield from self._results(InFlight(begin, [(number, piece)]))):
                    raise PieceLost("its worker was killed each time it was begun", number=number) from error

    def _results(self, in_flight: InFlight[Any, Any]) -> Generator[tuple[int, Any], None, list[Killed]]:
        """(id, result) as pieces end. Returns the pieces whose workers were killed."""
        killed: list[Killed] = []
        try:
            while in_flight.fill(self.workers):
                for future in self._done(list(in_flight.running)):
                    number, piece = in_flight.land(future)
                    try:
                        result = future.result()
                    except CancelledError:  # the result was lost with its worker
                        in_flight.start(number, piece)
                    except self._dask.KilledWorker as error:
                        killed.append((number, piece, error))
                    except Exception as error:
                        raise ShortlistError(f"Dask could not do a piece of the work: {error!r}") from error
                    else:
                        yield number, unwrapped(result)
        finally:
            self.client.cancel(list(in_flight.running), force=True)
        return killed

    def _done(self, futures: Sequence[Any]) -> list[Any]:
        """Futures that are done. If no worker is alive, restart ours and wait 5 minutes for external ones."""
        look, patience, idle = 5.0, 300, 0.0  # seconds
        while True:
            with self.client.as_current(), suppress(TimeoutError, CancelledError):
                self._dask.wait(futures, look, return_when="FIRST_COMPLETED")
            if done := [future for future in futures if future.status not in ("pending", "lost")]:
                return done
            idle = 0 if self.client.nthreads() else idle + look
            if idle and self._cluster is not None:
                self._cluster.scale(self._count)
            elif idle > patience:
                raise ShortlistError(f"the Dask cluster has had no workers for {patience} s: start some, and run again")

    @contextmanager
    def _carried(self, packed: Packed) -> Iterator[Callable[[Any], Any]]:
        """Send the function to every worker, those that start later too. The result begins a piece.

        Workers of a cluster declare their GPUs as resources. Those of this machine share its GPUs.
        """

        class Carrier(self._dask.WorkerPlugin):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                self.packed = packed

        name = f"shortlist-{packed.key[:16]}-{uuid.uuid4().hex[:8]}"
        resources = {"GPU": packed.gpus} if packed.gpus and self._cluster is None else None
        self.client.register_plugin(Carrier(), name=name)
        try:
            yield lambda piece: self.client.submit(_run, name, piece, pure=False, resources=resources)
        finally:
            self.client.unregister_worker_plugin(name)

    def close(self) -> None:
        """Close the client and the cluster that were started here."""
        if self._own:
            self.client.close()
            if self._cluster is not None:
                self._cluster.close()


def _run(name: str, piece: Any) -> Any:
    from distributed import get_worker

    carrier: Any = get_worker().plugins[name]
    return carrier.packed(piece)


def _local_cluster(distributed: Any, count: int) -> Any:
    """Processes of this machine, which share its cores. Only who has their certificate can connect to them."""
    require("cryptography", extra="dask")
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        security=distributed.Security.temporary(), env=share_of_cores(count), silence_logs=50, preload=[__name__],
    )  # fmt: skip


def dask_setup(_worker: Any) -> None:
    """Leave the process group of the terminal when a worker of this machine starts: the driver ends it, not Ctrl-C.

    Ctrl-C goes to the whole group, and polars reacts to it even where Python ignores the signal.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgrp"):
        os.setpgrp()
