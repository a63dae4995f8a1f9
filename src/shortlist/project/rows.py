"""Rows: the data of a project: its files one after another, in segments, with what their columns mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.errors import BadFile
from shortlist.project.files import data_files
from shortlist.project.gold.column import as_classes
from shortlist.project.kept.digest import Digests, digest
from shortlist.project.mistake import BadProject
from shortlist.project.parts.columns import check_different, strange_class
from shortlist.project.settings import Data, Settings
from shortlist.rows import RowFile, RowStore
from shortlist.rows.reading import check_numbers, distinct, take_batches

TEXTUAL = (pl.String, pl.Categorical, pl.Enum, pl.Null)  # Null: a column without any value


class Segment(NamedTuple):
    """Some rows of one file: the word for that file and how it is read, its number there, the rows and the first."""

    source: str
    number: int
    frame: pl.DataFrame
    start: int  # the number of its first row among all rows


class Rows(RowStore):
    """All rows of a project. Copies of files that are slow to find a row in are kept in the folder `copies`."""

    def __init__(self, folder: Path, settings: Settings, digests: Digests, copies: Path | None = None) -> None:
        self.data, self.toml, self.copies = settings.data, settings.toml, copies
        self.size = settings.engine.part_rows  # rows of a segment: asked about, kept and written at a time
        self.files = [row_file(path, settings) for path in data_files(folder, settings)]
        self.sources = [self._source(file, digests) for file in self.files]
        for file, source in zip(self.files, self.sources, strict=True):
            file.copy = copies and copies / f"{source[:32]}.parquet"
        self._only: list[str] | None = None
        self._frames: dict[str, list[pl.DataFrame]] = {}
        self.keep = False  # whether rows that were read once are kept in memory

    def _source(self, file: RowFile, digests: Digests) -> str:
        """One word for the content of a file and the way it is read."""
        how = [self.data.separator, self.data.encoding]
        return digest(digests.of(file.path), file.kind, file.types, self.data.text, how)

    def refuse_to_overwrite(self, path: Path) -> None:
        """Raise where what is to be written would take the place of rows."""
        if any(file.path.samefile(path) for file in self.files if path.exists()):
            raise BadFile(f"{path} holds the rows, which would be lost: write to another file")

    @property
    def paths(self) -> list[Path]:
        return [file.path for file in self.files]

    @property
    def columns(self) -> list[str]:
        """The columns that all files have, or those that are to be seen."""
        if self._only is not None:
            return self._only
        first, *others = self.files
        return [name for name in first.columns if all(name in other.schema for other in others)]

    @cached_property
    def counts(self) -> list[int]:
        """How many rows each file has."""
        return [len(file) for file in self.files]

    def __len__(self) -> int:
        return sum(self.counts)

    def segments(
        self, columns: Sequence[str] | None = None, *, files: Sequence[int] | None = None
    ) -> Iterator[Segment]:
        """The rows in order, at most `size` at a time; no segment reaches into the next file."""
        for f, source in enumerate(self.sources):
            if files is None or f in files:
                start = sum(self.counts[:f])
                for number, frame in enumerate(self._batches(f, columns)):
                    yield Segment(source, number, frame, start + number * self.size)

    def _batches(self, f: int, columns: Sequence[str] | None) -> Iterator[pl.DataFrame]:
        source = self.sources[f]
        if source in self._frames:
            kept = self._frames[source]
            yield from kept if columns is None else (frame.select(columns) for frame in kept)
            return
        read = self._read(self.files[f], self.counts[f], columns)
        if self.keep and columns is None:
            self._frames[source] = list(read)
            yield from self._frames[source]
        else:
            yield from read

    def _read(self, file: RowFile, count: int, columns: Sequence[str] | None) -> Iterator[pl.DataFrame]:
        """The segments of a file. One that is a single segment is read as a whole, which costs less than a stream."""
        if file.kind == "parquet" and 0 < count <= self.size:
            return iter([file.slice(0, count, columns)])
        return file.batches(columns, self.size)

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
        self._prune()
        # relaxed: a column of text may be empty in one of the files
        return self._filled(pl.concat(parts, how="vertical_relaxed"))[places]

    def _taken(self, f: int, wanted: Positions, columns: list[str]) -> pl.DataFrame:
        """Rows of one file, from memory where they are kept there."""
        kept = self._frames.get(self.sources[f])
        found = take_batches((frame.select(columns) for frame in kept), wanted) if kept else None
        return self.files[f].take(wanted, columns) if found is None else found

    def _prune(self) -> None:
        """Throw away copies of files that are no longer part of the data."""
        used = {file.copy for file in self.files}
        for path in self.copies.glob("*.parquet") if self.copies is not None else ():
            if path not in used:
                path.unlink(missing_ok=True)

    def to_show(self) -> Rows:
        """The same rows with what people are shown of them: the text, or all columns but the known classes."""
        seen = [self.data.text] if self.data.text is not None else self.columns
        shown = copy(self)
        shown._only = [name for name in seen if name != self.data.gold]
        return shown

    def take_over(self, earlier: Rows) -> None:
        """Keep what earlier rows have in memory, where the files are still the same."""
        self._frames = {source: earlier._frames[source] for source in self.sources if source in earlier._frames}
        if self.sources == earlier.sources:
            self.counts = earlier.counts

    def _filled(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A missing text is an empty one."""
        text = self.data.text
        return frame.with_columns(pl.col(text).fill_null("")) if text in frame.columns else frame

    def key(self) -> tuple[str, pl.DataType]:
        """The column that joins labels to rows: the id, or the number of the row."""
        if self.data.id is None:
            return "row", pl.UInt32() if len(self) < 2**32 else pl.UInt64()
        return self.data.id, self.files[0].schema[self.data.id]

    def key_parts(self) -> Iterator[pl.Series]:
        """The ids, segment by segment."""
        if self.data.id is not None:
            for segment in self.segments([self.data.id]):
                yield segment.frame[self.data.id]
            return
        start = 0
        for count in self.counts:
            for first in range(0, count, self.size):
                size = min(self.size, count - first)
                yield pl.Series("row", np.arange(start, start + size), dtype=self.key()[1])
                start += size

    def check_ids(self) -> None:
        """Every row has an id, and no two rows have the same. Memory does not grow with the rows."""
        if self.data.id is not None:
            check_different(self.key_parts, self.data.id, self.toml)

    def ids(self) -> Any:
        """(m,) ids, all different; None where no column holds them."""
        if self.data.id is None:
            return None
        parts = list(self.key_parts())
        if not parts:
            return None
        if all(part.dtype.is_integer() for part in parts):
            return np.concatenate([part.to_numpy() for part in parts])
        return np.concatenate([np.array(part.cast(pl.String).to_list(), np.str_) for part in parts])

    def gold_parts(self, classes: Sequence[str]) -> Iterator[pl.Series | None]:
        """Known classes segment by segment, null where unknown; None for a segment without such a column."""
        column = self.data.gold
        for f, (file, count) in enumerate(zip(self.files, self.counts, strict=True)):
            if column is None or column not in file.schema:
                yield from repeat(None, -(-count // self.size))
                continue
            for segment in self.segments([column], files=[f]):
                given = as_classes(segment.frame[column], classes)
                if (error := strange_class(given, classes, segment.start)) is not None:
                    raise self.toml.wrong(error.message, "data", "gold") from error
                yield given

    def gold(self, classes: Sequence[str]) -> list[str | None] | None:
        """Known classes by row (None where unknown), in memory; None where no row has any."""
        parts = zip(self.gold_parts(classes), self._segment_sizes(), strict=True)
        found = [label for part, size in parts for label in (repeat(None, size) if part is None else part)]
        return found if any(label is not None for label in found) else None

    def _segment_sizes(self) -> Iterator[int]:
        for count in self.counts:
            yield from (min(self.size, count - first) for first in range(0, count, self.size))


def other_rows(folder: Path, settings: Settings, digests: Digests, files: Sequence[Path]) -> Rows:
    """The rows of other files: with the columns that are read, but perhaps without gold labels and others."""
    separator, encoding = settings.data.separator, settings.data.encoding
    read = [RowFile(path, separator=separator, encoding=encoding) for path in files]
    there = {name for file in read for name in file.columns}
    data = replace(
        settings.data,
        files=tuple(str(path.absolute()) for path in files),
        gold=settings.data.gold if settings.data.gold in there else None,
        types={name: kind for name, kind in settings.data.types.items() if name in there},
    )
    return Rows(folder, replace(settings, data=data), digests)


def row_file(path: Path, settings: Settings) -> RowFile:
    """A file of rows with the columns that the settings name, or an error at the line that names one."""
    data = settings.data
    text = {name: "text" for name in (data.text, data.gold) if name is not None}
    try:
        file = RowFile(path, {**text, **data.types}, separator=data.separator, encoding=data.encoding)
        columns = file.columns
    except BadFile as error:
        raise settings.toml.wrong(f"{_written(path, data)} {error.message}", "data", "files") from error
    for key, names in (("text", [data.text]), ("id", [data.id]), ("features", data.features)):
        for name in names:
            if name is not None and name not in columns:
                raise _no_column(settings, file, name, "data", key)
    _check_id(settings, file)
    _check_on(settings, file)
    _check_somewhere(settings, file)
    return file


def _no_column(settings: Settings, file: RowFile, name: str, *path: str) -> BadProject:
    """The error at the line of the settings that names a column which is not there."""
    return settings.toml.wrong(f"{file.path.name} {file.missing_column(name).message}", *path)


def _check_id(settings: Settings, file: RowFile) -> None:
    """The id is something that can be compared and written in any format."""
    kind = None if settings.data.id is None else file.schema[settings.data.id]
    if kind is not None and (kind.is_nested() or kind in (pl.Binary, pl.Object)):
        raise settings.toml.wrong(
            f"column {settings.data.id!r} of {file.path.name} holds {kind}, which cannot join labels to rows: choose a "
            "column of texts or numbers, or leave id out", "data", "id",
        )  # fmt: skip


def _check_on(settings: Settings, file: RowFile) -> None:
    """The columns that the classifier is told to read are there, and hold text."""
    for name in settings.classifier.on:
        kind = file.schema.get(name)
        if kind is None:
            raise _no_column(settings, file, name, "classifier", "on")
        if kind not in TEXTUAL:
            raise settings.toml.wrong(
                f"column {name!r} of {file.path.name} holds {kind}, not text; to have it read as text, write "
                f'{name} = "text" under [data.types]', "classifier", "on",
            )  # fmt: skip


def _check_somewhere(settings: Settings, file: RowFile) -> None:
    """Gold labels and types may be about the columns of some files only; with one file, that is the one."""
    data = settings.data
    if len(data.files) > 1 or any(sign in data.files[0] for sign in "*?["):
        return
    for key, name in (("gold", data.gold), *(("types", name) for name in data.types)):
        if name is not None and name not in file.columns:
            where = (key,) if key == "gold" else (key, name)
            raise _no_column(settings, file, name, "data", *where)


def _written(path: Path, data: Data) -> str:
    """A file as the settings name it."""
    return next((given for given in data.files if path.name == Path(given).name), path.name)
