"""Unseen: the parts that some labelers have not seen, and how they are asked about them on this machine."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from shortlist.engines import Engine, ordered
from shortlist.engines.pickling import make_importable
from shortlist.errors import LabelerFailed, ShortlistError
from shortlist.labelers.answers import Ballot
from shortlist.labelers.apply import Asker
from shortlist.progress import Advance
from shortlist.project.code.printed import Excerpt, gathered, hand_over
from shortlist.project.code.roster import Roster
from shortlist.project.parts.ballots import Files, Labelers, PartRows, Voted, VoteJob
from shortlist.project.parts.part import Part
from shortlist.project.rows import Rows
from shortlist.rows import Chunk, chunks


class ChunkPiece(NamedTuple):
    """Some rows of a part, and the labelers that are asked about them."""

    part: Part
    labelers: Labelers
    chunk: Chunk


class Answers(NamedTuple):
    """What the labelers of a piece said."""

    part: Part
    ballots: list[Ballot]
    printed: list[Excerpt]


@dataclass(frozen=True)
class AskChunk:
    """What a worker does with a piece. It travels once to each worker."""

    askers: dict[Labelers, Asker]
    sources: Mapping[str, str]  # the modules beside labelers.py, for what is imported while labelers run
    home: int = field(default_factory=os.getpid)

    def __call__(self, piece: ChunkPiece) -> Answers:
        if os.getpid() != self.home:
            make_importable(self.sources)
        with gathered() as printed:
            ballots = self.askers[piece.labelers](piece.chunk)
        return Answers(piece.part, ballots, printed)


@dataclass(frozen=True)
class Unseen:
    """Parts, each with the files that hold what is known of it."""

    roster: Roster
    rows: Rows
    job: VoteJob
    parts: Mapping[Part, Files]

    def voted(self, engine: Engine, advance: Advance) -> Iterator[Voted]:
        """Ask about all of them, in order."""
        if engine.workers == 1 and self.job.by_column(self.parts.values()):
            return self._whole(advance)
        return self._by_chunk(engine, advance)

    @cached_property
    def askers(self) -> dict[Labelers, Asker]:
        return {asked: self.job.asker_of(asked) for asked in {self.job.missing(one) for one in self.parts.values()}}

    def _whole(self, advance: Advance) -> Iterator[Voted]:
        """Labelers that search columns are asked about whole parts."""
        with told(self.roster), closing(self.job.voted(self._read(), by_column=True)) as results:
            for voted in results:
                advance(voted.part.rows)
                yield voted

    def _by_chunk(self, engine: Engine, advance: Advance) -> Iterator[Voted]:
        """Workers share the chunks of parts. A part is written when all of it was voted on."""
        waiting: list[list[Ballot]] = []
        with closing(self._answers(engine)) as answers:
            for part, ballots, printed in answers:
                for excerpt in printed:
                    hand_over(excerpt)
                waiting.append(ballots)
                advance(len(ballots[0].codes))
                if sum(len(ballot.codes) for ballot, *_ in waiting) == part.rows:
                    yield self.job.complete(part, self.parts[part], waiting)
                    waiting = []

    def _answers(self, engine: Engine) -> Generator[Answers]:
        """What is said, piece by piece."""
        with told(self.roster):
            yield from ordered(engine, AskChunk(self.askers, self.job.sources), self._pieces(engine.workers))

    def _pieces(self, workers: int) -> Iterator[ChunkPiece]:
        """The rows in order: whole parts for labelers that search columns, chunks of them for others."""
        for part, known, rows in self._read():
            asked = self.job.missing(known)
            whole = part.rows if self.askers[asked].by_column and workers == 1 else None
            for chunk in chunks(rows, size=whole, workers=workers, first=part.start)[0]:
                yield ChunkPiece(part, asked, chunk)

    def _read(self) -> Iterator[PartRows]:
        by_place = {(part.source, part.number): part for part in self.parts}
        for segment in self.rows.segments(files=sorted({part.file for part in self.parts})):
            part = by_place.get((segment.source, segment.number))
            if part is not None:
                yield PartRows(part, self.parts[part], segment.frame)


@contextmanager
def told(roster: Roster) -> Iterator[None]:
    """Errors of labelers are told at their place in labelers.py."""
    try:
        with roster.placed():
            yield
    except (ShortlistError, OSError):  # an OSError of the data: those of labelers are told by stage 1
        raise
    except Exception as error:  # a labeler can fail in ways that stage 1 does not foresee
        raise LabelerFailed(f"a labeler failed: {type(error).__name__}: {error}") from error
