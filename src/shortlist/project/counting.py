"""Counting: rows with equal votes and equal known class as one row with a count; and a sample of rows for people."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.engines import Engine
from shortlist.labelmodel.evidence import MOST_UNIQUE_ROWS, EvidenceSum, unique
from shortlist.project.gold import GoldReader, class_errors
from shortlist.project.parts import Part
from shortlist.project.rows import Rows
from shortlist.rows import RowStore
from shortlist.votes import Votes
from shortlist.votes.vote_parts import VoteParts


def count_rows(rows: Rows, parts: VoteParts, gold: GoldReader, engine: Engine) -> EvidenceSum:
    """Unique rows of votes with their known class, and how many of each there are.

    The result does not depend on how the rows are cut into parts, nor on the engine.
    """
    total = EvidenceSum(MOST_UNIQUE_ROWS)
    count = partial(_count, parts, gold)
    with class_errors(rows), closing(engine.map(count, enumerate(rows.pieces()))) as results:
        for _number, counted in results:
            total.merge(counted)
    return total.settled()


def _count(parts: VoteParts, gold: GoldReader, piece: tuple[Part, ...]) -> EvidenceSum:
    counted = EvidenceSum(MOST_UNIQUE_ROWS)
    for part, known in zip(piece, gold.positions(piece), strict=True):
        counted.add(unique(parts.part(part.place), known, None))
    return counted.settled()


class Sample(NamedTuple):
    """Some rows: their votes, known classes (None if no row has any), and the rows themselves.

    Fits, labels and scores are always made from all rows. Tables and examples are made from the sample.
    """

    votes: Votes
    gold: list[str | None] | None
    rows: RowStore
    of: int  # how many rows there are in all

    @property
    def notes(self) -> list[str]:
        """A note for the user, if these are not all rows."""
        note = f"tables and examples are of {len(self.votes):,} of {self.of:,} rows, evenly spread"
        return [] if len(self.votes) == self.of else [note]


class SomeRows(RowStore):
    """Some of many rows, numbered from 0."""

    def __init__(self, rows: RowStore, numbers: Positions) -> None:
        self.rows, self.numbers = rows, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, numbers: Sequence[int], columns: Sequence[str] | None = None) -> pl.DataFrame:
        return self.rows.take(self.numbers[np.asarray(numbers, np.int64)], columns)  # type: ignore[arg-type]


def sample_rows(rows: Rows, parts: VoteParts, gold: GoldReader, known: float, most: int) -> Sample:
    """About `most` rows, evenly spread. Rows of known class, of which there are `known`, are added if they are few."""
    numbers, votes, positions = [], [], []
    for piece in rows.pieces():  # a csv file is read once for all its parts
        for part, here in zip(piece, gold.positions(piece), strict=True):
            column = np.full(part.rows, -1, np.int64) if here is None else here
            even = even_places(part.start, part.rows, len(parts), most)
            chosen = np.union1d(even, np.flatnonzero(column >= 0)) if known <= most / 10 else even
            numbers.append(chosen + part.start)
            votes.append(parts.part(part.place)[chosen])
            positions.append(column[chosen])
    where, joined, classes = np.concatenate(numbers), Votes.concat(votes), np.concatenate(positions)
    name = rows.data.id
    ids = where if name is None else rows.take(where, [name])[name].cast(pl.String).to_list()
    named = Votes(joined.codes, joined.codomains, joined.space, joined.names, ids=ids)
    names = [None if j < 0 else parts.like.space[j] for j in classes.tolist()] if (classes >= 0).any() else None
    return Sample(named, names, SomeRows(rows.to_show(), where), len(parts))


def even_places(start: int, count: int, m: int, most: int) -> Positions:
    """Places of `count` rows from `start` on, counted from there, among `most` evenly spread over m rows."""
    last, gaps = max(1, m - 1), max(1, most - 1)
    first, end = start * gaps // last, min(most, (start + count) * gaps // last + 1)
    places: Positions = np.arange(first, end) * last // gaps - start
    return places[(places >= 0) & (places < count)]
