"""Voting: every labeler on every part of the rows, where it was not asked before.

Workers of this machine are handed rows, a chunk at a time, and the votes of a part are written down when they are
complete. Workers elsewhere are handed whole parts, which they read, vote on and write themselves.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from shortlist.engines import Engine, is_elsewhere
from shortlist.errors import BadFile, PieceLost
from shortlist.labelers.apply import Asker
from shortlist.labelspace import LabelSpace
from shortlist.progress import Advance
from shortlist.project.code.load import importable
from shortlist.project.code.roster import Roster
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.parts.ballots import Files, PartPiece, Voted, VoteJob
from shortlist.project.parts.part import Part, PartReader, keep_only, parts_of, pieces_of
from shortlist.project.parts.unseen import Unseen, told
from shortlist.project.rows import Rows
from shortlist.votes import Votes
from shortlist.votes.vote_parts import VoteParts

SHARES = 8  # pieces that each worker gets at least, so that none is left with a long last one
TOGETHER = 8  # parts that a worker gets at most, to read one while it searches others and writes them

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
        done = _gathered(work(roster, rows, job, known, engine, advance))
    columns.prune(roster.fingerprints)
    asked = {i for voted in done.values() for i in voted.asked}
    return [done[index] for index in sorted(done)], tuple(roster.names[i] for i in sorted(asked))


def _gathered(results: Iterator[Voted]) -> dict[int, Voted]:
    """By place. What labelers may say is nearly always the same for all parts, and is held once."""
    done: dict[int, Voted] = {}
    seen: dict[object, Votes] = {}
    for voted in results:
        like = seen.setdefault((voted.like.codomains, voted.like.failures), voted.like)
        done[voted.part.place] = voted._replace(like=like)
    return done


def vote_parts(done: Sequence[Voted], path: Path) -> VoteParts:
    """The list of the parts that were written, saved beside their folder. Files that are not part of it are deleted."""
    like = Votes.concat(voted.like for voted in done)
    parts = VoteParts(path.parent, like, tuple(voted.file for voted in done if voted.file is not None))
    parts.save(path)
    keep_only(path.parent / "votes", (part.file for part in parts.parts))
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
            remedy=f'To go on where a labeler fails, write on_error = "abstain" under [labelers] in {rows.toml.name}',
        )


# -- workers elsewhere -----------------------------------------------------------------------------------


def _elsewhere(
    roster: Roster, rows: Rows, job: VoteJob, known: Known, engine: Engine, advance: Advance
) -> Iterator[Voted]:
    """Whole parts, in the order in which they are done."""
    parts = parts_of(rows)
    most = _rows_at_once(rows, engine) if job.by_column(known.get(part.name, {}) for part in parts) else None
    pieces = [PartPiece(some, tuple(known.get(one.name, {}) for one in some)) for some in pieces_of(parts, rows, most)]
    asked = {i for piece in pieces for files in piece.known for i in job.missing(files)}
    job = replace(job, gpus=job.asker.only(sorted(asked)).gpus)  # none, where those that need some were asked before
    try:
        with told(roster), closing(engine.map(job, enumerate(pieces))) as results:
            for _number, voted in results:
                advance(sum(one.part.rows for one in voted))
                yield from voted
    except PieceLost as error:
        raise _lost(error, pieces, rows) from error


def _rows_at_once(rows: Rows, engine: Engine) -> int:
    """How many rows a worker gets at a time for labelers that search columns."""
    return max(rows.size, min(TOGETHER * rows.size, len(rows) // (SHARES * engine.workers)))


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


def _here(roster: Roster, rows: Rows, job: VoteJob, known: Known, engine: Engine, advance: Advance) -> Iterator[Voted]:
    """Parts of which all is known are written again from what is kept; then the others, in order."""
    unseen: dict[Part, Files] = {}
    for part in parts_of(rows):
        files = job.sound(known.get(part.name, {}))
        if job.missing(files):
            unseen[part] = files
        else:
            advance(part.rows)
            yield job.finish(part, (), None, files)
    yield from Unseen(roster, rows, job, unseen).voted(engine, advance)


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
