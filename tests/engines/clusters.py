"""Real clusters of several processes on this machine, started by the tests and ended by them."""

from __future__ import annotations

import os
from contextlib import contextmanager

import pytest

from shortlist.engines import Local

CLUSTERS = [
    pytest.param("dask", marks=pytest.mark.slow),
    pytest.param("ray", marks=pytest.mark.slow),
    pytest.param("spark", marks=[pytest.mark.slow, pytest.mark.spark]),
]
ENGINES = ["local", "processes", *CLUSTERS]


@contextmanager
def started(kind: str):
    """An engine of two workers."""
    if kind == "local":
        yield Local(1)
    elif kind == "processes":
        yield Local(2)
    elif kind == "dask":
        from shortlist.engines.dask import Dask

        with Dask(workers=2) as engine:
            yield engine
    elif kind == "ray":
        from shortlist.engines.ray import Ray

        os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
        with Ray(workers=2) as engine:
            yield engine
    else:
        from shortlist.engines.spark import Spark

        with Spark(workers=2) as engine:
            yield engine
