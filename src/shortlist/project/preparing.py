"""Preparing: what labelers do before any row is voted on, such as asking a language model about all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from shortlist.labelers import Labeler
from shortlist.labelers.labeler import AllRows
from shortlist.progress import Tell
from shortlist.project.code.roster import Roster
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.kept.digest import digest
from shortlist.project.parts.ballots import Files
from shortlist.project.parts.part import parts_of
from shortlist.project.rows import Rows
from shortlist.rows import Chunk, chunks


def prepared(roster: Roster, rows: Rows, columns: VoteColumns, tell: Tell | None = None) -> Roster:
    """The labelers, ready to vote. Those whose votes on all rows are known have nothing to do."""
    everything = AllRows(lambda: (all_chunks(rows), len(rows)), tell)
    known = columns.known(roster.fingerprints)
    parts = [known.get(part.name, {}) for part in parts_of(rows)]
    pairs = [
        _ready(labeler, mark, parts, everything)
        for labeler, mark in zip(roster.labelers, roster.fingerprints, strict=True)
    ]
    return replace(roster, labelers=tuple(one for one, _ in pairs), fingerprints=tuple(mark for _, mark in pairs))


def _ready(labeler: Labeler, mark: str, parts: Sequence[Files], everything: AllRows) -> tuple[Labeler, str]:
    """A labeler that is ready, and its fingerprint: another one where it learned something from the rows."""
    if all(mark in files for files in parts):
        return labeler, mark
    ready = labeler.prepare(everything)
    before, after = labeler.fingerprint_parts().data, ready.fingerprint_parts().data
    return ready, mark if before == after else digest(mark, after)


def all_chunks(rows: Rows) -> Iterator[Chunk]:
    """All rows of a project, some at a time."""
    return chain.from_iterable(chunks(segment.frame, first=segment.start)[0] for segment in rows.segments())
