"""Counting: rows with equal votes, and equal known class, as one row with a count; part by part, wherever they are."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.engines import Engine
from shortlist.errors import UnknownClass
from shortlist.labelmodel.evidence import MOST_UNIQUE_ROWS, EvidenceSum, unique
from shortlist.progress import Advance
from shortlist.project.gold.column import as_classes
from shortlist.project.parts.columns import strange_class
from shortlist.project.parts.part import Part, PartReader, parts_of, pieces_of
from shortlist.project.rows import Rows
from shortlist.votes.vote_parts import VoteParts


def count_rows(
    rows: Rows,
    parts: VoteParts,
    classes: tuple[str, ...],
    engine: Engine,
    advance: Advance = lambda _rows: None,
    *,
    said: Mapping[int, int] | None = None,
) -> EvidenceSum:
    """Unique rows of votes with their known class and how many of each there are.

    It does not depend on how the rows are cut into parts, nor on who counts them. `said` are classes that people said,
    by row; they count before those of the gold column.
    """
    job, found = (
        CountJob(parts, PartReader.of(rows), rows.data.gold, classes, MOST_UNIQUE_ROWS, dict(said or {})),
        EvidenceSum(MOST_UNIQUE_ROWS),
    )
    pieces = enumerate(pieces_of(parts_of(rows), rows))
    try:
        with closing(engine.map(job, pieces)) as results:
            for _number, (counted, count) in results:
                found.merge(counted)
                advance(count)
    except UnknownClass as error:
        raise rows.toml.wrong(error.message, "data", "gold") from error
    return found.settled()


@dataclass(frozen=True)
class CountJob:
    """Counts the rows of some parts. It travels once to each worker."""

    parts: VoteParts
    reader: PartReader
    gold: str | None
    classes: tuple[str, ...]
    most: int
    said: Mapping[int, int]

    def __call__(self, piece: tuple[Part, ...]) -> tuple[EvidenceSum, int]:
        found = EvidenceSum(self.most)
        for part, gold in zip(
            piece, known_classes(self.reader, piece, self.gold, self.classes, self.said), strict=True
        ):
            found.add(unique(self.parts.part(part.place), gold, None))
        return found.settled(), sum(part.rows for part in piece)


def known_classes(
    reader: PartReader,
    parts: tuple[Part, ...],
    column: str | None,
    classes: tuple[str, ...],
    said: Mapping[int, int],
) -> list[Positions | None]:
    """For each part the positions of known classes, −1 where unknown; None where none is known.

    They stand in a column; what people `said` about rows, by number, counts before that.
    """
    found: list[Positions | None] = []
    for f, group in groupby(parts, key=lambda part: part.file):
        found += _known_in_file(reader, f, list(group), column, classes)
    return [_with(known, part, said) for known, part in zip(found, parts, strict=True)]


def _known_in_file(
    reader: PartReader, f: int, parts: list[Part], column: str | None, classes: tuple[str, ...]
) -> list[Positions | None]:
    if column is None or column not in reader.open(f).schema:
        return [None] * len(parts)
    frames = reader.frames(parts, [column])
    return [positions(frame[column], classes, part.start) for part, frame in zip(parts, frames, strict=True)]


def _with(known: Positions | None, part: Part, said: Mapping[int, int]) -> Positions | None:
    here = {row - part.start: j for row, j in said.items() if part.start <= row < part.start + part.rows}
    if not here:
        return known
    merged = np.full(part.rows, -1, np.int64) if known is None else known.copy()
    merged[list(here)] = list(here.values())
    return merged


def positions(labels: pl.Series, classes: tuple[str, ...], start: int) -> Positions:
    """Known classes by position. The first row is row `start`; a word that is not a class is an error."""
    given = as_classes(labels, classes)
    if (error := strange_class(given, classes, start)) is not None:
        raise error
    found = given.replace_strict(list(classes), range(len(classes)), default=-1, return_dtype=pl.Int64)
    return found.fill_null(-1).to_numpy().astype(np.int64)
