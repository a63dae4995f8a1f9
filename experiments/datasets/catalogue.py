"""load() and available(): which sets lie in the data home, and which format each has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

import polars as pl

from experiments.datasets.dataset import ORDER, Dataset, Read
from experiments.datasets.formats import (
    ANSWERS,
    is_matrix,
    is_people,
    read_attributes,
    read_crowd,
    read_matrix,
    read_people,
    read_text,
    read_wrench,
)
from shortlist.errors import BadFile, ShortlistError
from shortlist.wording import did_you_mean

HOME = "SHORTLIST_DATA"
_DEPTH = 4  # how many folders deep `available` looks


def load(name: str, data_home: str | os.PathLike[str] | None = None) -> Dataset:
    """Read a data set by its name, which is its path under the data home."""
    home = _home(data_home)
    found = _find(home, name)
    if found is None:
        raise BadFile(_not_found(home, name))
    read, path = found
    try:
        space, splits = read(path)
    except BadFile:
        raise
    except (ShortlistError, pl.exceptions.PolarsError, OSError, LookupError, TypeError, ValueError) as error:
        raise BadFile(f"data set {name!r} in {path} cannot be read: {error}") from error
    return Dataset(Path(name).as_posix(), space, MappingProxyType(splits))


def available(data_home: str | os.PathLike[str] | None = None) -> list[str]:
    """The names of the data sets in the data home, for `load`."""
    home = _home(data_home)
    return sorted(_names_under(home, home, _DEPTH), key=str.casefold)


def _home(data_home: str | os.PathLike[str] | None) -> Path:
    given = data_home if data_home is not None else os.environ.get(HOME)
    if not given:
        raise BadFile(f"where are the data sets? Set the environment variable {HOME}, or pass data_home=...")
    home = Path(given).expanduser()
    if not home.is_dir():
        raise BadFile(f"the data home {home} is not a folder")
    return home


def _find(home: Path, name: str) -> tuple[Read, Path] | None:
    """How to read a set, and from where; None when nothing under the data home has that name."""
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        return None
    path = home / name
    if path.is_dir():
        return _format(path)
    return _file_format(path)


def _file_format(path: Path) -> tuple[Read, Path] | None:
    """Of a set that is no folder: `path` is that of its file without the suffix; of people, one folder deeper."""
    if _is_pair(path):
        return read_attributes, path
    if is_matrix(path.with_name(path.name + ".npz")):
        return read_matrix, path
    people = path.name in ANSWERS and is_people(path.parent.with_name(path.parent.name + ".csv"))
    return (read_people, path) if people else None


def _format(folder: Path) -> tuple[Read, Path] | None:
    if any(folder.glob("*.jsonl")):
        return read_text, folder
    if (folder / "label.csv").is_file():
        return read_crowd, folder
    if (folder / "label.json").is_file() and any((folder / f"{split}.json").is_file() for split in ORDER):
        return read_wrench, folder
    pairs = [path for path in _files(folder) if _is_pair(path)]
    return (read_attributes, pairs[0]) if len(pairs) == 1 else None


def _is_pair(path: Path) -> bool:
    return all(path.with_name(path.name + suffix).is_file() for suffix in (".npz", ".json"))


def _files(folder: Path) -> list[Path]:
    """The sets that are files of a folder, without their suffixes; answers of people once for each kind."""
    found = [file.with_suffix("") for file in sorted(folder.glob("*.npz"))]
    found += [file.with_suffix("") / kind for file in sorted(folder.glob("*.csv")) for kind in ANSWERS]
    return [path for path in found if _file_format(path)]


def _names_under(folder: Path, home: Path, depth: int) -> Iterator[str]:
    if folder != home and _format(folder):
        yield folder.relative_to(home).as_posix()
        return
    yield from (path.relative_to(home).as_posix() for path in _files(folder))
    for inner in folder.iterdir():
        if depth and inner.is_dir() and not inner.name.startswith("."):
            yield from _names_under(inner, home, depth - 1)


def _not_found(home: Path, name: str) -> str:
    names = available(home)
    if not names:
        return f"there is no data set {name!r}: {home} holds no set in a format that shortlist knows"
    inside = [known for known in names if known.startswith(f"{name}/")]
    hint = f" It is a folder of sets: {', '.join(inside)}." if inside else did_you_mean(name, names)
    return f"there is no data set {name!r} in {home}.{hint} Available: {', '.join(names)}"
