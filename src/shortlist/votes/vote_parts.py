"""VoteParts: Votes that are too large to hold at once, in parquet files of some rows each.

parts = VoteParts.open("out/votes.json")
model = LabelModel().fit(parts)                  # one part after the other, counted, and let go
for votes in parts: ...
votes = parts.whole()                            # all rows at once, where they fit
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shortlist.archive import atomic, check_header, damage_as_bad_file
from shortlist.errors import BadFile
from shortlist.votes.files import header_of, votes_from
from shortlist.votes.votes import Votes


class VotePart(NamedTuple):
    """One file of votes: its name beside the list, and its size."""

    file: str
    rows: int
    covered: int  # rows with at least one vote
    digest: str  # sha256 of the file


@dataclass(frozen=True, eq=False)
class VoteParts:
    """Files of Votes of the same labelers, whose rows follow one another."""

    folder: Path
    like: Votes  # no rows: the labelers, all that they were seen to say, and how often they failed
    parts: tuple[VotePart, ...]

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> VoteParts:
        """Read the list of parts, a JSON file beside their folder."""
        with damage_as_bad_file(path):
            header = json.loads(Path(path).read_text("utf-8"))
            check_header(path, header, "votes in parts")
            like = votes_from(Votes, header, np.zeros((0, len(header["labelers"])), np.uint8))
            return cls(Path(path).parent, like, tuple(VotePart(**part) for part in header["parts"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the list; the files of the parts are there already."""
        parts = [part._asdict() for part in self.parts]
        header = {"kind": "votes in parts", "version": 1, **header_of(self.like), "parts": parts}
        with atomic(path) as file:
            file.write(json.dumps(header, indent=1).encode("ascii") + b"\n")

    def __len__(self) -> int:
        return sum(part.rows for part in self.parts)

    @property
    def covered(self) -> int:
        """Number of rows with at least one vote."""
        return sum(part.covered for part in self.parts)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """The number of the first row of each part, and that of all rows at the end."""
        return np.cumsum([0, *(part.rows for part in self.parts)])

    def __iter__(self) -> Iterator[Votes]:
        return (self.part(number) for number in range(len(self.parts)))

    def part(self, number: int) -> Votes:
        """One part, in the codes of all."""
        part = self.parts[number]
        votes = Votes.load(self.folder / part.file)
        if len(votes) != part.rows:
            raise BadFile(f"{part.file} holds {len(votes):,} rows, not {part.rows:,}")
        if votes.codomains == self.like.codomains:
            return votes
        joined = Votes.concat([self.like, votes])
        return Votes(joined.codes, joined.codomains, joined.space, joined.names)

    def take(self, rows: npt.NDArray[np.int64]) -> Votes:
        """Some rows, by their numbers, which go up. Only the parts that hold some of them are read."""
        edges = np.searchsorted(rows, self.starts)
        held = [number for number in range(len(self.parts)) if edges[number] < edges[number + 1]]
        parts = [self.part(a)[rows[edges[a] : edges[a + 1]] - self.starts[a]] for a in held]
        return Votes.concat(parts) if parts else self.like

    def whole(self, ids: Any = None) -> Votes:
        """All rows at once."""
        codes = [votes.codes for votes in self]
        like = self.like
        together = np.concatenate(codes) if codes else like.codes
        return Votes(together, like.codomains, like.space, like.names, ids=ids, failures=like.failures)
