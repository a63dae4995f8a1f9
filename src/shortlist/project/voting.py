"""Voting: every labeler on every part of the rows that it has not seen.

There is one path: a `VoteJob` over parts. It calls the labelers that are not in the cache, stores their votes there and
writes the part. Workers elsewhere get the job with the parts to read. On this machine the job gets the rows, and an
engine shares their chunks.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from shortlist.archive import put_same
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
from shortlist.project.code.user_output import Excerpt, gathered, hand_over
from shortlist.project.parts import Part, PartReader, remove_unlisted
from shortlist.project.rows import Rows
from shortlist.project.vote_cache import VoteCache
from shortlist.rows import Chunk, chunks
from shortlist.votes import Votes
from shortlist.votes.vote_parts import VotePart, VoteParts

Labelers = tuple[int, ...]  # some labelers, by their places in the roster
Files = dict[str, Path]  # fingerprint of a labeler → the cached file of its votes on a part


# -- before the vote -------------------------------------------------------------------------------------


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


# -- the vote --------------------------------------------------------------------------------------------


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
    advance: Advance = lambda _rows: None,
    *,
    target: Path | None = None,
) -> tuple[list[Voted], tuple[str, ...]]:
    """Vote on all parts; return their results in order, and the names of the labelers that had to be called.

    Work that was done before, or by a run that was killed, is not done again. With a folder as `target`, the votes are
    written there, a file for each part; without it, they are in the results.
    """
    if not len(rows):
        raise BadFile(f"there are no rows in {', '.join(path.name for path in rows.paths)}{_open_quote(rows)}")
    if not is_elsewhere(engine):  # on a cluster, there may be too many rows to compare
        rows.check_ids()
    cache.sweep()
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
    job = VoteJob(
        _asker(roster, rows), roster.fingerprints, cache, target and target.absolute(), rows.reader, roster.sources
    )
    work = _elsewhere if is_elsewhere(engine) else _here
    results: dict[int, Voted] = {}
    equal: dict[object, Votes] = {}  # `like` is nearly always the same for all parts, and is held once
    with importable(roster.folder), labeler_errors(roster), _collector_off():
        for voted in work(job, rows, cache.known(roster.fingerprints), engine, advance):
            like = equal.setdefault((voted.like.codomains, voted.like.failures), voted.like)
            results[voted.part.place] = voted._replace(like=like)
    cache.prune(roster.fingerprints)
    asked = {i for voted in results.values() for i in voted.asked}
    return [results[place] for place in sorted(results)], tuple(roster.names[i] for i in sorted(asked))


def save_parts(results: Sequence[Voted], path: Path) -> VoteParts:
    """Save the list of the parts beside their folder. Files that are not in it are deleted."""
    like = Votes.concat([voted.like for voted in results])
    parts = VoteParts(path.parent, like, tuple(voted.file for voted in results if voted.file is not None))
    parts.save(path)
    remove_unlisted(path.parent / "votes", [part.file for part in parts.parts])
    return parts


def _open_quote(rows: Rows) -> str:
    """Hint for a csv file that has lines and yet no rows."""
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


def _here(job: VoteJob, rows: Rows, cached: Mapping[str, Files], engine: Engine, advance: Advance) -> Iterator[Voted]:
    """Vote on this machine: parts that are all cached are written first; of the others, the rows are read in order."""
    files = {part: job.readable(cached.get(part.name, {})) for part in rows.parts}
    unseen = sorted({part.file for part in rows.parts if job.missing(files[part])})

    def pieces() -> Iterator[PartRows]:
        yield from (PartRows(part, known, None) for part, known in files.items() if not job.missing(known))
        for part, frame in rows.segments(files=unseen):
            if job.missing(files[part]):
                yield PartRows(part, files[part], frame)

    with closing(replace(job, engine=engine, advance=advance).over(pieces(), files.values())) as results:
        yield from results


def _elsewhere(
    job: VoteJob, rows: Rows, cached: Mapping[str, Files], engine: Engine, advance: Advance
) -> Iterator[Voted]:
    """Vote on other machines, in the order in which pieces are done.

    For labelers that search columns, a worker gets up to 8 parts at a time, to read one while it searches others. Each
    worker gets at least 8 pieces, so that none is left with a long last one.
    """
    files = {part: cached.get(part.name, {}) for part in rows.parts}
    most = max(rows.size, min(8 * rows.size, len(rows) // (8 * engine.workers)))
    by_column = job.by_column(files.values())
    pieces = [
        PartPiece(piece, tuple(files[part] for part in piece)) for piece in rows.pieces(most if by_column else None)
    ]
    asked = {i for known in files.values() for i in job.missing(known)}
    job = replace(job, gpus=job.asker.only(sorted(asked)).gpus)  # none, if those that need some are cached
    try:
        with closing(engine.map(job, enumerate(pieces))) as results:
            for _number, voted in results:
                advance(sum(one.part.rows for one in voted))
                yield from voted
    except PieceLost as error:
        raise _lost(error, pieces, rows) from error


def _lost(error: PieceLost, pieces: Sequence[PartPiece], rows: Rows) -> PieceLost:
    """Return the error with the rows on which workers die."""
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


@contextmanager
def labeler_errors(roster: Roster) -> Iterator[None]:
    """Add the place in labelers.py to errors of labelers."""
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


# -- a part ----------------------------------------------------------------------------------------------


class PartPiece(NamedTuple):
    """Parts for a worker elsewhere, and the cached files of each."""

    parts: tuple[Part, ...]
    known: tuple[Files, ...]


class PartRows(NamedTuple):
    """A part, its cached files, and its rows; None if all is cached."""

    part: Part
    known: Files
    rows: object


@dataclass(frozen=True)
class VoteJob:
    """All labelers of a project, and where votes are cached and written. It is sent once to each worker."""

    asker: Asker
    fingerprints: tuple[str, ...]
    cache: VoteCache
    target: Path | None  # the folder of the parts
    reader: PartReader
    sources: Mapping[str, str]  # the modules beside labelers.py, which are sent with it
    gpus: float = 0  # that a worker elsewhere needs
    engine: Engine = field(default_factory=Local)  # shares the chunks of a part
    advance: Advance = lambda _rows: None
    _askers: dict[Labelers, Asker] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send it without `engine` and `advance`, which are of this process."""
        values = self.asker, self.fingerprints, self.cache, self.target, self.reader, self.sources, self.gpus
        return VoteJob, values

    def parts_to_pickle(self) -> Iterator[tuple[str, object]]:
        """Things to pickle for workers elsewhere, by name."""
        return self.asker.parts_to_pickle()

    def __call__(self, piece: PartPiece) -> list[Voted]:
        """Read parts and vote on them, on a worker elsewhere."""
        known = [self.readable(files) for files in piece.known]
        pairs = list(zip(piece.parts, known, strict=True))
        frames = self.reader.frames([part for part, files in pairs if self.missing(files)])
        rows = (PartRows(part, files, next(frames) if self.missing(files) else None) for part, files in pairs)
        return list(self.over(rows, known))

    def over(self, parts: Iterable[PartRows], known: Iterable[Files]) -> Generator[Voted]:
        """Vote on parts in order. If all labelers search columns, one part is read while others are searched.

        Threads are enough for that: polars does the work. Labelers that are code are called by one thread only.
        """
        together = self.engine.workers == 1 and self.by_column(known)
        return ordered(Threads(2 if together else 1), self._vote, parts)

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
        """Some of the labelers, prepared once for all parts."""
        if asked not in self._askers:
            self._askers[asked] = self.asker.only(asked)
        return self._askers[asked]

    def _vote(self, piece: PartRows) -> Voted:
        """Call the missing labelers, store their votes and write the part, unless its file changed meanwhile."""
        part, known, rows = piece
        asked = self.missing(known)
        if not asked:
            self.advance(part.rows)
            return self._finish(part, asked, None, known)
        asker, workers = self._asker(asked), self.engine.workers
        whole = part.rows if asker.by_column and workers == 1 else None
        ballots = []
        for answers in ordered(
            self.engine, AskChunk(asker, self.sources), chunks(rows, size=whole, workers=workers, first=part.start)[0]
        ):
            for excerpt in answers.printed:
                hand_over(excerpt)
            ballots.append(answers.ballots)
            self.advance(len(answers.ballots[0].codes))
        self.reader.check_unchanged(part.file)
        return self._finish(part, asked, asker.votes(ballots), known)

    def _finish(self, part: Part, asked: Labelers, fresh: Votes | None, known: Files) -> Voted:
        """Store new votes, and write the part."""
        saved = None if fresh is None else self.cache.save([self.fingerprints[i] for i in asked], part.name, fresh)
        all_fresh = fresh is not None and len(asked) == len(self.fingerprints)
        votes = fresh if fresh is not None and all_fresh else self._joined(asked, fresh, known)
        like = Votes(votes.codes[:0], votes.codomains, votes.space, votes.names, failures=votes.failures)
        covered = int(votes.covered.sum())
        if self.target is None:
            return Voted(part, asked, like, covered, None, votes)
        path = self.target / f"part-{part.place:05}.parquet"
        same = saved if all_fresh else self._same_file(known, asked)
        if same is None:
            votes.save(path)
        else:
            put_same(same, path)
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

    def _same_file(self, known: Files, asked: Labelers) -> Path | None:
        """The cached file that holds just these labelers in this order, if there is one."""
        files = set(known.values())
        whole = self.cache.path(self.fingerprints, next(iter(files)).stem) if files and not asked else None
        return whole if files == {whole} else None


class Answers(NamedTuple):
    """The votes of labelers on a chunk, and what they printed in another process."""

    ballots: list[Ballot]
    printed: list[Excerpt]


@dataclass(frozen=True)
class AskChunk:
    """Calls labelers on a chunk, in this process or in another."""

    asker: Asker
    sources: Mapping[str, str]  # the modules beside labelers.py, for what is imported while labelers run
    home: int = field(default_factory=os.getpid)

    def __call__(self, chunk: Chunk) -> Answers:
        if os.getpid() == self.home:
            return Answers(self.asker(chunk), [])
        make_importable(self.sources)
        with gathered() as printed:
            ballots = self.asker(chunk)
        return Answers(ballots, printed)
