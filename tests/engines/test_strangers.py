"""Clusters that we start are ours alone: they listen on 127.0.0.1, and refuse whoever lacks the secret."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.clusters import started

DASK = """
import sys
from distributed import Client, Security
address, security = sys.argv[1], Security.temporary() if sys.argv[2] == "other" else None
address = address if security else address.replace("tls://", "tcp://")
with Client(address, timeout=5, security=security, set_as_default=False) as client:
    client.run_on_scheduler(print)
"""
RAY = """
import os, sys
if sys.argv[2] == "other":
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64}
import ray
import ray._private.ray_constants as constants
constants.ENABLE_RAY_CLUSTER = False
ray.init(address=sys.argv[1], logging_level="ERROR", log_to_driver=False)
ray.get(ray.remote(print).remote())
"""


def processes(root):
    """A process and all that it started."""
    below = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == root:
            below += processes(int(folder.name))
    return [root, *below]


def listening():
    """The addresses on which this process and its children listen, in hexadecimal."""
    sockets = set()
    for process in processes(os.getpid()):
        for number in Path(f"/proc/{process}/fd").glob("*"):
            try:
                sockets.add(os.readlink(number))
            except OSError:
                continue
    lines = [
        line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]
    ]
    return {line[1].split(":")[0] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets}


def stranger(script, address, kind):
    command = [sys.executable, "-c", script, address, kind]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_a_stranger_is_refused(kind):
    with started(kind) as engine:
        assert dict(engine.map(abs, [(1, -1), (2, -2)])) == {1: 1, 2: 2}
        addresses = listening()
        assert addresses  # 127.0.0.1 of IPv4, also as IPv6 writes it, and ::1
        assert addresses <= {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
        address = engine.client.scheduler.address if kind == "dask" else engine._context.address_info["gcs_address"]
        for secret in ("none", "other"):
            ended = stranger(DASK if kind == "dask" else RAY, address, secret)
            assert ended.returncode != 0, ended.stdout
        assert dict(engine.map(abs, [(1, -1)])) == {1: 1}
