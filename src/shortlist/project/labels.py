"""Labels: made once for unique rows of votes, joined to all rows by their votes, and written part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from shortlist.analysis.measures import believed
from shortlist.arrays import Positions
from shortlist.beliefs import TIE, LabelTable
from shortlist.engines import Engine
from shortlist.errors import BadFile, ShortlistError
from shortlist.progress import Advance
from shortlist.project.cache import file_digest, write_json
from shortlist.project.parts import Part, PartReader, remove_unlisted
from shortlist.project.rows import Rows
from shortlist.rows import write_table
from shortlist.votes import Votes
from shortlist.votes.patterns import pack
from shortlist.votes.vote_parts import VoteParts

# -- extracts --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Extract:
    """Options of an export; by default, all labels as they are.

    columns      of the rows, to stand between the id and the labels
    min_belief   only rows whose class is believed at least so much; rows without any vote have no class
    """

    columns: tuple[str, ...] = ()
    min_belief: float | None = None

    def check(self, rows: Rows) -> None:
        """Raise if it cannot be made, before any work."""
        least = self.min_belief
        if least is not None and not 0 <= least <= 1:
            hint = f": for {least:g} %, write {least / 100:g}" if 1 < least <= 100 else ""
            raise ShortlistError(
                f"the least belief is {least:g}, but beliefs go from 0 to 1{hint}", option=("min_belief",)
            )
        for file in rows.files:
            file.need(*self.columns)

    def keeps(self, labels: pl.DataFrame) -> pl.Series:
        """(m,) mask of the rows to write."""
        if self.min_belief is None:
            return pl.repeat(True, len(labels), eager=True)
        return labels["class"].is_not_null() & (labels["belief"] >= self.min_belief - TIE)


class Extractor:
    """Makes the table of an extract from labels, part by part: the id, columns of the rows, then the labels."""

    def __init__(self, extract: Extract, rows: Rows, labels: dict[str, Any]) -> None:
        self.extract, self.rows = extract, rows
        names = [name for name in dict.fromkeys(extract.columns) if name != rows.data.id]
        self.joined = {name: _kind(rows, name) for name in names}
        (key, kind), *others = labels.items()
        joined = {self._free_name(name, labels): kind for name, kind in self.joined.items()}
        self.schema: dict[str, Any] = {key: kind, **joined, **dict(others)}

    def _free_name(self, name: str, labels: dict[str, Any]) -> str:
        """The name of a column of the rows; data_NAME if the labels need it."""
        free = name
        while free in labels or (free != name and free in self.joined):
            free = f"data_{free}"
        return free

    def frames(self, labels: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The table, from the labels of all parts."""
        if not self.joined:
            yield from (self._frame(part, []) for part in labels)
            return
        segments = self.rows.segments(list(self.joined))
        for part, segment in zip(labels, segments, strict=True):
            yield self._frame(part, segment.frame.cast(pl.Schema(self.joined)).get_columns())

    def _frame(self, labels: pl.DataFrame, columns: list[pl.Series]) -> pl.DataFrame:
        key, *others = labels.get_columns()
        ordered = [key, *columns, *others]
        renamed = [column.alias(name) for column, name in zip(ordered, self.schema, strict=True)]
        return pl.DataFrame(renamed).filter(self.extract.keeps(labels))


def _kind(rows: Rows, name: str) -> Any:
    """Type of a column in all files."""
    empty = [pl.DataFrame(schema={name: file.schema[name]}) for file in rows.files]
    try:
        return pl.concat(empty, how="vertical_relaxed").schema[name]
    except pl.exceptions.PolarsError as error:
        kinds = ", ".join(dict.fromkeys(str(file.schema[name]) for file in rows.files))
        raise BadFile(
            f"column {name!r} holds {kinds} in different files; to have it read alike, write "
            f'{name} = "text" under [data.types]', column=name,
        ) from error  # fmt: skip


# -- labels by votes -------------------------------------------------------------------------------------


class Labels(Protocol):
    """Maps votes to labels."""

    def of(self, votes: Votes) -> pl.DataFrame:
        """Labels of rows, without the column that joins them to the rows."""


class KnownLabels:
    """Labels of all unique rows, made in one place: the same bytes, whoever joins them to the rows."""

    def __init__(self, votes: Votes, model: Any, table: LabelTable) -> None:
        words = _words(votes)
        order = np.lexsort(words[::-1])
        self.words = [word[order] for word in words]
        self.table = label_frame(votes[order], model, table)

    def of(self, votes: Votes) -> pl.DataFrame:
        return self.table[self._places(votes)]

    def _places(self, votes: Votes) -> Positions:
        words = _words(votes)
        if len(words) == 1:
            places: Positions = np.searchsorted(self.words[0], words[0])
            return places
        known, asked = (pl.DataFrame({str(i): w for i, w in enumerate(side)}) for side in (self.words, words))
        joined = asked.join(known.with_row_index("place"), on=known.columns, how="left", maintain_order="left")
        return joined["place"].to_numpy().astype(np.int64)


