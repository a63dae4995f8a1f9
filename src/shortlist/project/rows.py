"""Rows: the data of a project: its files one after another, cut into parts, with the meaning of their columns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.engines import Engine, is_elsewhere, ordered
from shortlist.errors import BadFile
from shortlist.project.cache import Digests, digest
from shortlist.project.parts import Part, PartReader, SourceFile, checked_parts, data_files, pieces_of
from shortlist.project.settings import DataSettings, Settings
from shortlist.project.toml import BadProject, TomlFile
from shortlist.rows import RowFile, RowStore
from shortlist.rows.reading import check_numbers, distinct, take_batches


class Segment(NamedTuple):
    """A part and its rows."""

    part: Part
    frame: pl.DataFrame

    @property
    def start(self) -> int:
        """The number of its first row among all rows."""
        return self.part.start


class Rows(RowStore):
    """All rows of a project."""

    def __init__(self, folder: Path, settings: Settings, digests: Digests) -> None:
        self.data, self.toml = settings.data, settings.toml
        self.size = settings.engine.part_rows  # rows of a part
        self.files = [row_file(path, settings) for path in data_files(folder, settings)]
        how = self.data.dialect
        self.sources = [digest(digests.of(f.path), f.kind, f.types, self.data.text, how) for f in self.files]
        self._only: list[str] | None = None
        self._frames: dict[str, list[pl.DataFrame]] = {}
        self.in_memory = False  # keep rows in memory once they were read

    def refuse_to_overwrite(self, path: Path) -> None:
        """Raise if an output would replace the rows."""
        if any(file.path.samefile(path) for file in self.files if path.exists()):
            raise BadFile(f"{path} holds the rows, which would be lost: write to another file")

    @property
    def paths(self) -> list[Path]:
        return [file.path for file in self.files]

    @property
    def columns(self) -> list[str]:
        """The columns that all files have, or those that are shown."""
        if self._only is not None:
            return self._only
        first, *others = self.files
        return [name for name in first.columns if all(name in other.schema for other in others)]

    @cached_property
    def counts(self) -> list[int]:
        """The number of rows of each file."""
        return [len(file) for file in self.files]

    def __len__(self) -> int:
        return sum(self.counts)

    @property
    def parts(self) -> list[Part]:
        """All parts, in the order of the rows; none reaches into the next file."""
        parts: list[Part] = []
        start = 0
        for f, (source, count) in enumerate(zip(self.sources, self.counts, strict=True)):
            for number in range(-(-count // self.size)):
                here = min(self.size, count - number * self.size)
                parts.append(Part(len(parts), f, source, number, self.size, start, here))
                start += here
        return parts

    def pieces(self, most: int | None = None) -> Iterator[tuple[Part, ...]]:
        """Parts for a worker to do in one go: a large one, several small ones, or all of a file that is no parquet.

        These are at most `most` rows, or as many as a part may have.
        """
        whole = {f for f, file in enumerate(self.files) if file.kind != "parquet"}
        return pieces_of(self.parts, whole, most or self.size)

    @property
    def reader(self) -> PartReader:
        """Reader of the parts, to be sent to workers, which may see other inodes."""
        files = [(str(f.path.absolute()), f.types, f.dialect_options, f.stamp) for f in self.files]
        return PartReader(tuple(SourceFile(*file) for file in files))

    def segments(self, columns: Sequence[str] | None = None) -> Iterator[Segment]:
        """The parts in order with their rows, from memory if they are kept there."""
        return map(Segment, self.parts, self.frames(self.parts, columns))

    def frames(self, parts: Sequence[Part], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The rows of each part, in ascending order, from memory if they are kept there."""
        for f, group in groupby(parts, key=lambda part: part.file):
            source, file = self.sources[f], self.files[f]
            if self.in_memory and columns is None and source not in self._frames:
                self._frames[source] = list(checked_parts(file, [part for part in self.parts if part.file == f], None))
            if (kept := self._frames.get(source)) is None:
                yield from checked_parts(file, list(group), columns)
            else:
                yield from (kept[one.number].select(columns or pl.all()) for one in group)

    def open(self, f: int) -> RowFile:
        """One of the files, as `PartReader` opens it."""
        return self.files[f]

    def take(self, numbers: Sequence[int] | Positions, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows of these numbers, counted over all files, in the order of the numbers."""
        wanted, places = distinct(numbers)
        check_numbers(wanted, len(self))
        names = self.columns if columns is None else list(columns)
        ends = np.cumsum(self.counts)
        cuts = np.searchsorted(wanted, ends)
        parts = [
            self._taken(f, part - (ends[f] - self.counts[f]), names)
            for f, part in enumerate(np.split(wanted, cuts[:-1]))
            if len(part) or f == 0
        ]
        return self._together(parts)[places]

    def take_ascending(self, numbers: Positions, columns: Sequence[str], engine: Engine) -> pl.DataFrame:
        """The rows of ascending numbers. Workers read them, if they are on other machines."""
        if not is_elsewhere(engine):
            return self.take(numbers, columns)
        return self._together(list(ordered(engine, TakeJob(self.reader, tuple(columns), numbers), self.pieces())))

    def _together(self, frames: list[pl.DataFrame]) -> pl.DataFrame:
        frame = pl.concat(frames, how="vertical_relaxed")  # a column of text may be empty in one of the files
        text = self.data.text  # a missing text is an empty one
        return frame.with_columns(pl.col(text).fill_null("")) if text in frame.columns else frame

    def _taken(self, f: int, wanted: Positions, columns: list[str]) -> pl.DataFrame:
        kept = self._frames.get(self.sources[f])
        frame = take_batches([frame.select(columns) for frame in kept], wanted) if kept else None
        return self.files[f].take(wanted, columns) if frame is None else frame

    def to_show(self) -> Rows:
        """Copy with the columns that people are shown: the text, or all columns but the known classes."""
        seen = [self.data.text] if self.data.text is not None else self.columns
        shown = copy(self)
        shown._only = [name for name in seen if name != self.data.gold]
        return shown

    def take_over(self, earlier: Rows) -> None:
        """Keep what earlier rows have in memory, for files that did not change."""
        self._frames = {source: earlier._frames[source] for source in self.sources if source in earlier._frames}
        if self.sources == earlier.sources and "counts" in earlier.__dict__:
            self.counts = earlier.counts

    def key(self) -> tuple[str, pl.DataType]:
        """The column that joins labels to rows: the id, or the number of the row."""
        if self.data.id is None:
            return "row", pl.UInt32() if len(self) < 2**32 else pl.UInt64()
        return self.data.id, self.files[0].schema[self.data.id]

    def key_parts(self) -> Iterator[pl.Series]:
        """The ids, part by part."""
        if self.data.id is not None:
            for segment in self.segments([self.data.id]):
                yield segment.frame[self.data.id]
        else:
            kind = self.key()[1]
            yield from (pl.Series("row", np.arange(p.start, p.start + p.rows), dtype=kind) for p in self.parts)

    def ids(self) -> Any:
        """(m,) ids, all different; None if no column holds them."""
        parts = [] if self.data.id is None else list(self.key_parts())
        if not parts:
            return None
        if all(part.dtype.is_integer() for part in parts):
            return np.concatenate([part.to_numpy() for part in parts])
        return np.concatenate([np.array(part.cast(pl.String).to_list(), np.str_) for part in parts])


@dataclass(frozen=True)
class TakeJob:
    """Reads some rows of parts. It is sent once to each worker."""

    reader: PartReader
    columns: tuple[str, ...]
    numbers: Positions  # ascending, counted over all files

    def __call__(self, piece: tuple[Part, ...]) -> pl.DataFrame:
        frames = zip(piece, self.reader.frames(piece, self.columns), strict=True)
        return pl.concat([frame[self._inside(part)] for part, frame in frames], how="vertical_relaxed")

    def _inside(self, part: Part) -> Positions:
        first, last = np.searchsorted(self.numbers, [part.start, part.start + part.rows])
        return self.numbers[first:last] - part.start


def other_rows(folder: Path, settings: Settings, digests: Digests, files: Sequence[Path]) -> Rows:
    """The rows of other files, which need to have only the columns that are read."""
    read = [RowFile(path, **settings.data.dialect) for path in files]
    there = {name for file in read for name in file.columns}
    data = replace(
        settings.data,
        files=tuple(str(path.absolute()) for path in files),
        gold=settings.data.gold if settings.data.gold in there else None,
        types={name: kind for name, kind in settings.data.types.items() if name in there},
    )
    return Rows(folder, replace(settings, data=data), digests)


def row_file(path: Path, settings: Settings) -> RowFile:
    """A file of rows with the columns that the settings name; a missing one is an error at its line."""
    data = settings.data
    several = len(data.files) > 1 or any(sign in data.files[0] for sign in "*?[")
    try:
        file = _opened(path, data, alone=not several)
        columns = file.columns
    except BadFile as error:
        written = next((name for name in data.files if path.name == Path(name).name), path.name)
        raise settings.toml.wrong(f"{written} {error.message}", "data", "files") from error
    for key, names in (("text", [data.text]), ("id", [data.id]), ("features", data.features)):
        for name in names:
            if name is not None and name not in columns:
                raise _no_column(settings, file, name, "data", key)
    kind = None if data.id is None else file.schema[data.id]
    if kind is not None and (kind.is_nested() or kind in (pl.Binary, pl.Object)):
        raise settings.toml.wrong(
            f"column {data.id!r} of {path.name} holds {kind}, which cannot join labels to rows: choose a "
            "column of texts or numbers, or leave id out", "data", "id",
        )  # fmt: skip
    _check_on(settings, file)
    if several:
        return file  # of several files, one may have the column of gold labels or types
    if data.gold is not None and data.gold not in columns:
        raise _no_column(settings, file, data.gold, "data", "gold")
    for name in data.types:
        if name not in columns:
            raise _no_column(settings, file, name, "data", "types", name)
    return file


def _opened(path: Path, data: DataSettings, *, alone: bool) -> RowFile:
    """The file, with text, known classes, and ids that begin with 0 read as text."""
    text = {name: "text" for name in (data.text, data.gold) if name is not None}
    file = RowFile(path, {**text, **data.types}, **data.dialect)
    if alone and _has_leading_zeros(file, data.id):
        return RowFile(path, {**text, str(data.id): "text", **data.types}, **data.dialect)
    return file


def _has_leading_zeros(file: RowFile, id: str | None) -> bool:
    """Ids of a csv file, such as 007, that would be other ones as numbers."""
    if id is None or file.kind != "csv" or id not in file.columns or not file.schema[id].is_integer():
        return False
    first = RowFile(file.path, {id: "text"}, **file.dialect_options).slice(0, 10_000, [id])
    return bool(first[id].str.contains(r"^\s*0\d").any())


def _no_column(settings: Settings, file: RowFile, name: str, *path: str) -> BadProject:
    return settings.toml.wrong(f"{file.path.name} {file.missing_column(name).message}", *path)


def _check_on(settings: Settings, file: RowFile) -> None:
    for name in settings.classifier.on:
        kind = file.schema.get(name)
        if kind is None:
            raise _no_column(settings, file, name, "classifier", "on")
        if kind not in (pl.String, pl.Categorical, pl.Enum, pl.Null):  # Null: a column without any value
            raise settings.toml.wrong(
                f"column {name!r} of {file.path.name} holds {kind}, not text; to have it read as text, write "
                f'{name} = "text" under [data.types]', "classifier", "on",
            )  # fmt: skip


def check_different(parts: Callable[[], Iterator[pl.Series]], column: str, toml: TomlFile) -> None:
    """Raise if an id is missing or on two rows. Hashes of the ids are compared, in a temporary file."""
    if _ascending(parts()):
        return
    with tempfile.TemporaryFile() as file:
        start = 0
        for part in parts():
            if part.null_count():
                row = start + int(part.is_null().arg_true()[0])
                raise toml.wrong(f"column {column!r} is the id, but row {row} has none", "data", "id")
            file.write(part.hash(seed=0).to_numpy().tobytes())
            start += len(part)
        file.flush()
        hashes = np.memmap(file, np.uint64, "r+")
        hashes.sort()
        repeated = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
    seen: dict[Any, int] = {}
    start = 0
    for part in parts() if len(repeated) else ():  # are the ids equal, and not only their hashes?
        places = np.flatnonzero(np.isin(part.hash(seed=0).to_numpy(), repeated))
        for place, one in zip(places.tolist(), part.gather(places).to_list(), strict=True):
            if one in seen:
                raise toml.wrong(
                    f"column {column!r} is the id, but {one!r} is on rows {seen[one]} and {start + place}: "
                    "choose a column that is different on every row, or leave id out", "data", "id",
                )  # fmt: skip
            seen[one] = start + place
        start += len(part)


def _ascending(parts: Iterator[pl.Series]) -> bool:
    """Ids are integers in ascending order: then all differ."""
    last = None
    for part in parts:
        if not part.dtype.is_integer() or part.null_count():
            return False
        numbers = part.to_numpy() if last is None else np.append(last, part.to_numpy())
        if (numbers[1:] <= numbers[:-1]).any():
            return False
        last = numbers[-1:]
    return True
