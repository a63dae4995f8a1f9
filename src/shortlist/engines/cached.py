"""Functions that remember what they found, `@cache` and `@lru_cache`, on their way to other processes."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

Cached = type(functools.cache(len))  # the class of such functions: functools gives it no public name


def reduced_cached(function: Any) -> str | tuple[Any, ...]:
    """`@cache` and `@lru_cache` functions as pickle is to keep them: by name, or with their code where that is needed.

    What they remember stays behind, so a model that such a function loads is loaded once by each worker.
    """
    name = str(function.__qualname__)
    if getattr(sys.modules.get(function.__module__), name, None) is function:
        return name
    return _cached, (function.__wrapped__, function.cache_parameters())


def _cached(function: Callable[..., Any], how: Mapping[str, Any]) -> Any:
    return functools.lru_cache(**how)(function)
