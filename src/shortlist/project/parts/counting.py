"""Counting: rows with equal votes, and equal known class, as one row with a count; part by part, wherever they are."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.engines import Engine
from shortlist.errors import UnknownClass
from shortlist.labelmodel.formulae.evidence import EvidenceSum, unique
from shortlist.labelmodel.spread import MOST
from shortlist.progress import Advance
from shortlist.project.parts.part import Part, PartReader, parts_of, pieces_of
from shortlist.project.row_checks import strange_class
from shortlist.project.rows import Rows
from shortlist.votes.parts import VoteParts


def count_rows(
    rows: Rows, parts: VoteParts, classes: tuple[str, ...], engine: Engine, advance: Advance = lambda _rows: None
) -> EvidenceSum:
    """Unique rows of votes with their known class and how many of each there are.

    It does not depend on how the rows are cut into parts, nor on who counts them.
    """
    job, found = CountJob(parts, PartReader.of(rows), rows.data.gold, classes, MOST), EvidenceSum(MOST)
    pieces = enumerate(pieces_of(parts_of(rows), rows) if job.gold else ((part,) for part in parts_of(rows)))
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
    """Counts the rows of some parts of one file. It travels once to each worker."""

    parts: VoteParts
    reader: PartReader
    gold: str | None
    classes: tuple[str, ...]
    most: int

    def __call__(self, piece: tuple[Part, ...]) -> tuple[EvidenceSum, int]:
        found = EvidenceSum(self.most)
        for part, gold in zip(piece, known_classes(self.reader, piece, self.gold, self.classes), strict=True):
            found.add(unique(self.parts.part(part.place), gold, None))
        return found.settled(), sum(part.rows for part in piece)


def known_classes(
    reader: PartReader, parts: tuple[Part, ...], column: str | None, classes: tuple[str, ...]
) -> list[Positions | None]:
    """For each part of one file the positions of known classes, −1 where unknown; None where no column holds any."""
    if column is None or column not in reader.open(parts[0].file).schema:
        return [None] * len(parts)
    frames = reader.frames(parts, [column])
    return [positions(frame[column], classes, part.start) for part, frame in zip(parts, frames, strict=True)]


def positions(labels: pl.Series, classes: tuple[str, ...], start: int) -> Positions:
    """Known classes by position. The first row is row `start`; a word that is not a class is an error."""
    given = labels.cast(pl.String)
    if (error := strange_class(given, classes, start)) is not None:
        raise error
    found = given.replace_strict(list(classes), range(len(classes)), default=-1, return_dtype=pl.Int64)
    return found.fill_null(-1).to_numpy().astype(np.int64)
