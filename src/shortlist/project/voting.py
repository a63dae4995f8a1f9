"""Voting: every labeler on every part of the rows that it has not seen.

A `VoteJob` calls the labelers that are not in the cache, stores their votes there and writes the part. Workers
elsewhere get the job with the parts to read; workers of this machine get chunks of rows, which are read meanwhile.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, NoReturn

import polars as pl

from shortlist.archive import put_same
from shortlist.arrays import Positions
from shortlist.engines import Engine, Local, Threads, is_elsewhere, ordered
from shortlist.engines.pickling import make_importable
from shortlist.errors import BadFile, LabelerFailed, PieceLost, ShortlistError
from shortlist.labelers.answers import Ballot
from shortlist.labelers.apply import Asker
from shortlist.labelers.labeler import AllRows
from shortlist.labelspace import LabelSpace
from shortlist.progress import Advance, Tell
from shortlist.project.cache import digest, file_digest
from shortlist.project.code.load import importable
from shortlist.project.code.roster import Roster
from shortlist.project.parts import Part, PartReader, remove_unlisted
from shortlist.project.rows import Rows, check_different
from shortlist.project.vote_cache import VoteCache
from shortlist.rows import Chunk, chunks
from shortlist.votes import Votes
from shortlist.votes.vote_parts import VotePart, VoteParts

Labelers = tuple[int, ...]  # some labelers, by their places in the roster
Files = dict[str, Path]  # fingerprint of a labeler → the cached file of its votes on a part
Frames = Callable[[Sequence[Part]], Iterator[pl.DataFrame]]  # reads the rows of parts


def _nothing(_rows: int) -> None:
    pass


def prepare(roster: Roster, rows: Rows, cache: VoteCache, tell: Tell | None = None) -> Roster:
    """Let labelers do what they do before any vote, such as asking a language model about all rows.

    Labelers whose votes on all rows are cached have nothing to do.
    """
    everything = AllRows(lambda: (all_chunks(rows), len(rows)), tell)
    cached = cache.known(roster.fingerprints)
    parts = [cached.get(part.name, {}) for part in rows.parts]
    labelers, marks = list(roster.labelers), list(roster.fingerprints)
    for i, (labeler, mark) in enumerate(zip(roster.labelers, roster.fingerprints, strict=True)):
        if not all(mark in files for files in parts):
            labelers[i] = labeler.prepare(everything)
            before, after = labeler.fingerprint_parts().data, labelers[i].fingerprint_parts().data
            marks[i] = mark if before == after else digest(mark, after)  # it learned something from the rows
    return replace(roster, labelers=tuple(labelers), fingerprints=tuple(marks))


def all_chunks(rows: Rows) -> Iterator[Chunk]:
    """All rows of a project, some at a time."""
    return chain.from_iterable(chunks(segment.frame, first=segment.start)[0] for segment in rows.segments())


def first_chunk(rows: Rows, n: int) -> Chunk:
    """The first n rows of a project."""
    return Chunk(0, rows.take(range(min(n, len(rows)))))


class Voted(NamedTuple):
    """The result of a part. It is small: the votes stay in files, unless there is no folder for them."""

    part: Part
    asked: Labelers
    like: Votes  # no rows: all that labelers said in this part, and how often they failed
    covered: int  # rows with a vote
    file: VotePart | None
    votes: Votes | None


def vote(
    roster: Roster,
    rows: Rows,
    cache: VoteCache,
    engine: Engine,
    advance: Advance = _nothing,
    *,
    target: Path | None = None,
) -> tuple[list[Voted], tuple[str, ...]]:
    """Vote on all parts; return their results in order, and the names of the labelers that had to be called.

    Work that was done before, or by a run that was killed, is not done again. With a folder as `target`, the votes are
    written there, a file for each part; without it, they are in the results.
    """
    if not len(rows):
        lines = any(file.kind in ("csv", "tsv") and file.path.read_bytes().count(b"\n") > 1 for file in rows.files)
        hint = ": is a quotation mark opened there and never closed?" if lines else ""
        raise BadFile(f"there are no rows in {', '.join(path.name for path in rows.paths)}{hint}")
    if rows.data.id is not None and not is_elsewhere(engine):  # on a cluster, there may be too many rows to compare
        check_different(rows.key_parts, rows.data.id, rows.toml)
    cache.sweep()
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
        target = target.absolute()
    job = VoteJob(_asker(roster, rows), roster.fingerprints, cache, target, rows.reader, roster.sources)
    known = cache.known(roster.fingerprints)
    files = {part: known.get(part.name, {}) for part in rows.parts}
    results: dict[int, Voted] = {}
    equal: dict[object, Votes] = {}  # `like` is nearly always the same for all parts, and is held once
    with importable(roster.folder), _labeler_errors(roster), _collector_off():
        if is_elsewhere(engine):
            voting = _elsewhere(job, rows, files, engine, advance)
        else:
            voting = job.over({part: job.readable(here) for part, here in files.items()}, rows.frames, engine, advance)
        for voted in voting:
            like = equal.setdefault((voted.like.codomains, voted.like.failures), voted.like)
            results[voted.part.place] = voted._replace(like=like)
    cache.prune(roster.fingerprints)
    asked = {i for voted in results.values() for i in voted.asked}
    return [results[place] for place in sorted(results)], tuple(roster.names[i] for i in sorted(asked))


def vote_on(roster: Roster, rows: Rows, numbers: range | Positions, tell: Tell | None = None) -> tuple[Chunk, Votes]:
    """Some rows and the votes on them. Nothing is written but the answers of language models."""
    chunk = Chunk(0, rows.take(numbers))
    with importable(roster.folder), _labeler_errors(roster), _exits_raise():
        everything = AllRows(lambda: (iter([chunk]), len(chunk)), tell)
        asker = _asker(roster, rows).prepared(everything)
        return chunk, asker.votes([asker(chunk)])


def save_parts(results: Sequence[Voted], path: Path) -> VoteParts:
    """Save the list of the parts beside their folder. Files that are not in it are deleted."""
    like = Votes.concat([voted.like for voted in results])
    parts = VoteParts(path.parent, like, tuple(voted.file for voted in results if voted.file is not None))
    parts.save(path)
    remove_unlisted(path.parent / "votes", [part.file for part in parts.parts])
    return parts


def _asker(roster: Roster, rows: Rows) -> Asker:
    how, classes = roster.settings.labelers, roster.settings.classes
    with roster.placed():
        return Asker.of(
            roster.labelers,
            space=LabelSpace(classes),
            columns=rows.columns,
            text=rows.data.text,
            on_error=how.on_error,
            shown=[name for name in (rows.data.id, rows.data.text) if name is not None],
            remedy=f'To go on where a labeler fails, write on_error = "abstain" under [labelers] in {rows.toml.name}',
        )


def _elsewhere(job: VoteJob, rows: Rows, files: dict[Part, Files], engine: Engine, advance: Advance) -> Iterator[Voted]:
    """Vote on other machines, in the order in which pieces are done.

    For labelers that search columns, a worker gets up to 8 parts at a time, to read one while it searches others. Each
    worker gets at least 8 pieces, so that none is left with a long last one.
    """
    most = max(rows.size, min(8 * rows.size, len(rows) // (8 * engine.workers)))
    bundles = rows.pieces(most if job.by_column(files.values()) else None)
    pieces = [{part: files[part] for part in bundle} for bundle in bundles]
    asked = {i for known in files.values() for i in job.missing(known)}
    job = replace(job, gpus=job.asker.only(sorted(asked)).gpus)  # none, if those that need some are cached
    try:
        with closing(engine.map(job, enumerate(pieces))) as results:
            for _number, voted in results:
                advance(sum(one.part.rows for one in voted))
                yield from voted
    except PieceLost as error:
        raise _lost(error, list(pieces[error.number or 0]), rows) from error


def _lost(error: PieceLost, parts: Sequence[Part], rows: Rows) -> PieceLost:
    first, last = parts[0], parts[-1]
    numbers = first.start, last.start + last.rows - 1
    files = dict.fromkeys(rows.paths[part.file].name for part in (first, last))
    return PieceLost(
        f"rows {numbers[0]:,} to {numbers[1]:,} ({' to '.join(files)}) could not be voted on: {error.message}. "
        "A labeler ends the process there, or needs more memory than a worker has. All other parts that were done are "
        "kept: leave the rows out, or mend the labeler, and run again",
        rows=numbers, file=str(rows.paths[first.file]), number=error.number,
    )  # fmt: skip


@contextmanager
def _labeler_errors(roster: Roster) -> Iterator[None]:
    try:
        with roster.placed():
            yield
    except (ShortlistError, OSError):  # an OSError of the data: stage 1 explains those of labelers
        raise
    except Exception as error:  # a labeler can fail in ways that stage 1 does not foresee
        raise LabelerFailed(f"a labeler failed: {type(error).__name__}: {error}") from error


@contextmanager
def _collector_off() -> Iterator[None]:
    """Switch the garbage collector off: among many small objects without cycles, it takes a third of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@dataclass(frozen=True)
