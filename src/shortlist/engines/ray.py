"""Ray: pieces as core tasks of a Ray cluster (`pip install '.[ray]'`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from typing import Any

from shortlist.engines.engine import InFlight, Lasting, Result, Work, gpus_of, opened, processes_here, share_of_cores
from shortlist.engines.pickling import Packed
from shortlist.errors import PieceLost, ShortlistError, require

RETRIES = 3  # of a piece whose worker or node goes away
STORE = 256 << 20  # bytes of the object store of a cluster that is started here: what travels is small


class Ray(Lasting):
    """Workers of a Ray cluster.

    address   of a cluster, "ray://10.0.0.1:10001" or "auto"; without it, one is started on this machine and ended,
              unless `ray.init` was called before: that one is used, and left alone
    workers   how many processes are started where there is no address
    """

    elsewhere = True

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self.ray: Any = require("ray", extra="ray")
        self._own = not self.ray.is_initialized()
        self._alone = self._own and address is None
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
        """(id, result) as they finish. A piece whose worker or node is killed is begun again, and counts once.

        Where an error ends the map, pieces that Ray has been given end with the cluster; in one that stays, they are
        still done. They are not cancelled: `ray.cancel` of a piece that ends at that moment takes the whole process
        down ("Tried to complete task that was not pending"; seen in Ray 2.60, though #54798 was to mend it).
        """
        ray, sent = self.ray, self.ray.put(Packed.of(function))
        how = {"num_cpus": 1, "num_gpus": self._gpus(gpus_of(function)), "max_retries": RETRIES}
        task = ray.remote(max_calls=0, **how)(_run)  # 0: a process does many pieces, with a GPU too, and loads once
        in_flight: InFlight[Work, Any] = InFlight(lambda piece: task.remote(sent, piece), pieces)
        while in_flight.fill(self.workers):
            (done, *_), _ = ray.wait(list(in_flight.running), num_returns=1)
            number, _piece = in_flight.land(done)
            yield number, self._result(done, number)

    def _gpus(self, wanted: float) -> float | None:
        """So many are reserved for each piece. A cluster may add nodes that have them; this machine cannot."""
        if wanted and self._alone and self.ray.cluster_resources().get("GPU", 0) < wanted:
            raise ShortlistError(
                f"a labeler asks for {wanted:g} GPUs, and Ray finds fewer on this machine: give the address of a "
                "cluster that has them, or leave gpus out of the labeler"
            )
        return wanted or None

    def _result(self, reference: Any, number: int) -> Any:
        """What a piece gave, or the error it ended with."""
        errors = self.ray.exceptions
        try:
            return opened(self.ray.get(reference))
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError) as error:
            raise PieceLost("its worker was killed each time it was begun", number=number) from error

    def close(self) -> None:
        """End what was started."""
        if self._own:
            self.ray.shutdown()


def _run(packed: Packed, piece: Any) -> Any:
    return packed(piece)


def _local(workers: int | None) -> dict[str, Any]:
    """Processes of this machine, which share its cores: a cluster of their own, whatever else of Ray runs here."""
    count = processes_here(workers)
    here = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {
        "address": "local",
        "num_cpus": count,
        "include_dashboard": False,
        "object_store_memory": STORE,
        "runtime_env": {"env_vars": {**share_of_cores(count), **here}},
    }
