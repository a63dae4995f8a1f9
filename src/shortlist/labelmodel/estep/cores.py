"""Cores: how many this process may use, and who uses them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any


def available_cores() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products keep to the thread that asks for them: blocks of rows are what runs side by side."""
    blas = _blas()
    if blas is None:
        yield
        return
    with blas.limit(limits=1, user_api="blas"):
        yield


@cache
def _blas() -> Any:
    if find_spec("threadpoolctl") is None:  # it comes with scikit-learn; the estimation itself does without
        return None
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
