"""Sample: the rows that a check and a report look at: all of them, or an evenly spread million of more.

Fits, labels and scores are always made from all rows. Tables and examples are for people, and a million rows show what
they show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.project.parts.counting import known_classes
from shortlist.project.parts.part import Part, PartReader, parts_of, pieces_of
from shortlist.rows import RowStore
from shortlist.votes import Votes

if TYPE_CHECKING:
    from shortlist.project.session import Session

WHOLE = 1_000_000  # rows: up to here, all of them are looked at


@dataclass(frozen=True, eq=False)
class Sample:
    """Some rows: their votes, known classes (None where no row has any), and the rows themselves."""

    votes: Votes
    gold: list[str | None] | None
    rows: RowStore
    of: int  # how many rows there are in all

    @property
    def notes(self) -> list[str]:
        """A sentence for the user, where these are not all rows."""
        if len(self.votes) == self.of:
            return []
        return [f"tables and examples are of {len(self.votes):,} of {self.of:,} rows, evenly spread"]


class SomeRows(RowStore):
    """Some of many rows, numbered from 0."""

    def __init__(self, rows: RowStore, numbers: Positions) -> None:
        self.rows, self.numbers = rows, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, numbers: Sequence[int], columns: Sequence[str] | None = None) -> pl.DataFrame:
        return self.rows.take(self.numbers[np.asarray(numbers, np.int64)], columns)  # type: ignore[arg-type]


def sample_of(session: Session, most: int = WHOLE) -> Sample:
    """All rows, or an evenly spread sample to which rows of known class are added where these are few."""
    parts, rows = session.parts, session.rows
    if len(parts) <= most:
        return Sample(session.votes, session.gold, rows.to_show(), len(parts))
    few = session.tally.weights[session.tally.gold >= 0].sum() <= most / 10
    numbers, votes, gold = [], [], []
    for part, known in _known_by_part(session):
        even = even_places(part.start, part.rows, len(parts), most)
        chosen = np.union1d(even, np.flatnonzero(known >= 0)) if few else even
        numbers.append(chosen + part.start)
        votes.append(parts.part(part.place)[chosen])
        gold.append(known[chosen])
    where, found, classes_known = np.concatenate(numbers), Votes.concat(votes), np.concatenate(gold)
    named = Votes(found.codes, found.codomains, found.space, found.names, ids=_names(session, where))
    known_names = [None if j < 0 else parts.like.space[j] for j in classes_known.tolist()]
    any_known = bool((classes_known >= 0).any())
    return Sample(named, known_names if any_known else None, SomeRows(rows.to_show(), where), len(parts))


def _known_by_part(session: Session) -> Iterator[tuple[Part, Positions]]:
    """Each part with the known classes of its rows, −1 where unknown. A csv file is read once for all its parts."""
    rows, classes = session.rows, session.settings.classes
    reader = PartReader.of(rows)
    for piece in pieces_of(parts_of(rows), rows):
        found = known_classes(reader, piece, rows.data.gold, classes, session.said)
        for part, known in zip(piece, found, strict=True):
            yield part, np.full(part.rows, -1, np.int64) if known is None else known


def even_places(start: int, count: int, m: int, most: int) -> Positions:
    """Of `most` places evenly spread over m rows, those of `count` rows from `start` on, counted from there."""
    last, gaps = max(1, m - 1), max(1, most - 1)
    first, end = start * gaps // last, min(most, (start + count) * gaps // last + 1)
    places: Positions = np.arange(first, end) * last // gaps - start
    return places[(places >= 0) & (places < count)]


def _names(session: Session, numbers: Positions) -> Positions | list[str]:
    """What rows are called: their ids, or their numbers."""
    name = session.rows.data.id
    return numbers if name is None else [str(one) for one in session.rows.take(numbers, [name])[name]]
