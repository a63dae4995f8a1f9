"""VoteJob: what is done with one part: labelers are asked, what they say is kept, and the part is written.

It travels once to each worker. A part that was voted on before is not voted on again: only what is not kept is asked.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from shortlist.archive import put_same
from shortlist.engines import Threads, ordered
from shortlist.errors import BadFile
from shortlist.labelers.answers import Ballot
from shortlist.labelers.apply import Asker
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.kept.digest import file_digest
from shortlist.project.parts.part import Part, PartReader
from shortlist.rows import chunks
from shortlist.votes import Votes
from shortlist.votes.vote_parts import VotePart

AT_ONCE = 2  # parts that are searched or written at a time; another is read meanwhile

Labelers = tuple[int, ...]  # some labelers, by their places in the roster
Files = dict[str, Path]  # version of a labeler → the file that holds its votes on a part


class Voted(NamedTuple):
    """What became of a part. It is small: the votes stay in files, unless no folder was given for them."""

    part: Part
    asked: Labelers
    like: Votes  # no rows: what labelers were seen to say in this part, and how often they failed
    file: VotePart | None
    votes: Votes | None


class PartPiece(NamedTuple):
    """Parts that a worker votes on, and where it finds what is known of each."""

    parts: tuple[Part, ...]
    known: tuple[Files, ...]


class PartRows(NamedTuple):
    """A part, what is known of it, and its rows; None where all is known."""

    part: Part
    known: Files
    rows: object


@dataclass(frozen=True)
class VoteJob:
    """All labelers of a project, and where votes are kept and written."""

    asker: Asker
    fingerprints: tuple[str, ...]
    columns: VoteColumns
    target: Path | None  # the folder of the parts
    reader: PartReader
    sources: Mapping[str, str]  # the modules beside labelers.py, which travel with it
    gpus: float = 0  # that a worker elsewhere needs
    _askers: dict[Labelers, Asker] = field(default_factory=dict, init=False, repr=False, compare=False)

    def parts_to_pickle(self) -> Iterator[tuple[str, object]]:
        """What is sent to workers elsewhere, by name."""
        return self.asker.parts_to_pickle()

    def missing(self, known: Files) -> Labelers:
        """The labelers whose votes on a part are not known."""
        return tuple(i for i, mark in enumerate(self.fingerprints) if mark not in known)

    def asker_of(self, asked: Labelers) -> Asker:
        """Some of the labelers, made ready once for all parts."""
        if asked not in self._askers:
            self._askers[asked] = self.asker.only(asked)
        return self._askers[asked]

    def by_column(self, known: Iterable[Files]) -> bool:
        """Whether all labelers that have to be asked search columns."""
        return all(self.asker_of(asked).by_column for asked in {self.missing(files) for files in known})

    def sound(self, known: Files) -> Files:
        """Of these files, those that can be read. Damaged ones are thrown away."""
        found: Files = {}
        for path in set(known.values()):
            marks = [mark for mark, where in known.items() if where == path]
            try:
                self.columns.load(path, marks)
            except BadFile:
                continue
            found |= dict.fromkeys(marks, path)
        return found

    # -- on a worker that reads rows itself ------------------------------------------------------------

    def __call__(self, piece: PartPiece) -> list[Voted]:
        """Vote on the parts of a piece."""
        known = [self.sound(files) for files in piece.known]
        return list(self.voted(self._read(piece.parts, known), by_column=self.by_column(known)))

    def _read(self, parts: Sequence[Part], known: Sequence[Files]) -> Iterator[PartRows]:
        pairs = list(zip(parts, known, strict=True))
        frames = self.reader.frames([part for part, files in pairs if self.missing(files)])
        for part, files in pairs:
            yield PartRows(part, files, next(frames) if self.missing(files) else None)

    # -- where rows have been read ---------------------------------------------------------------------

    def voted(self, parts: Iterable[PartRows], *, by_column: bool) -> Generator[Voted]:
        """Ask about whole parts. With labelers that search columns, one is read while others are searched and written.

        Threads are enough for that: polars does the work. Labelers that are code are asked by one thread only.
        """
        return ordered(Threads(AT_ONCE if by_column else 1), self._vote, parts)

    def _vote(self, piece: PartRows) -> Voted:
        part, known, rows = piece
        if rows is None:
            return self.finish(part, (), None, known)
        asker = self.asker_of(self.missing(known))
        pieces, _total = chunks(rows, first=part.start, size=part.rows if asker.by_column else None)
        return self.complete(part, known, [asker(chunk) for chunk in pieces])

    def complete(self, part: Part, known: Files, ballots: Sequence[list[Ballot]]) -> Voted:
        """Keep and write what was said about all of a part, unless its file was written to meanwhile."""
        self.reader.check_unchanged(part.file)
        asked = self.missing(known)
        return self.finish(part, asked, self.asker_of(asked).votes(ballots), known)

    # -- wherever the votes of a part are complete -----------------------------------------------------

    def finish(self, part: Part, asked: Labelers, fresh: Votes | None, known: Files) -> Voted:
        """Keep what was said about a part, and write the part."""
        saved = None
        if fresh is not None:
            saved = self.columns.save([self.fingerprints[i] for i in asked], part.name, fresh)
        votes = (
            fresh if fresh is not None and len(asked) == len(self.fingerprints) else self._joined(asked, fresh, known)
        )
        like = Votes(votes.codes[:0], votes.codomains, votes.space, votes.names, failures=votes.failures)
        if self.target is None:
            return Voted(part, asked, like, None, votes)
        file = self._write(part, votes, saved if votes is fresh else self._same_file(known, asked))
        return Voted(part, asked, like, file, None)

    def _joined(self, asked: Labelers, fresh: Votes | None, known: Files) -> Votes:
        """The votes of all labelers, new ones and known ones, in the order of the roster."""
        sides: list[Votes] = [] if fresh is None else [fresh]
        order = [self.fingerprints[i] for i in asked]
        for path in sorted(set(known.values())):
            marks = [mark for mark in self.fingerprints if known.get(mark) == path]
            sides.append(self.columns.load(path, marks))
            order += marks
        joined = sides[0] if len(sides) == 1 else Votes.beside(sides)
        places = [order.index(mark) for mark in self.fingerprints]
        return joined if places == list(range(len(places))) else joined[:, places]

    def _same_file(self, known: Files, asked: Labelers) -> Path | None:
        """The file that holds just these labelers in this order, if there is one."""
        files = set(known.values())
        whole = self.columns.path(self.fingerprints, next(iter(files)).stem) if files and not asked else None
        return whole if files == {whole} else None

    def _write(self, part: Part, votes: Votes, same: Path | None) -> VotePart:
        assert self.target is not None
        path = self.target / f"part-{part.place:05}.parquet"
        if same is None:
            votes.save(path)
        else:
            put_same(same, path)
        covered = int(votes.covered.sum())
        return VotePart(f"{path.parent.name}/{path.name}", part.rows, covered, file_digest(path))
