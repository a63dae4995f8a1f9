"""Travel: a function on its way to workers elsewhere. It is packed once, and opened once in each process there.

What the function holds (labelers, models, tables) and the code of the user's own modules go with it. Shortlist itself
does not travel: workers have the same version installed.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import io
import sys
import tempfile
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shortlist
from shortlist.engines.engine import Catching
from shortlist.engines.local import Cached, reduced_cached
from shortlist.errors import CannotTravel, MissingPackage, ShortlistError, require

DEEP = 4  # how far is looked into what cannot travel
MAKER = f"shortlist {shortlist.__version__}, Python {sys.version_info.major}.{sys.version_info.minor}"

_opened: dict[str, Any] = {}  # in a worker: what was opened, by key; the last one only, since models are large
_importable: list[str] = []  # in a worker: of which modules these are
_folders: list[str] = []  # in a worker: where modules of users were written


@dataclass(frozen=True)
class Packed:
    """A function as bytes. Called with a piece, it opens itself where it is, and gives a result or a `Failed`."""

    key: str
    data: bytes
    sources: Mapping[str, str]  # the user's modules: name of the file → its text
    maker: str = MAKER

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Packed:
        """Pack a function. What cannot travel is named.

        A function may have `sources`, the modules that its code imports while it runs, and `travellers()`, pairs of a
        name and something that it holds, so that an error can say whose fault it is.
        """
        sources = dict(getattr(function, "sources", {}))
        try:
            data = to_bytes(function)
        except MissingPackage:
            raise
        except Exception as error:
            raise _cannot_travel(function, error) from error
        key = hashlib.sha256(data + repr(sorted(sources.items())).encode()).hexdigest()
        return cls(key, data, sources)

    def __call__(self, piece: Any) -> Any:
        return Catching(self._run)(piece)

    def _run(self, piece: Any) -> Any:
        if self.key not in _opened:
            _opened.clear()
            _opened[self.key] = self._open()
        return _opened[self.key](piece)

    def _open(self) -> Any:
        import pickle

        if self.maker != MAKER:
            raise ShortlistError(f"a worker has {MAKER}, and the work comes from {self.maker}: install the same there")
        make_importable(self.sources)
        return pickle.loads(self.data)


def to_bytes(thing: Any) -> bytes:
    """Pickled, with the code of what workers cannot import. It goes from process to process, and never to a file."""
    with io.BytesIO() as file:
        _pickler()(file).dump(thing)
        return file.getvalue()


@functools.cache
def _pickler() -> Any:
    usual = require("cloudpickle", extra="dask").CloudPickler
    return type("Pickler", (usual,), {"dispatch_table": ChainMap({Cached: reduced_cached}, usual.dispatch_table)})


def make_importable(sources: Mapping[str, str]) -> None:
    """Write the user's modules to a folder of this process, once; those of earlier work are forgotten."""
    key = hashlib.sha256(repr(sorted(sources.items())).encode()).hexdigest()
    if _importable == [key]:
        return
    _importable[:] = [key]
    for folder in _folders:
        sys.path.remove(folder)
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(folder):
                del sys.modules[name]
    _folders.clear()
    if not sources:
        return
    folder = tempfile.mkdtemp(prefix=f"shortlist-{key[:12]}-")
    for name, text in sources.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    sys.path.insert(0, folder)
    _folders.append(folder)
    importlib.invalidate_caches()


# -- what cannot travel ----------------------------------------------------------------------------------


def _cannot_travel(function: Any, error: Exception) -> CannotTravel:
    """The error that names what cannot, as far down as it can be found."""
    pairs = list(getattr(function, "travellers", lambda: [])()) or [("the function", function)]
    for name, thing in pairs:
        reason = reason_not_to_travel(thing)
        if reason is not None:
            path, why = reason
            inside = f": {' → '.join(path)} in it cannot" if path else ""
            return CannotTravel(
                f"{name} cannot travel to workers elsewhere{inside} ({why}). Make it where it is used, inside the "
                "function, or run without an engine"
            )
    return CannotTravel(f"the work cannot travel to workers elsewhere ({error})")


def reason_not_to_travel(thing: Any, deep: int = DEEP) -> tuple[list[str], str] | None:
    """(names on the way to what cannot be pickled, why), or None where all of it can."""
    try:
        to_bytes(thing)
    except Exception as error:
        for name, part in _inside(thing) if deep else ():
            found = reason_not_to_travel(part, deep - 1)
            if found is not None:
                return [name, *found[0]], found[1]
        return [], f"{type(error).__name__}: {error}"
    return None


def _inside(thing: Any) -> Iterator[tuple[str, Any]]:
    """What an object holds, by name: of a function, what it uses of its module and remembers."""
    function = inspect.unwrap(thing) if callable(thing) and not isinstance(thing, type) else thing
    if inspect.isfunction(function):
        used = inspect.getclosurevars(function)
        yield from {**used.globals, **used.nonlocals}.items()
    elif hasattr(thing, "__dict__") and not isinstance(thing, type):
        yield from vars(thing).items()
    elif isinstance(thing, dict):
        yield from ((repr(key), value) for key, value in thing.items())
    elif isinstance(thing, (list, tuple)):
        yield from ((f"[{place}]", value) for place, value in enumerate(thing))
