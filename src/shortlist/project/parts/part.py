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
from shortlist.rows.row_file import stamp

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
    stamp: tuple[int, int]  # size and time of the last change, as they were when its digest was taken


@dataclass(frozen=True)
class PartReader:
    """Reads parts where it runs. It travels to workers; the rows do not."""

    files: tuple[SourceFile, ...]

    @classmethod
    def of(cls, rows: Rows) -> PartReader:
        files = (
            SourceFile(str(file.path.absolute()), file.types, file.given, file.stamp[:2])
            for file in rows.files  # a worker may see another inode
        )
        return cls(tuple(files))

    def frames(self, parts: Sequence[Part], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The rows of each part, in ascending order. A parquet file is read from the place asked for."""
        for f, group in groupby(parts, key=lambda part: part.file):
            yield from self._of_one_file(f, list(group), columns)
            self.check_unchanged(f)

    def _of_one_file(self, f: int, parts: Sequence[Part], columns: Sequence[str] | None) -> Iterator[pl.DataFrame]:
        file = self.open(f)
        frames = _read(file, parts, columns)
        for part in parts:
            frame = next(frames, None)
            if frame is None or len(frame) != part.rows:
                raise BadFile("changed while it was read: run again", file=file.path.name)
            yield frame

    def open(self, f: int) -> RowFile:
        path, types, (separator, encoding), _stamp = self.files[f]
        return RowFile(path, types, separator=separator, encoding=encoding)

    def check_unchanged(self, f: int) -> None:
        """Raise where a file was written to since its digest was taken: what was read may be of either version."""
        path = Path(self.files[f].path)
        if stamp(path)[:2] != self.files[f].stamp:
            raise BadFile("changed while it was read: run again", file=path.name)


def _read(file: RowFile, parts: Sequence[Part], columns: Sequence[str] | None) -> Iterator[pl.DataFrame]:
    """Some parts of a file. Several are read in one go: of a row group, all is decoded even for a few rows."""
    first, last, wanted = parts[0], parts[-1], {part.number for part in parts}
    if file.kind != "parquet":
        numbered = enumerate(file.batches(columns, first.size))
    elif first is last:  # a stream costs more
        return iter([file.slice(first.first, first.rows, columns)])
    else:
        among = first.first, last.first + last.rows - first.first
        numbered = enumerate(file.batches(columns, first.size, among), first.number)
    return (frame for number, frame in numbered if number in wanted)


def keep_only(folder: Path, listed: Iterable[str]) -> None:
    """Delete files of parts that are not listed: they are of an earlier run. The list calls them FOLDER/FILE."""
    names = {Path(name).name for name in listed}
    for file in folder.glob("part-*"):
        if file.name not in names:
            file.unlink(missing_ok=True)


def pieces_of(parts: Iterable[Part], rows: Rows, most: int | None = None) -> Iterator[tuple[Part, ...]]:
    """What a worker does in one go: a large part, several small ones, or all of a file that is read from its start.

    These are at most `most` rows, or as many as a part may have.
    """
    return bundles(_read_together(parts, rows), lambda part: part.rows, most or rows.size)


def _read_together(parts: Iterable[Part], rows: Rows) -> Iterator[tuple[Part, ...]]:
    for f, group in groupby(parts, key=lambda part: part.file):
        if rows.files[f].kind == "parquet":
            yield from ((part,) for part in group)
        else:
            yield tuple(group)
