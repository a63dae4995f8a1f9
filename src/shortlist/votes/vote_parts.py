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

from shortlist.archive import atomic
from shortlist.errors import BadFile, ShortlistError
from shortlist.votes.files import header_of, votes_from
from shortlist.votes.votes import Votes

FORMAT = 1
KIND = "votes in parts"


class VotePart(NamedTuple):
    """One file of votes: its name beside the list, and what is in it."""

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
        """From the list of parts, a JSON file beside their folder."""
        try:
            found = json.loads(Path(path).read_text("utf-8"))
            if found["kind"] != KIND or found["version"] > FORMAT:
                raise BadFile(f"{path} is no list of votes that this shortlist reads")
            like = votes_from(Votes, found, np.zeros((0, len(found["labelers"])), np.uint8))
            return cls(Path(path).parent, like, tuple(VotePart(**part) for part in found["parts"]))
        except FileNotFoundError:
            raise BadFile(f"{path} does not exist") from None
        except BadFile:
            raise
        except (ShortlistError, ValueError, LookupError, TypeError, OSError) as error:
            raise BadFile(f"{path} is no list of votes as shortlist writes it: {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the list; the files of the parts are there already."""
        parts = [part._asdict() for part in self.parts]
        text = json.dumps({"kind": KIND, "version": FORMAT, **header_of(self.like), "parts": parts}, indent=1)
        with atomic(path) as file:
            file.write(text.encode("ascii") + b"\n")

    def __len__(self) -> int:
        return sum(part.rows for part in self.parts)

    @property
    def covered(self) -> int:
        """How many rows have at least one vote."""
        return sum(part.covered for part in self.parts)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """The number of the first row of each part, and that of all rows at the end."""
        return np.cumsum([0, *(part.rows for part in self.parts)])

    def __iter__(self) -> Iterator[Votes]:
        return (self.part(number) for number in range(len(self.parts)))

    def part(self, number: int) -> Votes:
        """One part, in the codes of all."""
        found = load_part(self.folder / self.parts[number].file, self.like)
        if len(found) != self.parts[number].rows:
            raise BadFile(f"{self.parts[number].file} holds {len(found):,} rows, not {self.parts[number].rows:,}")
        return found

    def take(self, rows: npt.NDArray[np.int64]) -> Votes:
        """Some rows, by their numbers, which go up. Only the parts that hold some of them are read."""
        edges = np.searchsorted(rows, self.starts)
        held = [number for number in range(len(self.parts)) if edges[number] < edges[number + 1]]
        found = [self.part(a)[rows[edges[a] : edges[a + 1]] - self.starts[a]] for a in held]
        return Votes.concat(found) if found else self.like

    def whole(self, ids: Any = None) -> Votes:
        """All rows at once."""
        codes = [votes.codes for votes in self]
        like = self.like
        together = np.concatenate(codes) if codes else like.codes
        return Votes(together, like.codomains, like.space, like.names, ids=ids, failures=like.failures)


def load_part(path: Path, like: Votes) -> Votes:
    """A file of votes, in the codes of `like`."""
    found = Votes.load(path)
    if found.codomains == like.codomains:
        return found
    joined = Votes.concat([like, found])
    return Votes(joined.codes, joined.codomains, joined.space, joined.names)
