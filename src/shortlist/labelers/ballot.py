"""Ballot: the votes of one labeler on one chunk of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.labelers.answers import Codebook
from shortlist.labelers.failure import full_traceback
from shortlist.labelspace import Not, Shortlist
from shortlist.rows import Chunk
from shortlist.votes import Failure

Value = TypeVar("Value")


class Ballot:
    """The codes of one labeler for one chunk, what they stand for where that was found out, what failed."""

    def __init__(self, codebook: Codebook) -> None:
        self.codes: npt.NDArray[np.unsignedinteger[Any]] = np.zeros(0, codebook.dtype)
        self.seen: Sequence[Shortlist | Not] = codebook.seen
        self.failure: Failure | None = None

    def fail(self, error: BaseException, row: int | None = None) -> None:
        """One more row failed; the first traceback is kept. `row` is its number, where the error does not say it."""
        if self.failure is None:
            self.failure = Failure(1, full_traceback(error, row))
        else:
            self.failure = Failure(self.failure.count + 1, self.failure.first)

    def row_by_row(self, chunk: Chunk, read: Callable[[Chunk], Value]) -> list[Value | None]:
        """What is read of each row by itself, None where that fails: for a chunk that cannot be read whole."""
        found: list[Value | None] = []
        for row in chunk.cut(1):
            try:
                found.append(read(row))
            except Exception as error:
                self.fail(error, row.start)
                found.append(None)
        return found
