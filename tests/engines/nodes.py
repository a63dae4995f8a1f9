"""Clusters of two nodes on this machine, each a process (or some) of its own, of which the tests kill one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress

import psutil

from tests.cli.shell import environment


@contextmanager
def two_nodes(kind, folder, gpus=(0, 0)):
    """(engine, a function that kills one of the nodes). `gpus`: how many each node says it has."""
    with {"dask": _dask, "ray": _ray, "spark": _spark}[kind](folder, gpus) as (engine, kill), engine:
        yield engine, kill


# -- Dask: a scheduler and two workers, as one starts them on machines -----------------------------------


@contextmanager
def _dask(folder, gpus):
    from shortlist.engines.dask import Dask

    file = folder / "scheduler.json"
    with ExitStack() as started:
        started.enter_context(_process("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file))
        until(file.exists)
        how = ("--scheduler-file", file, "--nthreads", "1", "--no-dashboard", "--local-directory", folder)
        workers = [
            started.enter_context(_process("dask_worker", *how, *(("--resources", f"GPU={n}") if n else ())))
            for n in gpus
        ]
        engine = Dask(json.loads(file.read_text())["address"])
        until(lambda: engine.workers == 2)
        yield engine, lambda: os.killpg(workers[0].pid, signal.SIGKILL)


@contextmanager
def _process(command, *options):
    """A command of Dask with all that it starts, until the end."""
    process = subprocess.Popen([sys.executable, "-m", f"distributed.cli.{command}", *map(str, options)],
                               env=environment(), start_new_session=True, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


# -- Ray: two nodes of its own means for tests -----------------------------------------------------------


@contextmanager
def _ray(folder, gpus):
    from ray.cluster_utils import Cluster

    from shortlist.engines.ray import Ray

    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    how = {"num_cpus": 1, "object_store_memory": 100 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**how, "num_gpus": gpus[0]})
    try:
        other = cluster.add_node(num_cpus=1, object_store_memory=100 << 20, num_gpus=gpus[1])
        yield Ray(cluster.address), lambda: cluster.remove_node(other, allow_graceful=False)
    finally:
        cluster.shutdown()


# -- Spark: a master, and executors in processes of their own --------------------------------------------


@contextmanager
def _spark(folder, gpus):
    from shortlist.engines.spark import Spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    engine = Spark("local-cluster[2,1,1024]")
    yield engine, _kill_executor


def _kill_executor():
    """One of the executors among the processes that this one has started."""
    mine = psutil.Process().children(recursive=True)
    executors = [one for one in mine if any("CoarseGrainedExecutorBackend" in word for word in _command(one))]
    executors[0].kill()


def _command(process):
    with suppress(psutil.Error):  # it ended meanwhile
        return process.cmdline()
    return []


def until(what, seconds=200):
    start = time.monotonic()
    while not what():
        assert time.monotonic() - start < seconds
        time.sleep(0.05)
