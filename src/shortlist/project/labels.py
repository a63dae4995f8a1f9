"""Labels: made once for unique rows of votes, joined to all rows by their votes, and written part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from shortlist.analysis.measures import believed
from shortlist.arrays import Positions
from shortlist.beliefs import BY_BOTH, BY_GOLD, BY_ROW, TIE, LabelTable
from shortlist.engines import Engine, ordered
from shortlist.errors import BadFile, ShortlistError
from shortlist.progress import Advance
from shortlist.project.cache import file_digest, write_json
from shortlist.project.gold import GoldReader
from shortlist.project.parts import Part, PartReader, remove_unlisted
from shortlist.project.rows import Rows
from shortlist.rows import write_table
from shortlist.votes import Votes
from shortlist.votes.patterns import pack
from shortlist.votes.vote_parts import VoteParts

if TYPE_CHECKING:
    from shortlist.joint import JointModel

# -- extracts --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Extract:
    """Options of an export; by default, all labels as they are.

    columns      of the rows, to stand between the id and the labels
    min_belief   only rows whose class is believed at least so much
    votes_only   the beliefs of the label model, without text and gold; rows without any vote have no class
    """

    columns: tuple[str, ...] = ()
    min_belief: float | None = None
    votes_only: bool = False

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
    """Makes the labels of rows."""

    def reads(self, part: Part) -> Sequence[str]:
        """The columns of the rows that it needs."""

    def of(self, votes: Any, part: Part, rows: pl.DataFrame | None) -> pl.DataFrame:
        """Labels of the rows of a part, without the column that joins them to the rows. `votes` may be None."""


class ByVotes:
    """Base of labels that depend on votes alone."""

    def reads(self, part: Part) -> Sequence[str]:  # noqa: ARG002
        return ()


class KnownLabels(ByVotes):
    """Labels of all unique rows, made in one place: the same bytes, whoever joins them to the rows."""

    def __init__(self, votes: Votes, model: Any, table: LabelTable) -> None:
        words = _words(votes).with_row_index("row").sort(pl.exclude("row"))
        self.words = words.drop("row").with_row_index("place")
        self.table = label_frame(votes[words["row"].to_numpy()], model, table)

    def of(self, votes: Votes, part: Part, rows: pl.DataFrame | None) -> pl.DataFrame:  # noqa: ARG002
        asked = _words(votes)
        places = asked.join(self.words, on=asked.columns, how="left", maintain_order="left")["place"]
        return self.table[places.to_numpy()]


@dataclass(frozen=True)
class WorkedOutLabels(ByVotes):
    """Labels that each worker makes for its own rows, if too many rows differ to make them beforehand."""

    model: Any
    table: LabelTable

    def of(self, votes: Votes, part: Part, rows: pl.DataFrame | None) -> pl.DataFrame:  # noqa: ARG002
        patterns = votes.patterns()
        unique = Votes(patterns.codes, votes.codomains, votes.space, votes.names)
        return label_frame(unique, self.model, self.table)[patterns.inverse]


def labels_by_votes(votes: Votes, model: Any, table: LabelTable) -> Labels:
    """Labels of the unique rows `votes`; up to a million of them are sent to the workers."""
    return KnownLabels(votes, model, table) if len(votes) <= 1 << 20 else WorkedOutLabels(model, table)


def label_frame(votes: Votes, model: Any, table: LabelTable) -> pl.DataFrame:
    """The labels of rows, without the column that joins them to the rows."""
    return table.frame(believed(model, votes), (votes.codes != 0).sum(axis=1))


def _words(votes: Votes) -> pl.DataFrame:
    """The votes of each row, packed into a few whole numbers."""
    return pl.DataFrame({str(i): word.astype(np.uint64) for i, word in enumerate(pack(votes.codes, votes.sizes))})


# -- labels by votes and rows ----------------------------------------------------------------------------


@dataclass(frozen=True)
class JointLabels:
    """Labels from votes and rows: those of a joint model for the rows it has learned from, predictions for others."""

    joint: JointModel
    trained: Positions  # numbers of the rows that it has learned from, ascending
    table: LabelTable
    columns: Sequence[str]  # that the classifier reads
    inputs: Callable[[pl.DataFrame], Any]  # what it reads, from these columns

    def reads(self, part: Part) -> Sequence[str]:
        first, last = self._learned(part)
        return () if last - first == part.rows else self.columns

    def of(self, votes: Votes, part: Part, rows: pl.DataFrame | None) -> pl.DataFrame:
        first, last = self._learned(part)
        new, beliefs = np.ones(part.rows, np.bool_), np.empty((part.rows, len(votes.space)))
        new[self.trained[first:last] - part.start] = False
        beliefs[~new] = self.joint.beliefs_[first:last]
        if rows is not None and new.any():
            beliefs[new] = self.joint.predict_proba(self.inputs(rows.filter(pl.Series(new))), votes[new])
        source = np.where(votes.covered, BY_BOTH, BY_ROW).tolist()
        return self.table.frame(beliefs, (votes.codes != 0).sum(axis=1), source)

    def _learned(self, part: Part) -> tuple[int, int]:
        first, last = np.searchsorted(self.trained, [part.start, part.start + part.rows])
        return int(first), int(last)


@dataclass(frozen=True)
class Predictions:
    """Labels from rows alone, by a classifier."""

    classifier: Any
    table: LabelTable
    columns: Sequence[str]  # that the classifier reads
    inputs: Callable[[pl.DataFrame], Any]  # what it reads, from these columns

    def reads(self, part: Part) -> Sequence[str]:  # noqa: ARG002
        return self.columns

    def of(self, votes: Votes | None, part: Part, rows: pl.DataFrame | None) -> pl.DataFrame:  # noqa: ARG002
        beliefs = self.classifier.predict_proba(self.inputs(rows))  # type: ignore[arg-type]  # it reads columns
        return self.table.frame(beliefs, source=[BY_ROW] * len(beliefs))


# -- part by part ----------------------------------------------------------------------------------------


class LabelPart(NamedTuple):
    """One file of labels."""

    file: str
    rows: int
    digest: str


@dataclass(frozen=True)
class LabelJob:
    """Makes the labels of parts, or writes them. It is sent once to each worker."""

    parts: VoteParts | None  # none where there are rows without votes
    reader: PartReader
    labels: Labels
    gold: GoldReader | None  # known classes, which win over what is believed
    table: LabelTable
    id: str | None

    def __call__(self, piece: tuple[Part, ...]) -> list[pl.DataFrame]:
        """The labels of each part, with the column that joins them to the rows."""
        return list(self.frames(piece))

    def frames(self, piece: tuple[Part, ...]) -> Iterator[pl.DataFrame]:
        """The same, one after another."""
        known = repeat(None) if self.gold is None else self.gold.positions(piece)
        needed = max((self.labels.reads(part) for part in piece), key=len)
        read = self.reader.frames(piece, needed) if needed else repeat(None)
        for part, keys, gold, rows in zip(piece, self._keys(piece), known, read, strict=False):
            labels = self.labels.of(self.parts and self.parts.part(part.place), part, rows)
            labels = labels if gold is None else self._with_gold(labels, gold)
            yield labels.insert_column(0, keys.cast(self.table.key[1]))

    def _with_gold(self, labels: pl.DataFrame, gold: Positions) -> pl.DataFrame:
        """Labels in which rows of known class have it, with all belief."""
        k = len(self.table.classes)
        certain = self.table.frame(np.eye(k), np.zeros(k), [BY_GOLD] * k)
        places = np.where(gold >= 0, len(labels) + gold, np.arange(len(labels)))
        return pl.concat([labels, certain])[places].with_columns(labels["votes"])

    def _keys(self, piece: tuple[Part, ...]) -> Iterator[pl.Series]:
        if self.id is None:
            for part in piece:
                yield pl.Series("row", np.arange(part.start, part.start + part.rows), dtype=self.table.key[1])
            return
        for frame in self.reader.frames(piece, [self.id]):
            yield frame[self.id]


@dataclass(frozen=True)
class WriteJob:
    """Writes the labels of parts. It is sent once to each worker."""

    labels: LabelJob
    target: Path  # the folder of the files of labels
    suffix: str

    def __call__(self, piece: tuple[Part, ...]) -> list[tuple[int, LabelPart, Counts]]:
        return [self._write(part, frame) for part, frame in zip(piece, self.labels.frames(piece), strict=True)]

    def _write(self, part: Part, frame: pl.DataFrame) -> tuple[int, LabelPart, Counts]:
        path = self.target / f"part-{part.place:05}.{self.suffix}"
        write_table(path, [frame], self.labels.table.schema)
        written = LabelPart(f"{self.target.name}/{path.name}", part.rows, file_digest(path))
        return part.place, written, counts_of(frame)


Counts = dict[str, Counter[str]]  # of classes and of sources


def counts_of(frame: pl.DataFrame) -> Counts:
    """Number of rows of each class, and from each source."""
    return {name: Counter(dict(frame[name].drop_nulls().value_counts().iter_rows())) for name in ("class", "source")}


def add_counts(counts: Counts, more: Counts) -> None:
    for name, each in more.items():
        counts.setdefault(name, Counter()).update(each)


def write_one_file(
    job: LabelJob, rows: Rows, path: Path, engine: Engine, extract: Extract, each: Callable[[pl.DataFrame], None]
) -> None:
    """Write the labels of an extract to one file, in the order of the rows. Workers of the engine make them.

    `each` is called with all labels of each part.
    """

    def frames() -> Iterator[pl.DataFrame]:
        with closing(ordered(engine, job, rows.pieces())) as pieces:
            for frame in chain.from_iterable(pieces):
                each(frame)
                yield frame

    made = Extractor(extract, rows, job.table.schema)
    write_table(path, made.frames(frames()), made.schema)


def write_parts(job: WriteJob, rows: Rows, path: Path, engine: Engine, advance: Advance) -> Counts:
    """Write a file of labels for each part, with the workers of an engine; `path` is the list of them."""
    job.target.mkdir(parents=True, exist_ok=True)
    counts: Counts = {"class": Counter(), "source": Counter()}
    files: dict[int, LabelPart] = {}
    with closing(engine.map(job, enumerate(rows.pieces()))) as results:
        for _number, written in results:
            for index, part, classes in written:
                files[index] = part
                add_counts(counts, classes)
                advance(part.rows)
    listed = [files[index]._asdict() for index in sorted(files)]
    write_json(path, {"kind": "labels in parts", "version": 1, "parts": listed})
    remove_unlisted(job.target, [part.file for part in files.values()])
    return counts
