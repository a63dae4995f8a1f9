"""Voting: every labeler on every part of the rows, where it was not asked before.

Workers of this machine are handed rows, a chunk at a time, and the votes of a part are written down when they are
complete. Workers elsewhere are handed whole parts, which they read, vote on and write themselves.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from shortlist.engines import Engine, is_elsewhere, ordered
from shortlist.engines.travel import make_importable
from shortlist.errors import BadFile, LabelerFailed, PieceLost, ShortlistError
from shortlist.labelers.apply import Asker
from shortlist.labelers.ballot import Ballot
from shortlist.labelspace import LabelSpace
from shortlist.progress import Advance
from shortlist.project.code.load import importable
from shortlist.project.code.printed import Lines, gathered, hand_over
from shortlist.project.code.roster import Roster
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.parts.ballots import Files, Labelers, PartPiece, Voted, VoteJob
from shortlist.project.parts.part import Part, PartReader, parts_of, pieces_of
from shortlist.project.rows import Rows
from shortlist.rows import Chunk, chunks
from shortlist.votes import Votes
from shortlist.votes.parts import VoteParts

Known = dict[str, Files]  # part → where the votes of labelers on it are


def vote(
    roster: Roster,
    rows: Rows,
    columns: VoteColumns,
    engine: Engine,
    advance: Advance = lambda _rows: None,
    *,
    target: Path | None = None,
) -> tuple[list[Voted], tuple[str, ...]]:
    """What became of every part, in order, and the names of the labelers that had to be asked.

    Work that was done before, or by a run that was killed, is not done again. With a folder as `target`, the votes are
    written there, a file for each part; without, they come back.
    """
    if not len(rows):
        raise BadFile(f"there are no rows in {', '.join(path.name for path in rows.paths)}{_open_quote(rows)}")
    if not is_elsewhere(engine):  # of rows that are on a cluster, there may be too many to compare
        rows.check_ids()
    columns.sweep()
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
    asker, reader = _asker(roster, rows), PartReader.of(rows)
    job = VoteJob(asker, roster.fingerprints, columns, target and target.absolute(), reader, roster.sources)
    known = columns.known(roster.fingerprints)
    work = _elsewhere if is_elsewhere(engine) else _here
    with importable(roster.folder), collector_off():
        done = {voted.part.place: voted for voted in work(roster, rows, job, known, engine, advance)}
    columns.prune(roster.fingerprints)
    asked = {i for voted in done.values() for i in voted.asked}
    return [done[index] for index in sorted(done)], tuple(roster.names[i] for i in sorted(asked))


def vote_parts(done: Sequence[Voted], path: Path) -> VoteParts:
    """The list of the parts that were written, saved beside their folder. Files that are not part of it are deleted."""
    like = Votes.concat(voted.like for voted in done)
    parts = VoteParts(path.parent, like, tuple(voted.file for voted in done if voted.file is not None))
    parts.save(path)
    listed = {path.parent / part.file for part in parts.parts}
    for file in (path.parent / "votes").glob("part-*.parquet"):
        if file not in listed:
            file.unlink(missing_ok=True)
    return parts


def _open_quote(rows: Rows) -> str:
    """A hint where a csv file has lines and yet no rows."""
    lines = any(file.kind in ("csv", "tsv") and file.path.read_bytes().count(b"\n") > 1 for file in rows.files)
    return ": is a quotation mark opened there and never closed?" if lines else ""


def _asker(roster: Roster, rows: Rows) -> Asker:
    how, classes = roster.settings.labelers, roster.settings.classes
    with roster.placed():
        return Asker.of(
            roster.labelers,
            space=LabelSpace(classes),
            features=roster.features(rows.columns),
            on_error=how.on_error,
            full_set_abstains=how.full_set_abstains,
            shown=[name for name in (rows.data.id, rows.data.text) if name is not None],
        )


# -- workers elsewhere -----------------------------------------------------------------------------------


def _elsewhere(
    roster: Roster, rows: Rows, job: VoteJob, known: Known, engine: Engine, advance: Advance
) -> Iterator[Voted]:
    """Whole parts, in the order in which they are done."""
    pieces = [
        PartPiece(parts, tuple(known.get(part.name, {}) for part in parts)) for parts in pieces_of(parts_of(rows), rows)
    ]
    asked = {i for piece in pieces for files in piece.known for i in job.missing(files)}
    job = replace(job, gpus=job.asker.only(sorted(asked)).gpus)  # none, where those that need some were asked before
    try:
        with told(roster), closing(engine.map(job, enumerate(pieces))) as results:
            for _number, voted in results:
                advance(sum(one.part.rows for one in voted))
                yield from voted
    except PieceLost as error:
        raise _lost(error, pieces, rows) from error


def _lost(error: PieceLost, pieces: Sequence[PartPiece], rows: Rows) -> PieceLost:
    """The error that names the rows on which workers die."""
    first, *others = pieces[error.number or 0].parts
    last = others[-1] if others else first
    numbers = first.start, last.start + last.rows - 1
    files = dict.fromkeys(rows.paths[part.file].name for part in (first, last))
    return PieceLost(
        f"rows {numbers[0]:,} to {numbers[1]:,} ({' to '.join(files)}) could not be voted on: "
        f"{error.message}. "
        "A labeler ends the process there, or needs more memory than a worker has. All other parts that were done are "
        "kept: leave the rows out, or mend the labeler, and run again",
        rows=numbers, file=str(rows.paths[first.file]), number=error.number,
    )  # fmt: skip


# -- workers of this machine -----------------------------------------------------------------------------


class ChunkPiece(NamedTuple):
    """Some rows of a part, and the labelers that are asked about them."""

    part: Part
    labelers: Labelers
    chunk: Chunk


class Answers(NamedTuple):
    """What the labelers of a piece said."""

    part: Part
    ballots: list[Ballot]
    printed: list[Lines]


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


def _here(roster: Roster, rows: Rows, job: VoteJob, known: Known, engine: Engine, advance: Advance) -> Iterator[Voted]:
    """Parts in order. Those of which all is known are written again from what is kept."""
    unseen: dict[Part, Files] = {}
    for part in parts_of(rows):
        files = job.sound(known.get(part.name, {}))
        if job.missing(files):
            unseen[part] = files
        else:
            advance(part.rows)
            yield job.finish(part, (), None, files)
    askers = {asked: job.asker.only(asked) for asked in {job.missing(files) for files in unseen.values()}}
    function = AskChunk(askers, job.sources)
    waiting: list[list[Ballot]] = []
    with closing(_answers(roster, engine, function, _pieces(rows, job, unseen, function, engine.workers))) as answers:
        for part, ballots, printed in answers:
            for lines in printed:
                hand_over(lines)
            waiting.append(ballots)
            advance(len(ballots[0].codes))
            if sum(len(ballot.codes) for ballot, *_ in waiting) == part.rows:
                rows.check_unchanged(part.source)
                asked = job.missing(unseen[part])
                yield job.finish(part, asked, function.askers[asked].votes(waiting), unseen[part])
                waiting = []


def _pieces(
    rows: Rows, job: VoteJob, unseen: dict[Part, Files], function: AskChunk, workers: int
) -> Iterator[ChunkPiece]:
    """The rows that somebody has not seen, in order."""
    by_place = {(part.source, part.number): part for part in unseen}
    for segment in rows.segments(files=sorted({part.file for part in unseen})):
        part = by_place.get((segment.source, segment.number))
        if part is None:
            continue
        asked = job.missing(unseen[part])
        whole = part.rows if function.askers[asked].by_column and workers == 1 else None
        parts, _total = chunks(segment.frame, size=whole, workers=workers, first=segment.start)
        for chunk in parts:
            yield ChunkPiece(part, asked, chunk)


def _answers(roster: Roster, engine: Engine, function: AskChunk, pieces: Iterator[ChunkPiece]) -> Generator[Answers]:
    """What is said, piece by piece."""
    with told(roster):
        yield from ordered(engine, function, pieces)


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


@contextmanager
def collector_off() -> Iterator[None]:
    """No search for reference cycles meanwhile: among many small objects without any, it takes a third of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