@dataclass(frozen=True)
class WorkedOutLabels:
    """Labels that each worker makes for its own rows, if too many rows differ to make them beforehand."""

    model: Any
    table: LabelTable

    def of(self, votes: Votes) -> pl.DataFrame:
        patterns = votes.patterns()
        rows = Votes(patterns.codes, votes.codomains, votes.space, votes.names)
        return label_frame(rows, self.model, self.table)[patterns.inverse]


def labels_by_votes(votes: Votes, model: Any, table: LabelTable) -> Labels:
    """Labels of the unique rows `votes`; up to a million of them are sent to the workers."""
    return KnownLabels(votes, model, table) if len(votes) <= 1 << 20 else WorkedOutLabels(model, table)


def label_frame(votes: Votes, model: Any, table: LabelTable) -> pl.DataFrame:
    """The labels of rows, without the column that joins them to the rows."""
    keys = pl.repeat(None, len(votes), dtype=table.key[1], eager=True)
    frame = table.frame(keys, believed(model, votes), (votes.codes != 0).sum(axis=1))
    return frame.drop(table.key[0])


def _words(votes: Votes) -> list[Any]:
    return [word.astype(np.uint64) for word in pack(votes.codes, votes.sizes)]


# -- part by part ----------------------------------------------------------------------------------------


class LabelPart(NamedTuple):
    """One file of labels."""

    file: str
    rows: int
    digest: str


@dataclass(frozen=True)
class LabelJob:
    """Makes the labels of parts, or writes them. It is sent once to each worker."""

    parts: VoteParts
    reader: PartReader
    labels: Labels
    table: LabelTable
    id: str | None
    target: Path  # the folder of the files of labels
    suffix: str

    def __call__(self, piece: tuple[Part, ...]) -> list[tuple[int, LabelPart, Counter[str]]]:
        """Write the labels of some parts."""
        return [self._write(part, frame) for part, frame in zip(piece, self.frames(piece), strict=True)]

    def frames(self, piece: tuple[Part, ...]) -> Iterator[pl.DataFrame]:
        """The labels of each part, with the column that joins them to the rows."""
        for part, keys in zip(piece, self._keys(piece), strict=True):
            labels = self.labels.of(self.parts.part(part.place))
            yield labels.insert_column(0, keys.cast(self.table.key[1]))

    def _keys(self, piece: tuple[Part, ...]) -> Iterator[pl.Series]:
        if self.id is None:
            for part in piece:
                yield pl.Series("row", np.arange(part.start, part.start + part.rows), dtype=self.table.key[1])
            return
        for frame in self.reader.frames(piece, [self.id]):
            yield frame[self.id]

    def _write(self, part: Part, frame: pl.DataFrame) -> tuple[int, LabelPart, Counter[str]]:
        path = self.target / f"part-{part.place:05}.{self.suffix}"
        write_table(path, [frame], self.table.schema)
        written = LabelPart(f"{self.target.name}/{path.name}", part.rows, file_digest(path))
        return part.place, written, class_counts(frame)


def class_counts(frame: pl.DataFrame) -> Counter[str]:
    """Number of rows of each class."""
    return Counter(dict(frame["class"].drop_nulls().value_counts().iter_rows()))


def write_one_file(job: LabelJob, rows: Rows, path: Path, advance: Advance, extract: Extract) -> Counter[str]:
    """Write the labels of an extract to one file, in the order of the rows."""
    counts: Counter[str] = Counter()

    def frames() -> Iterator[pl.DataFrame]:
        for piece in rows.pieces():
            for frame in job.frames(piece):
                counts.update(class_counts(frame.filter(extract.keeps(frame))))
                advance(len(frame))
                yield frame

    made = Extractor(extract, rows, job.table.schema)
    write_table(path, made.frames(frames()), made.schema)
    return counts


def write_parts(job: LabelJob, rows: Rows, path: Path, engine: Engine, advance: Advance) -> Counter[str]:
    """Write a file of labels for each part, with the workers of an engine; `path` is the list of them."""
    job.target.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    files: dict[int, LabelPart] = {}
    with closing(engine.map(job, enumerate(rows.pieces()))) as results:
        for _number, written in results:
            for index, part, classes in written:
                files[index] = part
                counts.update(classes)
                advance(part.rows)
    listed = [files[index]._asdict() for index in sorted(files)]
    write_json(path, {"kind": "labels in parts", "version": 1, "parts": listed})
    remove_unlisted(job.target, [part.file for part in files.values()])
    return counts
