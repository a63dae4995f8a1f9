"""Encoder and Ballot: how a labeler's answers become codes, and the codes of one labeler for one chunk.

The codes of a labeler that declared what it says are those of its codomain. One that did not gets codes in the
order in which shortlists were seen; `apply` turns them into those of the inferred codomain at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadShortlist
from shortlist.labelers.features import full_traceback
from shortlist.labelspace import LabelSpace, Not, Shortlist, names_in
from shortlist.rows import Chunk
from shortlist.votes import Failure

Said = tuple[Shortlist | Not, ...]
Value = TypeVar("Value")


class Encoder:
    """Answers → codes for one labeler. `table` is looked up first; `resolve` deals with what is not in it."""

    dtype = np.dtype(np.uint16)

    def __init__(self, says: Said | None, space: LabelSpace | None, *, full_abstains: bool = False) -> None:
        self.space = space
        self.inferred = says is None
        self.full_abstains = full_abstains
        self.seen: list[Shortlist | Not] = []
        self.table: dict[Any, int] = {None: 0}
        for answer in says or ():
            self._add(self._meaning(answer))

    def _meaning(self, answer: Any) -> Shortlist | Not | None:
        """What an answer stands for: its shortlist, or (while no label space is known) its words."""
        if self.space is None:
            words = names_in(answer)
            if words == frozenset():
                raise BadShortlist(f"{answer!r} leaves no class; to abstain, return nothing (None)")
            return words
        return self.space.shortlist(answer, full_is_none=self.full_abstains)

    def _add(self, meaning: Shortlist | Not | None) -> int:
        if meaning is None:
            return 0
        self.seen.append(meaning)
        code = len(self.seen)
        if code > np.iinfo(self.dtype).max:
            raise BadShortlist(f"more than {np.iinfo(self.dtype).max} different shortlists")
        self.table[meaning] = code
        if isinstance(meaning, frozenset) and len(meaning) == 1:
            self.table[next(iter(meaning))] = code
        return code

    def resolve(self, answer: Any) -> int:
        """The code of an answer that is not in the table yet; a bad answer is an error."""
        meaning = None if answer is None else self._meaning(answer)
        code = 0 if meaning is None else self.table.get(meaning)
        if code is None:
            if not self.inferred:
                raise BadShortlist(
                    f"{show_answer(meaning)} is not among what it says: {', '.join(map(show_answer, self.seen))}"
                )
            code = self._add(meaning)
        with suppress(TypeError):  # a list is understood, but cannot be remembered
            self.table[answer] = code
        return code


def show_answer(meaning: Shortlist | Not | None) -> str:
    """A shortlist as a user would write it."""
    if isinstance(meaning, frozenset):
        return repr(next(iter(meaning))) if len(meaning) == 1 else "{" + ", ".join(map(repr, sorted(meaning))) + "}"
    return repr(meaning)


class Ballot:
    """The codes of one labeler for one chunk, what they stand for where that was found out, what failed."""

    def __init__(self, encoder: Encoder) -> None:
        self.codes: npt.NDArray[np.uint16] = np.zeros(0, encoder.dtype)
        self.seen: Sequence[Shortlist | Not] = encoder.seen
        self.failure: Failure | None = None

    def fail(self, error: BaseException) -> None:
        """One more row failed; the first traceback is kept."""
        if self.failure is None:
            self.failure = Failure(1, full_traceback(error))
        else:
            self.failure = Failure(self.failure.count + 1, self.failure.first)

    def row_by_row(self, chunk: Chunk, read: Callable[[Chunk], Value]) -> list[Value | None]:
        """What is read of each row by itself, None where that fails: for a chunk that cannot be read whole."""
        found: list[Value | None] = []
        for row in chunk.singles():
            try:
                found.append(read(row))
            except Exception as error:
                self.fail(error)
                found.append(None)
        return found
