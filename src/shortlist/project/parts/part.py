"""Part: some rows of one file, and how a worker reads them, wherever it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from shortlist.errors import BadFile
from shortlist.project.parts.bundles import bundles
from shortlist.rows import RowFile
from shortlist.rows.file import stamp

if TYPE_CHECKING:
    from shortlist.project.rows import Rows


class Part(NamedTuple):
    """Rows `first`, `first + 1`, … of a file, at most `size` of them."""

    place: int  # among all parts of the project
    file: int  # among all files
    source: str  # one word for the content of the file, and how it is read
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
        """One word for its content: what is kept of it is found by this."""
        return f"{self.source[:24]}-{self.size}-{self.number}"

    def told(self, file: str) -> str:
        """Which rows it holds, for people."""
        return f"rows {self.first:,} to {self.first + self.rows - 1:,} of {file}"


def parts_of(rows: Rows) -> list[Part]:
    """All parts of a project, in the order of the rows."""
    found: list[Part] = []
    start = 0
    for f, (source, count) in enumerate(zip(rows.sources, rows.counts, strict=True)):
        for number in range(-(-count // rows.size)):
            here = min(rows.size, count - number * rows.size)
            found.append(Part(len(found), f, source, number, rows.size, start, here))
            start += here
    return found


class SourceFile(NamedTuple):
    """A file of rows as workers are told of it."""

    path: str
    types: dict[str, str]
    dialect: tuple[str | None, str | None]  # separator and encoding of a csv file, where the settings name them
    stamp: tuple[int, int]  # size and time of the last change, as the driver saw them


@dataclass(frozen=True)
class PartReader:
    """Reads parts where it runs. It travels to workers; the rows do not."""

    files: tuple[SourceFile, ...]

    @classmethod
    def of(cls, rows: Rows) -> PartReader:
        files = (
            SourceFile(str(file.path.absolute()), file.types, file.given, stamp(file.path)[:2])
            for file in rows.files  # a worker may see another inode
        )
        return cls(tuple(files))

    def frames(self, parts: Sequence[Part], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The rows of each part, in ascending order. A parquet file is read from the place asked for."""
        for f, group in groupby(parts, key=lambda part: part.file):
            yield from self._of_one_file(f, list(group), columns)
            self._check_unchanged(f)

    def _of_one_file(self, f: int, parts: Sequence[Part], columns: Sequence[str] | None) -> Iterator[pl.DataFrame]:
        file = self.open(f)
        if file.kind == "parquet":
            frames = (file.slice(part.first, part.rows, columns) for part in parts)
        else:
            wanted = {part.number for part in parts}
            batches = enumerate(file.batches(columns, parts[0].size))
            frames = (frame for number, frame in batches if number in wanted)
        for part, frame in zip(parts, frames, strict=True):
            if len(frame) != part.rows:
                raise BadFile("changed while it was read: run again", file=file.path.name)
            yield frame

    def open(self, f: int) -> RowFile:
        path, types, (separator, encoding), _stamp = self.files[f]
        return RowFile(path, types, separator=separator, encoding=encoding)

    def _check_unchanged(self, f: int) -> None:
        path = Path(self.files[f].path)
        if stamp(path)[:2] != self.files[f].stamp:
            raise BadFile("changed while it was read: run again", file=path.name)


def keep_only(folder: Path, listed: Iterable[str]) -> None:
    """Delete files of parts that are not listed: they are of an earlier run. The list calls them FOLDER/FILE."""
    names = {Path(name).name for name in listed}
    for file in folder.glob("part-*"):
        if file.name not in names:
            file.unlink(missing_ok=True)


def pieces_of(parts: Iterable[Part], rows: Rows) -> Iterator[tuple[Part, ...]]:
    """What a worker does in one go: a large part, several small ones, or all of a file that is read from its start."""
    return bundles(_read_together(parts, rows), lambda part: part.rows, rows.size)


def _read_together(parts: Iterable[Part], rows: Rows) -> Iterator[tuple[Part, ...]]:
    for f, group in groupby(parts, key=lambda part: part.file):
        if rows.files[f].kind == "parquet":
            yield from ((part,) for part in group)
        else:
            yield tuple(group)