class VoteJob:
    """All labelers of a project, and where votes are cached and written. It is sent once to each worker elsewhere."""

    asker: Asker
    fingerprints: tuple[str, ...]
    cache: VoteCache
    target: Path | None  # the folder of the parts
    reader: PartReader
    sources: Mapping[str, str]  # the modules beside labelers.py, which are sent with it
    gpus: float = 0  # that a worker elsewhere needs
    _askers: dict[Labelers, Asker] = field(default_factory=dict, init=False, repr=False, compare=False)

    def parts_to_pickle(self) -> Iterator[tuple[str, object]]:
        """Things to pickle for workers elsewhere, by name."""
        return self.asker.parts_to_pickle()

    def __call__(self, piece: Mapping[Part, Files]) -> list[Voted]:
        """Read parts and vote on them, on a worker elsewhere."""
        return list(self.over({part: self.readable(known) for part, known in piece.items()}, self.reader.frames))

    def over(
        self, files: Mapping[Part, Files], frames: Frames, engine: Engine | None = None, advance: Advance = _nothing
    ) -> Iterator[Voted]:
        """Vote on parts: those that are all cached first, then the others in order.

        Workers share chunks of the rows; the next ones are read meanwhile. If there is one worker and all labelers
        search columns, threads search whole parts: polars does the work. One thread calls labelers that are code.
        """
        engine = engine or Local()
        unseen = {part: self.missing(known) for part, known in files.items() if self.missing(known)}
        for part in files:
            if part not in unseen:
                advance(part.rows)
                yield self._finish(part, (), None, files[part])
        threads = engine.workers == 1 and self.by_column(files.values())
        ask = partial(_ask, {asked: self._asker(asked) for asked in unseen.values()}, self.sources, os.getpid())
        ballots: list[list[Ballot]] = []
        pieces = self._chunks(unseen, frames, engine.workers)
        with closing(ordered(Threads(2) if threads else engine, ask, pieces)) as answers:
            for part, votes in answers:
                ballots.append(votes)
                advance(len(votes[0].codes))
                if sum(len(one.codes) for one, *_ in ballots) == part.rows:
                    self.reader.check_unchanged(part.file)
                    yield self._finish(part, unseen[part], self._asker(unseen[part]).votes(ballots), files[part])
                    ballots = []

    def _chunks(
        self, unseen: Mapping[Part, Labelers], frames: Frames, workers: int
    ) -> Iterator[tuple[Part, Labelers, Chunk]]:
        parts = list(unseen)
        for part, frame in zip(parts, frames(parts), strict=True):
            whole = part.rows if workers == 1 and self._asker(unseen[part]).by_column else None
            for chunk in chunks(frame, size=whole, workers=workers, first=part.start)[0]:
                yield part, unseen[part], chunk

    def missing(self, known: Files) -> Labelers:
        """The labelers whose votes on a part are not cached."""
        return tuple(i for i, mark in enumerate(self.fingerprints) if mark not in known)

    def by_column(self, known: Iterable[Files]) -> bool:
        """All labelers that have to be called search columns."""
        return all(self._asker(asked).by_column for asked in {self.missing(files) for files in known})

    def readable(self, known: Files) -> Files:
        """Those of the cached files that can be read. Damaged ones are deleted."""
        files: Files = {}
        for path in set(known.values()):
            marks = [mark for mark, where in known.items() if where == path]
            try:
                self.cache.load(path, marks)
            except BadFile:
                continue
            files |= dict.fromkeys(marks, path)
        return files

    def _asker(self, asked: Labelers) -> Asker:
        if asked not in self._askers:
            self._askers[asked] = self.asker.only(asked)
        return self._askers[asked]

    def _finish(self, part: Part, asked: Labelers, fresh: Votes | None, known: Files) -> Voted:
        saved = None if fresh is None else self.cache.save([self.fingerprints[i] for i in asked], part.name, fresh)
        votes = self._joined(asked, fresh, known)
        like = Votes(votes.codes[:0], votes.codomains, votes.space, votes.names, failures=votes.failures)
        covered = int(votes.covered.sum())
        if self.target is None:
            return Voted(part, asked, like, covered, None, votes)
        path = self.target / f"part-{part.place:05}.parquet"
        same = self.cache.path(self.fingerprints, part.name)
        if same in (saved, *known.values()):
            put_same(same, path)
        else:
            votes.save(path)
        file = VotePart(f"{path.parent.name}/{path.name}", part.rows, covered, file_digest(path))
        return Voted(part, asked, like, covered, file, None)

    def _joined(self, asked: Labelers, fresh: Votes | None, known: Files) -> Votes:
        """The votes of all labelers, new ones and cached ones, in the order of the roster."""
        sides: list[Votes] = [] if fresh is None else [fresh]
        order = [self.fingerprints[i] for i in asked]
        for path in sorted(set(known.values())):
            marks = [mark for mark in self.fingerprints if known.get(mark) == path]
            sides.append(self.cache.load(path, marks))
            order += marks
        joined = sides[0] if len(sides) == 1 else Votes.beside(sides)
        places = [order.index(mark) for mark in self.fingerprints]
        return joined if places == list(range(len(places))) else joined[:, places]


def _ask(
    askers: Mapping[Labelers, Asker], sources: Mapping[str, str], home: int, piece: tuple[Part, Labelers, Chunk]
) -> tuple[Part, list[Ballot]]:
    """Call labelers on a chunk; in another process than `home`, what they print is shown at the end."""
    part, asked, chunk = piece
    with _exits_raise():
        if os.getpid() == home:
            return part, askers[asked](chunk)
        make_importable(sources)
        with redirect_stdout(io.StringIO()) as printed:
            try:
                return part, askers[asked](chunk)
            finally:
                sys.stderr.write(printed.getvalue())  # at once: lines of several workers must not mix


_leave = os._exit
_calling = ContextVar("calling", default=0)  # the process in which a thread calls labelers


@contextmanager
def _exits_raise() -> Iterator[None]:
    """Make `os._exit` of a labeler an error of that labeler: the run would end without a word."""
    os._exit = _exit
    before = _calling.set(os.getpid())
    try:
        yield
    finally:
        _calling.reset(before)


def _exit(status: int) -> NoReturn:
    if _calling.get() == os.getpid():
        raise SystemExit(f"os._exit({status})")
    _leave(status)  # a process that a labeler forked, or other code
