"""Pickling: a function on its way to workers elsewhere. It is packed once, and unpacked once in each process there.

Everything the function holds (labelers, models, tables) and the code of the user's own modules go with it. Shortlist
itself does not: workers have the same version installed.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import io
import sys
import tempfile
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shortlist
from shortlist.engines.engine import CachedFunction, Catching, reduce_cached
from shortlist.errors import CannotTravel, MissingPackage, ShortlistError, require

MAKER = f"shortlist {shortlist.__version__}, Python {sys.version_info.major}.{sys.version_info.minor}"

# State of a worker: the last function, since models are large; and the last modules of users, with their folder
_functions: dict[str, Any] = {}
_folders: dict[str, str | None] = {}


@dataclass(frozen=True)
class Packed:
    """A function as bytes. Called with a piece, it unpacks itself, and returns a result or a `Failed`."""

    key: str
    data: bytes
    sources: Mapping[str, str]  # the user's modules: name of the file → its text
    gpus: float = 0  # that a worker needs for each piece
    maker: str = MAKER

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Packed:
        """Pack a function. An error names the part that cannot be pickled.

        A function may have `sources`, the modules that its code imports while it runs, and `parts_to_pickle()`, pairs
        of a name and an object that it holds.
        """
        sources = dict(getattr(function, "sources", {}))
        try:
            data = to_bytes(function)
        except MissingPackage:
            raise
        except Exception as error:
            raise _cannot_travel(function, error) from error
        key = hashlib.sha256(data + _digest(sources).encode()).hexdigest()
        return cls(key, data, sources, float(getattr(function, "gpus", 0)))

    def __call__(self, piece: Any) -> Any:
        return Catching(self._run)(piece)

    def _run(self, piece: Any) -> Any:
        if self.key not in _functions:
            _functions.clear()
            _functions[self.key] = self._unpacked()
        return _functions[self.key](piece)

    def _unpacked(self) -> Any:
        import pickle

        if self.maker != MAKER:
            raise ShortlistError(f"a worker has {MAKER}, and the work comes from {self.maker}: install the same there")
        make_importable(self.sources)
        return pickle.loads(self.data)


def to_bytes(thing: Any) -> bytes:
    """Pickle an object, with the code of what workers cannot import. The bytes are never written to a file."""
    with io.BytesIO() as file:
        _pickler()(file).dump(thing)
        return file.getvalue()


@functools.cache
def _pickler() -> Any:
    base = require("cloudpickle", extra="dask").CloudPickler
    return type("Pickler", (base,), {"dispatch_table": ChainMap({CachedFunction: reduce_cached}, base.dispatch_table)})


def make_importable(sources: Mapping[str, str]) -> None:
    """Write the user's modules to a folder of this process, once; modules of earlier work are forgotten."""
    key = _digest(sources)
    if key in _folders:
        return
    for folder in filter(None, _folders.values()):
        sys.path.remove(folder)
        for name, module in sys.modules.copy().items():
            if str(getattr(module, "__file__", None) or "").startswith(folder):
                del sys.modules[name]
    _folders.clear()
    _folders[key] = _written(sources, key) if sources else None


def _written(sources: Mapping[str, str], key: str) -> str:
    folder = tempfile.mkdtemp(prefix=f"shortlist-{key[:12]}-")
    for name, text in sources.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    return folder


def _digest(sources: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(sources.items())).encode()).hexdigest()


def _cannot_travel(function: Any, error: Exception) -> CannotTravel:
    """The error that names the part that cannot be pickled."""
    guilty = "the work"
    for name, part in getattr(function, "parts_to_pickle", list)():
        try:
            to_bytes(part)
        except Exception:
            guilty = name
            break
    return CannotTravel(
        f"{guilty} cannot travel to workers elsewhere ({type(error).__name__}: {error}). Make what it uses where it is "
        "used, inside the function, or run without an engine"
    )
