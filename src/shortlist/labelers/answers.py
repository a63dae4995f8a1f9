"""Answers of labelers: what they may say, the codes of what they said, and how they failed.

A labeler that declares what it says has the codes of its codomain. One that does not gets codes in the order in which
its shortlists are seen; `apply` turns them into those of the inferred codomain at the end.
"""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadLabeler, BadRows, BadShortlist, LabelerFailed, about_option
from shortlist.labelspace import LabelSpace, Not, Shortlist, as_written, names_in
from shortlist.rows import Chunk
from shortlist.votes import Failure
from shortlist.wording import ended

Value = TypeVar("Value")
REMEDY = 'To go on where a labeler fails: apply(…, on_error="abstain")'
Said = tuple[Shortlist | Not, ...]


def checked_answer(answer: Any, name: str, option: str) -> Shortlist | Not:
    """Check one answer of a labeler, as far as possible without the label space."""
    with about_option(option):
        return checked_says([answer], name)[0]


def checked_says(says: Any, name: str) -> Said:
    """Check the answers that a labeler declares, as far as possible without the label space."""
    if isinstance(says, (str, Not)):
        says = [says]
    if isinstance(says, (set, frozenset)) and all(isinstance(word, str) for word in says):
        raise BadLabeler(  # one shortlist or several? and in which order?
            f"labeler {name!r}: says is a list: [{as_written(names_in(says))}] for this shortlist, "
            f"{sorted(says)} for either class",
            labeler=name,
        )
    try:
        said = tuple(names_in(answer) for answer in says)
    except (BadShortlist, TypeError) as error:
        raise BadLabeler(
            f"labeler {name!r}: says is a list of answers, each a class name, a set of names or Not: {error}",
            labeler=name,
        ) from error
    if not said or frozenset() in said:
        raise BadLabeler(
            f"labeler {name!r} says nothing: leave `says` out, or list the shortlists it may answer", labeler=name
        )
    if len(set(said)) < len(said):
        shown = ", ".join(map(as_written, said))
        raise BadLabeler(f"labeler {name!r} declares an answer twice: {shown}", labeler=name)
    return said


def plain_answer(answer: Shortlist | Not) -> Any:
    """An answer as plain data: a list of classes, or {"not": a list of classes}."""
    return {"not": sorted(answer.classes)} if isinstance(answer, Not) else sorted(answer)


