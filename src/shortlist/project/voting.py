"""Voting: every labeler on every row, where it was not asked before."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from shortlist.errors import BadFile, LabelerFailed, ShortlistError
from shortlist.labelers import apply
from shortlist.labelspace import LabelSpace
from shortlist.progress import Advance
from shortlist.project.code.load import importable
from shortlist.project.code.roster import Roster
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.rows import SEGMENT, Rows, Segment
from shortlist.votes import Votes


def vote(
    roster: Roster, rows: Rows, columns: VoteColumns, advance: Advance = lambda _rows: None
) -> tuple[Votes, tuple[str, ...]]:
    """The votes of all labelers on all rows, and the names of those that had to be asked.

    Work that was done before, or by a run that was killed, is not done again.
    """
    if not len(rows):
        files = ", ".join(path.name for path in rows.paths)
        more = any(file.kind in ("csv", "tsv") and file.path.read_bytes().count(b"\n") > 1 for file in rows.files)
        hint = ": is a quotation mark opened there and never closed?" if more else ""
        raise BadFile(f"there are no rows in {files}{hint}")
    columns.sweep()
    missing = _missing(roster, rows, columns)
    asked = _ask(roster, rows, columns, missing, advance)
    parts = [_column(roster, i, rows, columns) for i in range(len(roster.labelers))]
    codes = np.stack([part.codes[:, 0] for part in parts], axis=1)
    votes = Votes(codes, [part.codomains[0] for part in parts], LabelSpace(roster.settings.classes), roster.names,
                  ids=rows.ids(), failures=[part.failures[0] for part in parts])  # fmt: skip
    columns.prune(roster.fingerprints)
    return votes, asked


Missing = dict[tuple[str, int], list[int]]


def _numbers(count: int) -> range:
    """The segments of a file with so many rows."""
    return range(-(-count // SEGMENT))


def _missing(roster: Roster, rows: Rows, columns: VoteColumns) -> Missing:
    """(source, segment) → the labelers whose votes on it are not known; damaged ones count as such."""
    found: Missing = {}
    for source, count in zip(rows.sources, rows.counts, strict=True):
        for number in _numbers(count):
            for i, mark in enumerate(roster.fingerprints):
                if not _readable(columns, mark, source, number):
                    found.setdefault((source, number), []).append(i)
    return found


def _readable(columns: VoteColumns, mark: str, source: str, number: int) -> bool:
    if not columns.has(mark, source, number):
        return False
    try:
        columns.load(mark, source, number)
    except BadFile:
        return False
    return True


def _ask(roster: Roster, rows: Rows, columns: VoteColumns, missing: Missing, advance: Advance) -> tuple[str, ...]:
    """Ask labelers about the segments they have not seen, and keep what they say."""
    asked: set[int] = set()
    sources = {source for source, _ in missing}
    files = [f for f, source in enumerate(rows.sources) if source in sources]
    with importable(roster.folder), no_collector():
        for segment in rows.segments(files=files):
            wanted = missing.get((segment.source, segment.number), [])
            if wanted:
                said = _said(roster, wanted, segment, rows, advance)
                rows.check_same(segment.source)
                for i, votes in zip(wanted, said, strict=True):
                    columns.save(roster.fingerprints[i], segment.source, segment.number, votes)
                asked |= set(wanted)
            else:
                advance(len(segment.frame))
    return tuple(roster.names[i] for i in sorted(asked))


@contextmanager
def no_collector() -> Iterator[None]:
    """Rows and features make many small objects and no circles: looking for those would take a third of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _said(roster: Roster, wanted: Sequence[int], segment: Segment, rows: Rows, advance: Advance) -> list[Votes]:
    """What some labelers say about a segment, one Votes a labeler."""
    how, labelers = roster.settings.labelers, [roster.labelers[i] for i in wanted]
    try:
        votes = apply(
            labelers, segment.frame, space=LabelSpace(roster.settings.classes), features=roster.features(rows.columns),
            workers=how.workers, on_error=how.on_error, full_set_abstains=how.full_set_abstains,  # type: ignore[arg-type]
            progress=advance, first_row=segment.start,
        )  # fmt: skip
    except ShortlistError as error:
        raise roster.mistake(error) from error
    except Exception as error:  # a labeler can fail in ways that stage 1 does not foresee
        raise LabelerFailed(f"a labeler failed: {type(error).__name__}: {error}") from error
    return [votes[:, name] for name in votes.names]


def _column(roster: Roster, i: int, rows: Rows, columns: VoteColumns) -> Votes:
    """One labeler's votes on all rows."""
    parts = [
        columns.load(roster.fingerprints[i], source, number)
        for source, count in zip(rows.sources, rows.counts, strict=True)
        for number in _numbers(count)
    ]
    return Votes.concat(parts)
