"""Parts: the files that a project names, and their rows some at a time, as workers read them wherever they run."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import groupby, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from shortlist.errors import BadFile, ShortlistError
from shortlist.project.cache import HIDDEN, Digests, file_digest, look
from shortlist.project.remote_files import RemoteFiles, is_url
from shortlist.project.settings import Settings
from shortlist.wording import did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from shortlist.engines import Engine
    from shortlist.rows import RowFile

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def data_files(folder: Path, settings: Settings) -> list[Path]:
    """The files that [data] names, in order."""
    return _matching(folder, settings, settings.data.files, "data", "files")


def depended_files(folder: Path, settings: Settings) -> list[Path]:
    """The files that labelers read while they vote, as the settings name them."""
    return _matching(folder, settings, settings.labelers.depends, "labelers", "depends")


def listed_files(path: Path) -> list[Path]:
    """The files in a list of parts, of votes or of labels. (`VoteParts` would import numpy.)"""
    try:
        return [path.parent / part["file"] for part in json.loads(path.read_text("utf-8"))["parts"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise BadFile(f"{path} is no list of parts: {error}") from error


def remove_unlisted(folder: Path, listed: Iterable[str]) -> None:
    """Delete files of parts that are not listed: they are of an earlier run. The list calls them FOLDER/FILE."""
    names = {Path(name).name for name in listed}
    for file in folder.glob("part-*"):
        if file.name not in names:
            file.unlink(missing_ok=True)


def _matching(folder: Path, settings: Settings, names: tuple[str, ...], *path: str) -> list[Path]:
    """Files and patterns as files; a missing one is an error at its line."""
    files: list[Path] = []
    for name in names:
        try:
            matches = RemoteFiles(folder / HIDDEN).files(name) if is_url(name) else _local_matches(folder, name)
        except ShortlistError as error:
            raise settings.toml.wrong(str(error), *path) from error
        files += [match for match in matches if match not in files]
    return files


def _local_matches(folder: Path, name: str) -> list[Path]:
    path = folder / name
    if path.is_dir():
        raise BadFile(f"{name} is a folder; all csv files of it would be {name}/*.csv")
    if path.exists():
        return [path]
    if any(sign in name for sign in "*?["):
        root = Path(path.anchor) if Path(name).is_absolute() else folder
        if matches := sorted(root.glob(str(path.relative_to(root)))):
            return matches
        raise BadFile(f"no file is called {name}")
    beside = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    raise BadFile(f"{name} does not exist.{did_you_mean(path.name, beside)}")


class Part(NamedTuple):
    """Rows `first`, `first + 1`, … of a file, at most `size` of them."""

    place: int  # among all parts of the project
    file: int  # among all files
    source: str  # hash of the content of the file and of how it is read
    number: int  # among the parts of its file
    size: int
    start: int  # the number of its first row among all rows
    rows: int

    @property
    def first(self) -> int:
        """The number of its first row in its file."""
        return self.number * self.size

    @property
    def name(self) -> str:
        """Hash of its content, which is its name in the cache."""
        return f"{self.source[:24]}-{self.size}-{self.number}"


class SourceFile(NamedTuple):
    """A file of rows, as workers are told of it."""

    path: str
    types: dict[str, str]
    dialect: dict[str, str | None]  # separator, encoding and comments of a csv file, if the settings name them
    stamp: tuple[int, int]  # size and time of the last change when its digest was taken


@dataclass(frozen=True)
class PartReader:
    """Reads parts where it runs. It is sent to workers; the rows are not."""

    files: tuple[SourceFile, ...]

    def frames(self, parts: Sequence[Part], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The rows of each part, in ascending order. A parquet file is read from the row asked for."""
        for f, group in groupby(parts, key=lambda part: part.file):
            yield from checked_parts(self.open(f), list(group), columns)
            self.check_unchanged(f)

    def open(self, f: int) -> RowFile:
        from shortlist.rows import RowFile

        path, types, dialect, _stamp = self.files[f]
        return RowFile(path, types, **dialect)

    def check_unchanged(self, f: int) -> None:
        """Raise if a file was written to since its digest was taken: what was read may be of either version."""
        if tuple(look(Path(self.files[f].path)).stamp[:2]) != self.files[f].stamp:
            raise _changed(self.files[f].path)


