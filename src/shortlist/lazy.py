"""Lazy: names of a package that are imported when they are first used (scientific Python's SPEC 1).

Each is listed once, in the stub of the package, where type checkers read it, too.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any


def lazy_names(package: str) -> tuple[Callable[[str], Any], list[str]]:
    """(`__getattr__`, the names) of a package: those that its `__init__.pyi` imports, a line for each."""
    module = sys.modules[package]
    stub: str = module.__spec__.loader.get_data(f"{module.__file__}i").decode()  # type: ignore[union-attr]
    lines = [line.split() for line in stub.splitlines() if line.startswith("from ")]
    home = {name: where for _, where, _, name, *_ in lines}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = vars(module)[name] = getattr(importlib.import_module(home[name]), name)
        return value

    return get, sorted(home)
