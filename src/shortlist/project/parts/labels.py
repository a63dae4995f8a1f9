"""Labels: worked out once for rows that differ in their votes, and joined to all rows by their votes, part by part."""

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
from shortlist.beliefs import LabelTable
from shortlist.engines import Engine
from shortlist.progress import Advance
from shortlist.project.kept.digest import file_digest
from shortlist.project.kept.state import write_json
from shortlist.project.parts.extract import Extract, Extractor
from shortlist.project.parts.part import Part, PartReader, keep_only, parts_of, pieces_of
from shortlist.project.rows import Rows
from shortlist.rows import write_table
from shortlist.votes import Votes
from shortlist.votes.patterns import pack
from shortlist.votes.vote_parts import VoteParts

MOST_KNOWN = 1 << 20  # rows that differ: up to here their labels travel to the workers
KIND = "labels in parts"
FORMAT = 1


class Labels(Protocol):
    """Whoever knows the labels of rows by their votes."""

    def of(self, votes: Votes) -> pl.DataFrame:
        """The labels of rows, without the column that joins them to the rows."""


class KnownLabels:
    """Labels of all rows that differ, worked out in one place: the same bytes, whoever joins them to the rows."""

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
        known, asked = (pl.DataFrame({str(i): w for i, w in enumerate(some)}) for some in (self.words, words))
        found = asked.join(known.with_row_index("place"), on=known.columns, how="left", maintain_order="left")
        return found["place"].to_numpy().astype(np.int64)


@dataclass(frozen=True)
class WorkedOutLabels:
    """Labels that each worker works out for its own rows: where rows differ too much to be known beforehand."""

    model: Any
    table: LabelTable

    def of(self, votes: Votes) -> pl.DataFrame:
        patterns = votes.patterns()
        rows = Votes(patterns.codes, votes.codomains, votes.space, votes.names)
        return label_frame(rows, self.model, self.table)[patterns.inverse]


def labels_by_votes(votes: Votes, model: Any, table: LabelTable) -> Labels:
    """For rows that differ, `votes`."""
    return KnownLabels(votes, model, table) if len(votes) <= MOST_KNOWN else WorkedOutLabels(model, table)


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
    """Makes the labels of parts, or writes them. It travels once to each worker."""

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
            found = self.labels.of(self.parts.part(part.place))
            yield found.insert_column(0, keys.cast(self.table.key[1]))

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
    """How many rows have each class."""
    return Counter(dict(frame["class"].drop_nulls().value_counts().iter_rows()))


def write_one_file(job: LabelJob, rows: Rows, path: Path, advance: Advance, extract: Extract) -> Counter[str]:
    """The labels that are asked for in one file, in the order of the rows."""
    counts: Counter[str] = Counter()

    def frames() -> Iterator[pl.DataFrame]:
        for piece in pieces_of(parts_of(rows), rows):
            for frame in job.frames(piece):
                counts.update(class_counts(frame.filter(extract.kept(frame))))
                advance(len(frame))
                yield frame

    made = Extractor(extract, rows, job.table.schema)
    write_table(path, made.frames(frames()), made.schema)
    return counts


def write_parts(job: LabelJob, rows: Rows, path: Path, engine: Engine, advance: Advance) -> Counter[str]:
    """A file of labels for each part, written wherever the engine works; `path` is the list of them."""
    job.target.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    files: dict[int, LabelPart] = {}
    with closing(engine.map(job, enumerate(pieces_of(parts_of(rows), rows)))) as results:
        for _number, written in results:
            for index, part, classes in written:
                files[index] = part
                counts.update(classes)
                advance(part.rows)
    listed = [files[index]._asdict() for index in sorted(files)]
    write_json(path, {"kind": KIND, "version": FORMAT, "parts": listed})
    keep_only(job.target, (part.file for part in files.values()))
    return counts
