"""Ray: pieces as core tasks of a Ray cluster (`pip install 'shortlist[ray]'`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Any

from shortlist.engines.engine import Failed, Lasting, Result, Work, checked_workers, machine_cores
from shortlist.engines.travel import Packed
from shortlist.errors import PieceLost, require

RETRIES = 3  # of a piece whose worker or node goes away
STORE = 256 << 20  # bytes of the object store of a cluster that is started here: what travels is small


class Ray(Lasting):
    """Workers of a Ray cluster.

    address   of a cluster, "ray://10.0.0.1:10001" or "auto"; without it, one is started on this machine and ended,
              unless `ray.init` was called before: that one is used, and left alone
    workers   how many processes are started where there is no address
    gpus      how many GPUs a piece takes; 0.5 lets two pieces share one
    """

    elsewhere = True

    def __init__(self, address: str | None = None, workers: int | None = None, *, gpus: float = 0) -> None:
        self.ray: Any = require("ray", extra="ray")
        self.gpus, self._own = gpus, not self.ray.is_initialized()
        if self._own:
            how = {"address": address} if address else _local(workers)
            self._context = self.ray.init(log_to_driver=False, logging_level="ERROR", **how)

    @property
    def workers(self) -> int:
        """How many pieces run at the same time."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    @property
    def dashboard(self) -> str | None:
        """The address of the page that shows what workers do."""
        link = getattr(self._context, "dashboard_url", None) if self._own else None
        return f"http://{link}" if link else None

    def map(
        self, function: Callable[[Work], Result], pieces: Iterable[tuple[int, Work]]
    ) -> Generator[tuple[int, Result]]:
        """(id, result) as they finish. A piece whose worker or node is killed is begun again, and counts once."""
        ray, source = self.ray, iter(pieces)
        task = ray.remote(max_retries=RETRIES, num_cpus=1, num_gpus=self.gpus or None)(_run)
        sent = ray.put(Packed.of(function))
        running: dict[Any, int] = {}
        try:
            while True:
                for number, piece in islice(source, max(0, 2 * self.workers - len(running))):
                    running[task.remote(sent, piece)] = number
                if not running:
                    return
                (done, *_), _ = ray.wait(list(running), num_returns=1)
                number = running.pop(done)
                yield number, self._result(done, number)
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def _result(self, reference: Any, number: int) -> Any:
        """What a piece gave, or the error it ended with."""
        errors = self.ray.exceptions
        try:
            found = self.ray.get(reference)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError) as error:
            raise PieceLost("its worker was killed each time it was begun", number=number) from error
        if isinstance(found, Failed):
            found.throw()
        return found

    def close(self) -> None:
        """End what was started."""
        if self._own:
            self.ray.shutdown()


def _run(packed: Packed, piece: Any) -> Any:
    return packed(piece)


def _local(workers: int | None) -> dict[str, Any]:
    """Processes of this machine, which share its cores."""
    cores = machine_cores()
    count = checked_workers(cores if workers is None else workers)
    threads = {"POLARS_MAX_THREADS": str(max(1, cores // count))}
    here = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {
        "num_cpus": count,
        "include_dashboard": False,
        "object_store_memory": STORE,
        "runtime_env": {"env_vars": {**threads, **here}},
    }
