"""Voting: every labeler on every row, where it was not asked before.

Rows are kept track of in segments. A segment that some labelers have not seen is cut into pieces, which an engine hands
to its workers. A piece says which labelers are asked, and carries the rows. What comes back is small: a code for each
row and labeler. The votes of each labeler on a segment are written down when the segment is whole.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shortlist.engines import Engine, ordered
from shortlist.errors import BadFile, LabelerFailed, ShortlistError
from shortlist.labelers.apply import Asker
from shortlist.labelers.ballot import Ballot
from shortlist.labelspace import LabelSpace
from shortlist.progress import Advance
from shortlist.project.code.load import importable
from shortlist.project.code.roster import Roster
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.rows import Rows
from shortlist.rows import Chunk, chunks
from shortlist.votes import Votes

Labelers = tuple[int, ...]  # some labelers, by their places in the roster
SegmentId = tuple[str, int]  # the source, and the number of the segment in it
Unseen = dict[SegmentId, Labelers]  # the labelers whose votes on a segment are not known


def vote(
    roster: Roster, rows: Rows, columns: VoteColumns, engine: Engine, advance: Advance = lambda _rows: None
) -> tuple[Votes, tuple[str, ...]]:
    """The votes of all labelers on all rows, and the names of those that had to be asked.

    Work that was done before, or by a run that was killed, is not done again.
    """
    if not len(rows):
        raise BadFile(f"there are no rows in {', '.join(path.name for path in rows.paths)}{_open_quote(rows)}")
    columns.sweep()
    unseen = _unseen(roster, rows, columns)
    _ask(roster, rows, columns, unseen, engine, advance)
    votes = _gathered(roster, rows, columns)
    columns.prune(roster.fingerprints)
    asked = {i for labelers in unseen.values() for i in labelers}
    return votes, tuple(roster.names[i] for i in sorted(asked))


def _open_quote(rows: Rows) -> str:
    """A hint where a csv file has lines and yet no rows."""
    lines = any(file.kind in ("csv", "tsv") and file.path.read_bytes().count(b"\n") > 1 for file in rows.files)
    return ": is a quotation mark opened there and never closed?" if lines else ""


def _unseen(roster: Roster, rows: Rows, columns: VoteColumns) -> Unseen:
    """Whom to ask about which segments. Votes that cannot be read count as not known."""
    found: Unseen = {}
    for source, number in rows.segment_numbers():
        labelers = tuple(
            i for i, mark in enumerate(roster.fingerprints) if not columns.is_readable(mark, source, number)
        )
        if labelers:
            found[source, number] = labelers
    return found


def _gathered(roster: Roster, rows: Rows, columns: VoteColumns) -> Votes:
    """The votes of all labelers on all rows, from what is written down."""
    parts = [
        Votes.concat([columns.load(mark, source, number) for source, number in rows.segment_numbers()])
        for mark in roster.fingerprints
    ]
    codes = np.stack([part.codes[:, 0] for part in parts], axis=1)
    codomains, failures = [part.codomains[0] for part in parts], [part.failures[0] for part in parts]
    space = LabelSpace(roster.settings.classes)
    return Votes(codes, codomains, space, roster.names, ids=rows.ids(), failures=failures)


class Piece(NamedTuple):
    """Some rows of a segment, and the labelers that are asked about them."""

    segment: SegmentId
    labelers: Labelers
    chunk: Chunk


class Answers(NamedTuple):
    """What the labelers of a piece said."""

    segment: SegmentId
    labelers: Labelers
    ballots: list[Ballot]


@dataclass(frozen=True)
class AskPiece:
    """What a worker does with a piece. It travels once to each worker."""

    askers: dict[Labelers, Asker]

    def __call__(self, piece: Piece) -> Answers:
        return Answers(piece.segment, piece.labelers, self.askers[piece.labelers](piece.chunk))


def _ask(roster: Roster, rows: Rows, columns: VoteColumns, unseen: Unseen, engine: Engine, advance: Advance) -> None:
    """Ask labelers about the segments they have not seen, and keep what they say."""
    function = AskPiece({labelers: _asker(roster, rows, labelers) for labelers in set(unseen.values())})
    pieces = _pieces(rows, unseen, engine.workers, advance)
    waiting: list[list[Ballot]] = []
    with importable(roster.folder), collector_off(), closing(_answers(roster, engine, function, pieces)) as answers:
        for segment, labelers, ballots in answers:
            waiting.append(ballots)
            advance(len(ballots[0].codes))
            if sum(len(ballot.codes) for ballot, *_ in waiting) == rows.segment_size(*segment):
                rows.check_unchanged(segment[0])
                _keep(roster, columns, segment, labelers, function.askers[labelers].votes(waiting))
                waiting = []


def _asker(roster: Roster, rows: Rows, labelers: Labelers) -> Asker:
    how, classes = roster.settings.labelers, roster.settings.classes
    with roster.placed():
        return Asker.of(
            [roster.labelers[i] for i in labelers],
            space=LabelSpace(classes),
            features=roster.features(rows.columns),
            on_error=how.on_error,
            full_set_abstains=how.full_set_abstains,
            shown=[name for name in (rows.data.id, rows.data.text) if name is not None],
        )


def _pieces(rows: Rows, unseen: Unseen, workers: int, advance: Advance) -> Iterator[Piece]:
    """The rows that somebody has not seen, in order."""
    sources = {source for source, _ in unseen}
    for segment in rows.segments(files=[f for f, source in enumerate(rows.sources) if source in sources]):
        name = segment.source, segment.number
        if name not in unseen:
            advance(len(segment.frame))
            continue
        parts, _total = chunks(segment.frame, workers=workers, first=segment.start)
        for chunk in parts:
            yield Piece(name, unseen[name], chunk)


def _answers(roster: Roster, engine: Engine, function: AskPiece, pieces: Iterator[Piece]) -> Generator[Answers]:
    """What is said, piece by piece."""
    try:
        with roster.placed():
            yield from ordered(engine, function, pieces)
    except (ShortlistError, OSError):  # an OSError of the data: those of labelers are told by stage 1
        raise
    except Exception as error:  # a labeler can fail in ways that stage 1 does not foresee
        raise LabelerFailed(f"a labeler failed: {type(error).__name__}: {error}") from error


def _keep(roster: Roster, columns: VoteColumns, segment: SegmentId, labelers: Labelers, votes: Votes) -> None:
    """Write down what each labeler said about a whole segment."""
    for place, i in enumerate(labelers):
        columns.save(roster.fingerprints[i], *segment, votes[:, [place]])


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
