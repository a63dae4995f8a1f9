"""Code: labelers.py, loaded: the labelers it defines, the files it opened, and the places of mistakes."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import traceback
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shortlist
from shortlist.errors import ShortlistError, ShortlistWarning, warnings_as_notes
from shortlist.labelers import Labeler
from shortlist.project.code.source import Source, elements, local_files
from shortlist.project.toml import BadProject


@dataclass(frozen=True)
class Code:
    """labelers.py after it was run."""

    source: Source
    namespace: dict[str, Any]
    made: tuple[Labeler, ...]  # the labelers, as it made them
    labelers: tuple[Labeler, ...]  # the same; those without a name are called as their variables
    modules: tuple[Path, ...]  # files beside it that it imports
    reads: tuple[Path, ...]  # other files it opened while it was loaded
    notes: tuple[str, ...]  # its warnings

    def mistake(self, error: ShortlistError) -> ShortlistError:
        """Return an error of stage 1 with its place in the user's code, if that can be found.

        That is the line of the word that is not a class, or of the labeler or feature that the error is about.
        """
        name, file, line = error.feature or error.labeler, error.file, error.line
        if file is None or line is None:
            file, line = str(self.source.path), None
            if error.word is not None:
                line = self.source.find_text(error.word, name)
            if line is None and name is not None:
                line = self.source.find_definition(name)
        return (
            error
            if line is None
            else BadProject(error.message, **error.facts | {"file": Path(file).name, "line": line})
        )


def load(path: Path) -> Code:
    """Run labelers.py in the folder where it is."""
    source = Source.read(path)
    _check_lost(source)
    modules = local_files(path)
    module = types.ModuleType("labelers")
    module.__file__ = str(path)
    notes: list[str] = []
    with warnings_as_notes(notes, of=ShortlistWarning), importable(path.parent), _opened() as reads:
        _forget(modules)
        sys.modules[module.__name__] = module
        try:
            exec(compile(source.text, str(path), "exec"), module.__dict__)  # the one input that is code
        except (Exception, SystemExit) as error:  # a script that ends with sys.exit() is no end of ours
            raise _failed(error, path, modules) from error
        finally:
            sys.modules.pop(module.__name__, None)  # so that it is pickled with its code, and loaded afresh
            _forget(modules)
    forgotten = [f"{name} is no labeler: to let it vote, write @labeler above it" for name in source.unmarked()]
    opened = tuple(sorted(reads.difference([path, *modules])))
    made = gathered(module.__dict__)
    labelers = named(made, module.__dict__)
    called = {id(one): labeler.name for one, labeler in zip(made, labelers, strict=True)}
    for variable, one in module.__dict__.items():
        if called.get(id(one), variable) != variable in called.values():
            forgotten.append(f"{variable} is called {called[id(one)]!r} here: another labeler is named {variable}")
    return Code(source, module.__dict__, made, labelers, tuple(modules), opened, (*notes, *forgotten))


def _check_lost(source: Source) -> None:
    """Raise if two functions have one name: Python keeps the second, and a labeler would be lost silently."""
    if lost := source.lost_function():
        first, second = lost
        raise BadProject(
            f"two functions are called {first.name!r}, so that of line {first.lineno} is lost: rename one of them",
            labeler=first.name, file=source.path.name, line=second.lineno,
        )  # fmt: skip


def gathered(namespace: dict[str, Any]) -> tuple[Labeler, ...]:
    """Every labeler of a module in the order of definition, or those of the list LABELERS.

    Names that begin with an underscore are left out.
    """
    chosen = namespace.get("LABELERS")
    values = [chosen] if chosen is not None else [v for name, v in namespace.items() if not name.startswith("_")]
    inside = [one for value in values for one in ([value] if isinstance(value, Labeler) else elements(value))]
    return tuple({id(one): one for one in inside if isinstance(one, Labeler)}.values())


def named(labelers: Sequence[Labeler], namespace: dict[str, Any]) -> tuple[Labeler, ...]:
    """The labelers; those without a name get the name of their first variable, unless it is taken."""
    variables: dict[int, str] = {}
    for variable, value in namespace.items():
        if isinstance(value, Labeler) and not variable.startswith("_"):
            variables.setdefault(id(value), variable)
    taken = {one.name for one in labelers if not one.unnamed or id(one) not in variables}
    free = {key: variable for key, variable in variables.items() if variable not in taken}
    return tuple(one.with_default_name(free[id(one)]) if id(one) in free else one for one in labelers)


@contextlib.contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Make modules beside labelers.py importable, here and in workers; send what users print to standard error."""
    here, before, kept = str(folder.resolve()), os.environ.get("PYTHONPATH"), sys.dont_write_bytecode
    sys.path.insert(0, here)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (here, before)))
    sys.dont_write_bytecode = True  # an edit within a second of the last one must be seen
    importlib.invalidate_caches()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path.remove(here)
        sys.dont_write_bytecode = kept
        os.environ.pop("PYTHONPATH", None)
        if before is not None:
            os.environ["PYTHONPATH"] = before


def _forget(modules: Sequence[Path]) -> None:
    files = {str(one) for path in modules for one in (path, path.resolve())}
    for name, module in sys.modules.copy().items():
        if getattr(module, "__file__", None) in files:
            del sys.modules[name]


_listening: list[set[Path]] = []
_hooked = False


@contextlib.contextmanager
def _opened() -> Iterator[set[Path]]:
    """Record the files of users that are opened for reading, by Python's audit events."""
    global _hooked
    if not _hooked:
        sys.addaudithook(_hear)  # cannot be taken away again, so there is one, which is silent at other times
        _hooked = True
    reads: set[Path] = set()
    _listening.append(reads)
    try:
        yield reads
    finally:
        _listening.pop()


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    listening = _listening[-1:]  # another thread may end it meanwhile
    if event != "open" or not listening:
        return
    path, mode, _flags = arguments
    if isinstance(path, (str, os.PathLike)) and (mode is None or "r" in mode or "+" in mode):
        file = Path(os.path.abspath(path))
        if _of_users(file) and file.is_file():
            listening[0].add(file)


def _of_users(path: Path) -> bool:
    """A file that is not part of Python, of a package or of the system."""
    if path.suffix in (".py", ".pyc", ".so") or "site-packages" in path.parts:
        return False
    python = [os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix), sys.prefix, sys.base_prefix]
    roots = [*python, str(Path(shortlist.__file__).parent), "/proc", "/sys", "/dev", "/etc"]
    return not any(path.is_relative_to(root) for root in roots if root != os.sep)


def _failed(error: BaseException, path: Path, modules: Sequence[Path]) -> BadProject:
    if isinstance(error, SyntaxError) and error.filename:
        return BadProject(str(error.msg), file=Path(error.filename).name, line=error.lineno, offset=error.offset)
    what = str(error) if isinstance(error, ShortlistError) else f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    for place in (*reversed(modules), path):
        if lines := [frame.lineno for frame in frames if frame.filename == str(place)]:
            return BadProject(what, file=place.name, line=lines[-1])
    return BadProject(f"{type(error).__name__}: {error}", file=path.name)
