"""Voting: every labeler on every row, where it was not asked before."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from shortlist.errors import BadFile, LabelerFailed, ShortlistError
from shortlist.labelers import Labeler, apply
from shortlist.labelers.features import Feature
from shortlist.labelers.text import TextLabeler
from shortlist.labelspace import LabelSpace
from shortlist.project.code import importable
from shortlist.project.columns import VoteColumns
from shortlist.project.panel import Panel
from shortlist.project.rows import SEGMENT, Rows, Segment
from shortlist.votes import Votes

Advance = Callable[[int], None]
PIECE = 2_048  # rows that are asked about first; more at a time where that is quick
QUICK = 0.25  # seconds


@dataclass(frozen=True)
class Ballot:
    """All votes, and which labelers had to be asked for them."""

    votes: Votes
    asked: tuple[str, ...]


def vote(panel: Panel, rows: Rows, columns: VoteColumns, advance: Advance = lambda _rows: None) -> Ballot:
    """The votes of a panel on all rows. Work that was done before, or by a run that was killed, is not done again."""
    if not len(rows):
        files = ", ".join(path.name for path in rows.paths)
        more = any(file.kind in ("csv", "tsv") and file.path.read_bytes().count(b"\n") > 1 for file in rows.files)
        hint = ": is a quotation mark opened there and never closed?" if more else ""
        raise BadFile(f"there are no rows in {files}{hint}")
    columns.sweep()
    missing = _missing(panel, rows, columns)
    asked = _ask(panel, rows, columns, missing, advance)
    parts = [_column(panel, i, rows, columns) for i in range(len(panel.labelers))]
    codes = np.stack([part.codes[:, 0] for part in parts], axis=1)
    votes = Votes(codes, [part.codomains[0] for part in parts], LabelSpace(panel.settings.classes), panel.names,
                  ids=rows.ids(), failures=[part.failures[0] for part in parts])  # fmt: skip
    columns.prune(panel.fingerprints)
    return Ballot(votes, asked)


Missing = dict[tuple[str, int], list[int]]


def _numbers(count: int) -> range:
    """The segments of a file with so many rows."""
    return range(-(-count // SEGMENT))


def _missing(panel: Panel, rows: Rows, columns: VoteColumns) -> Missing:
    """(source, segment) → the labelers whose votes on it are not known; damaged ones count as such."""
    found: Missing = {}
    for source, count in zip(rows.sources, rows.counts, strict=True):
        for number in _numbers(count):
            for i, mark in enumerate(panel.fingerprints):
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


def _ask(panel: Panel, rows: Rows, columns: VoteColumns, missing: Missing, advance: Advance) -> tuple[str, ...]:
    """Ask labelers about the segments they have not seen, and keep what they say."""
    asked: set[int] = set()
    sources = {source for source, _ in missing}
    files = [f for f, source in enumerate(rows.sources) if source in sources]
    with importable(panel.folder), no_collector():
        for segment in rows.segments(files=files):
            wanted = missing.get((segment.source, segment.number), [])
            if wanted:
                said = _said(panel, wanted, segment, rows, advance)
                rows.check_same(segment.source)
                for i, votes in zip(wanted, said, strict=True):
                    columns.save(panel.fingerprints[i], segment.source, segment.number, votes)
                asked |= set(wanted)
            else:
                advance(len(segment.frame))
    return tuple(panel.names[i] for i in sorted(asked))


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


def _said(panel: Panel, wanted: Sequence[int], segment: Segment, rows: Rows, advance: Advance) -> list[Votes]:
    """What some labelers say about a segment, piece by piece, so that a bar moves however slow they are."""
    parts: list[list[Votes]] = []
    start, size = 0, PIECE
    while start < len(segment.frame):
        piece = segment._replace(frame=segment.frame[start : start + size], start=segment.start + start)
        began = time.perf_counter()
        parts.append(_votes(panel, wanted, piece, rows))
        if time.perf_counter() - began < QUICK:
            size *= 4
        start += len(piece.frame)
        advance(len(piece.frame))
    return [Votes.concat(column) for column in zip(*parts, strict=True)]


def _votes(panel: Panel, wanted: Sequence[int], segment: Segment, rows: Rows) -> list[Votes]:
    """What some labelers say about a segment, one Votes a labeler."""
    labelers = [panel.labelers[i] for i in wanted]
    plain = [labeler for labeler in labelers if isinstance(labeler, TextLabeler) and labeler.feature is None]
    others = [labeler for labeler in labelers if not any(labeler is one for one in plain)]
    said: dict[str, Votes] = {}
    for group, features in ((plain, list[Feature]()), (others, panel.features(rows.columns))):
        if group:
            votes = _apply(panel, group, segment, features)
            said |= {name: votes[:, name] for name in votes.names}
    return [said[labeler.name] for labeler in labelers]


def _apply(panel: Panel, labelers: Sequence[Labeler], segment: Segment, features: list[Feature]) -> Votes:
    how = panel.settings.labelers
    try:
        return apply(
            labelers, segment.frame, space=LabelSpace(panel.settings.classes), features=features, progress=False,
            workers=how.workers, on_error=how.on_error, full_set_abstains=how.full_set_abstains,  # type: ignore[arg-type]
        )  # fmt: skip
    except ShortlistError as error:
        raise panel.mistake(shifted(error, segment.start)) from error
    except Exception as error:  # a labeler can fail in ways that stage 1 does not foresee
        raise LabelerFailed(f"a labeler failed: {type(error).__name__}: {error}") from error


def shifted(error: ShortlistError, start: int) -> ShortlistError:
    """The same error, with rows counted from the first of all instead of the first of a segment."""
    if not start:
        return error
    moved = re.sub(r"\b(rows? )(\d+)(?: to (\d+))?", lambda m: _moved(m, start), str(error))
    found = type(error)(moved)
    found.__cause__ = error.__cause__
    return found


def _moved(match: re.Match[str], start: int) -> str:
    last = f" to {int(match[3]) + start}" if match[3] else ""
    return f"{match[1]}{int(match[2]) + start}{last}"


def _column(panel: Panel, i: int, rows: Rows, columns: VoteColumns) -> Votes:
    """One labeler's votes on all rows."""
    parts = [
        columns.load(panel.fingerprints[i], source, number)
        for source, count in zip(rows.sources, rows.counts, strict=True)
        for number in _numbers(count)
    ]
    return Votes.concat(parts)