def answers_from_plain(value: Any) -> Any:
    """Replace {"not": ["X"]} by Not("X") wherever it stands in plain data."""
    if isinstance(value, list):
        return [answers_from_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    if set(value) != {"not"}:
        return {key: answers_from_plain(one) for key, one in value.items()}
    names = [value["not"]] if isinstance(value["not"], str) else value["not"]
    if not isinstance(names, list):
        raise BadLabeler(f'{value!r} is no answer: every class but X is written {{"not": ["X"]}}')
    return Not(*names)


class Codebook:
    """Answers → codes for one labeler. `table` is looked up first; `resolve` deals with what is not in it."""

    dtype = np.dtype(np.uint16)

    def __init__(self, says: Said | None, space: LabelSpace | None) -> None:
        self.space = space
        self.inferred = says is None
        self.seen: list[Shortlist | Not] = []
        self.table: dict[Any, int] = {None: 0}
        for answer in says or ():
            self._add(self._meaning(answer))

    def _meaning(self, answer: Any) -> Shortlist | Not:
        """The shortlist that an answer stands for, or its words while no label space is known."""
        if self.space is None:
            words = names_in(answer)
            if words == frozenset():
                raise BadShortlist(f"{as_written(answer)} leaves no class; to abstain, return nothing (None)")
            return words
        return self.space.shortlist(answer)

    def _add(self, meaning: Shortlist | Not) -> int:
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
        if answer is None:
            return 0
        meaning = self._meaning(answer)
        code = self.table.get(meaning)
        if code is None:
            if not self.inferred:
                declared = ", ".join(map(as_written, self.seen))
                raise BadShortlist(
                    f"{as_written(meaning)} is not among what it says: {declared}. "
                    f"Add it: says=[{declared}, {answer if isinstance(answer, Not) else as_written(meaning)}]"
                )
            code = self._add(meaning)
        with suppress(TypeError):  # a list is understood, but cannot be remembered
            self.table[answer] = code
        return code


class Ballot:
    """The votes of one labeler on one chunk of rows: codes, the answers that they stand for, and failures."""

    def __init__(self, codebook: Codebook) -> None:
        self.codes: npt.NDArray[np.unsignedinteger[Any]] = np.zeros(0, codebook.dtype)
        self.seen: Sequence[Shortlist | Not] = codebook.seen
        self.failure: Failure | None = None

    def fail(self, error: BaseException, row: int | None = None) -> None:
        """Count one more failed row; the first traceback is kept. `row` is its number, if the error does not say it."""
        if self.failure is None:
            self.failure = Failure(1, full_traceback(error, row))
        else:
            self.failure = Failure(self.failure.count + 1, self.failure.first)

    def read(
        self,
        chunk: Chunk,
        read: Callable[[Chunk], Iterable[Value]],
        *,
        raise_errors: bool,
        errors: type[Exception] = BadRows,
    ) -> Iterable[Value | None]:
        """Read a whole chunk. On one of these errors, raise it, or read row by row: None where a row fails."""
        try:
            return read(chunk)
        except errors:
            if raise_errors:
                raise
        values: list[Value | None] = []
        for row in chunk.cut(1):
            try:
                values.extend(read(row))
            except Exception as error:
                self.fail(error, row.start)
                values.append(None)
        return values


# -- failures ----------------------------------------------------------------------------------------------


def failed(error: BaseException, **facts: Any) -> LabelerFailed:
    """The error that a labeler or a feature (`labeler=`, `feature=`) failed on a row or on rows (`row=`, `rows=`)."""
    who = f"labeler {facts['labeler']!r}" if "labeler" in facts else f"feature {facts['feature']!r}"
    where = f"row {facts['row']}" if "row" in facts else f"rows {facts['rows'][0]} to {facts['rows'][1]}"
    return LabelerFailed(f"{who} failed on {where}: {described(error)}", **facts, **users_place(error))


def described(error: BaseException) -> str:
    """Class and message of an error of the user's code, whose `__str__` may fail."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"{type(error).__name__} (its message cannot be shown)"


def with_row(error: LabelerFailed, row: Any, columns: Sequence[str] = (), remedy: str = REMEDY) -> LabelerFailed:
    """Add the content of the row, or of these columns of it, and a remedy to an error that depends on the row."""
    if isinstance(row, Mapping) and columns:
        shown = ", ".join(f"{name} {_short(row.get(name))}" for name in columns)
    else:
        shown = _short(row)
    if type(error.__cause__) in (NameError, ImportError, ModuleNotFoundError):  # it would fail on every row
        return error
    return LabelerFailed(f"{ended(error.message)} The row: {shown}. {remedy}", **error.facts)


def _short(value: Any, longest: int = 120) -> str:
    """A value as Python writes it, truncated."""
    text = repr(value[: 2 * longest] if isinstance(value, str) else value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def full_traceback(error: BaseException, row: int | None = None) -> str:
    """The traceback as text. It ends with one line: place, row and error, or place, feature and row."""
    if isinstance(error, LabelerFailed) and error.__cause__ is not None:
        place = f"{Path(error.file).name}, line {error.line}: " if error.file else ""
        return f"{full_traceback(error.__cause__)}{place}{' '.join(error.message.split())}\n"
    whole = "".join(traceback.format_exception(error))
    if row is None:
        return whole
    facts = users_place(error)
    place = f"{Path(facts['file']).name}, line {facts['line']}, " if facts else ""
    return f"{whole}{place}row {row}: {' '.join(described(error).split())}\n"


def users_place(error: BaseException) -> dict[str, Any]:
    """File and line of the last frame of the traceback that is the user's own code; empty if there is none."""
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next(({"file": file, "line": line} for file, line in reversed(places) if not _installed(file)), {})


@cache
def _installed(file: str) -> bool:
    """True for a file of Python, of a package or of Shortlist."""
    roots = [str(Path(__file__).parents[1]), sysconfig.get_path("stdlib"), os.path.realpath(os.__file__ + "/..")]
    return file.startswith(("<frozen", *roots)) or "site-packages" in file or "dist-packages" in file