def checked_parts(file: RowFile, parts: Sequence[Part], columns: Sequence[str] | None) -> Iterator[pl.DataFrame]:
    """The rows of parts of a file; an error if they are not as many as were counted."""
    for part, frame in zip_longest(parts, read_parts(file, parts, columns)):
        if part is None or frame is None or len(frame) != part.rows:
            raise _changed(str(file.path))
        yield frame


def _changed(path: str) -> BadFile:
    return BadFile("changed while it was read: run again", file=Path(path).name)


def read_parts(file: RowFile, parts: Sequence[Part], columns: Sequence[str] | None) -> Iterator[pl.DataFrame]:
    """Some parts of one file. Several are read in one go: of a row group, all is decoded even for a few rows."""
    first, last, wanted = parts[0], parts[-1], {part.number for part in parts}
    if file.kind != "parquet":
        numbered = enumerate(file.batches(columns, first.size))
    elif first is last:  # a stream costs more
        return iter([file.slice(first.first, first.rows, columns)])
    else:
        among = first.first, last.first + last.rows - first.first
        numbered = enumerate(file.batches(columns, first.size, among), first.number)
    return (frame for number, frame in numbered if number in wanted)


def pieces_of(parts: Sequence[Part], whole_files: Collection[int], most: int) -> Iterator[tuple[Part, ...]]:
    """Parts for a worker to do in one go, at most `most` rows; files that are read from their start stay whole."""
    groups = groupby(parts, key=lambda part: (part.file, 0 if part.file in whole_files else part.number))
    return bundles((tuple(group) for _key, group in groups), lambda part: part.rows, most)


def bundles(
    groups: Iterable[Sequence[Thing]], weight: Callable[[Thing], int], most: int
) -> Iterator[tuple[Thing, ...]]:
    """Bundle small things in their order, as many as weigh at most `most` together; a group is not torn."""
    bundle: list[Thing] = []
    total = 0
    for group in groups:
        heavy = sum(map(weight, group))
        if bundle and total + heavy > most:
            yield tuple(bundle)
            bundle, total = [], 0
        bundle += group
        total += heavy
    if bundle:
        yield tuple(bundle)


def digest_files(engine: Engine, digests: Digests, paths: Sequence[Path]) -> None:
    """Add the digests of files to `digests`. Workers of an engine read them: that takes as long as a vote."""
    begun = {str(path.absolute()): look(path) for path in paths}
    for name, content in _each(engine, _digest, {name: one.stamp[0] for name, one in begun.items()}).items():
        digests.learn(Path(name), content, begun[name])


def _digest(name: str) -> str:
    return file_digest(Path(name))


def count_files(engine: Engine, reader: PartReader) -> list[int]:
    """The number of rows of each file, counted by the workers of an engine."""
    sizes = {f: file.stamp[0] for f, file in enumerate(reader.files)}
    counts = _each(engine, partial(_count_rows, reader), sizes)
    return [counts[f] for f in sizes]


def _count_rows(reader: PartReader, f: int) -> int:
    return len(reader.open(f))


def _each(engine: Engine, function: Callable[[Thing], Result], sizes: Mapping[Thing, int]) -> dict[Thing, Result]:
    """The function of each file. A worker gets files of 64 MB together, or one that is larger."""
    pieces = bundles(((thing,) for thing in sizes), lambda thing: sizes[thing], 1 << 26)
    with closing(engine.map(partial(_mapped, function), enumerate(pieces))) as results:
        return {thing: result for _number, pairs in results for thing, result in pairs}


def _mapped(function: Callable[[Thing], Result], things: Sequence[Thing]) -> list[tuple[Thing, Result]]:
    return [(thing, function(thing)) for thing in things]
