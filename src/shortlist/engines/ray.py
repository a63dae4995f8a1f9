"""Ray: pieces as core tasks of a Ray cluster (extra `ray`)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from shortlist.engines.engine import Cluster, InFlight, Pieces, Results, processes_here, share_of_cores, unwrapped
from shortlist.engines.pickling import Packed
from shortlist.errors import PieceLost, ShortlistError, require


class Ray(Cluster):
    """Workers of a Ray cluster.

    address   of a cluster, "ray://10.0.0.1:10001" or "auto"; without it, one is started on this machine and ended,
              unless `ray.init` was called before: that one is used, and left alone
    workers   number of processes to start where there is no address
    """

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self.ray: Any = require("ray", extra="ray")
        self._own = not self.ray.is_initialized()
        self._alone = self._own and address is None
        if self._own:
            with ExitStack() as stack:
                options = {"address": address} if address else stack.enter_context(_only_here(workers))
                self._context = self.ray.init(log_to_driver=False, logging_level="ERROR", **options)
                stack.callback(self.ray.shutdown)
                self._started = stack.pop_all()

    @property
    def workers(self) -> int:
        """Number of pieces that run at the same time."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    @property
    def dashboard(self) -> str | None:
        """Address of the page that shows what workers do."""
        link = getattr(self._context, "dashboard_url", None) if self._own else None
        return f"http://{link}" if link else None

    def map(self, function: Callable[[Any], Any], pieces: Pieces[Any]) -> Results[Any]:
        """(id, result) as they finish. A piece whose worker or node is killed is begun again, and counts once.

        Where an error ends the map, pieces that Ray has been given end with the cluster; in one that stays, they are
        still done. They are not cancelled: `ray.cancel` of a piece that ends at that moment takes the whole process
        down ("Tried to complete task that was not pending"; seen in Ray 2.60, though #54798 was to mend it).
        """
        ray, packed = self.ray, Packed.of(function)
        sent = ray.put(packed)
        options = {"num_cpus": 1, "num_gpus": self._gpus(packed.gpus), "max_retries": 3}
        task = ray.remote(max_calls=0, **options)(_run)  # 0: a process does many pieces, with a GPU too, and loads once
        in_flight: InFlight[Any, Any] = InFlight(lambda piece: task.remote(sent, piece), pieces)
        while in_flight.fill(self.workers):
            (done, *_), _ = ray.wait(list(in_flight.running), num_returns=1)
            number, _piece = in_flight.land(done)
            yield number, self._result(done, number)

    def _gpus(self, wanted: float) -> float | None:
        """Number of GPUs to reserve for each piece. A cluster may add nodes that have them; this machine cannot."""
        if wanted and self._alone and self.ray.cluster_resources().get("GPU", 0) < wanted:
            raise ShortlistError(
                f"a labeler asks for {wanted:g} GPUs, and Ray finds fewer on this machine: give the address of a "
                "cluster that has them, or leave gpus out of the labeler"
            )
        return wanted or None

    def _result(self, reference: Any, number: int) -> Any:
        errors = self.ray.exceptions
        try:
            return unwrapped(self.ray.get(reference))
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError) as error:
            raise PieceLost("its worker was killed each time it was begun", number=number) from error

    def close(self) -> None:
        """Shut Ray down where it was started here."""
        if self._own:
            self._started.close()


@contextmanager
def _only_here(workers: int | None) -> Iterator[dict[str, Any]]:
    """Options of a cluster that listens on 127.0.0.1, and answers only to processes that have its token."""
    constants: Any = import_module("ray._private.ray_constants")
    raylet: Any = import_module("ray._raylet")
    mode = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    before = {name: os.environ[name] for name in mode if name in os.environ}
    clusters = constants.ENABLE_RAY_CLUSTER  # without them, Ray listens on 127.0.0.1, as on macOS and Windows
    os.environ.update(mode)
    constants.ENABLE_RAY_CLUSTER = False
    _read_environment(raylet)
    try:
        yield _local(workers)
    finally:
        constants.ENABLE_RAY_CLUSTER = clusters
        for name in mode:
            del os.environ[name]
        os.environ.update(before)
        _read_environment(raylet)


def _read_environment(raylet: Any) -> None:
    """Let Ray, which reads its settings when it is imported, read them again."""
    raylet.Config.initialize("")
    raylet.AuthenticationTokenLoader.instance().reset_cache()


def _run(packed: Packed, piece: Any) -> Any:
    return packed(piece)


def _local(workers: int | None) -> dict[str, Any]:
    """Options of a new cluster of processes of this machine, which share its cores."""
    count = processes_here(workers)
    here = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {
        "address": "local",
        "num_cpus": count,
        "include_dashboard": False,
        "object_store_memory": 256 << 20,  # bytes; the function and the pieces are small
        "runtime_env": {"env_vars": {**share_of_cores(count), **here}},
    }
