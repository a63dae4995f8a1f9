"""Labeler and @labeler: a function of a row that answers with a shortlist, or with nothing.

@labeler(says=["HUM", "LOC", {"DESC", "NUM"}])
def first_word(question):
    match question.split()[0].lower():
        case "who": return "HUM"
        case "where": return "LOC"
        case "how": return {"DESC", "NUM"}      # returning nothing is abstaining

A new kind of labeler is a subclass of `Labeler` with `vote` and `__call__`. It says more about itself (what it runs,
how it is written in a file, what its answers depend on) in the other methods, which have defaults.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple, Self, overload

import numpy as np

from shortlist.errors import BadLabeler, BadShortlist, ShortlistError, UnknownClass
from shortlist.labelers.all_rows import AllRows
from shortlist.labelers.answers import Codebook, Said, checked_says, plain_answer, show_answer
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.failure import FeatureError, failed, refusing
from shortlist.labelers.features import Columns, Plan, RowFunction
from shortlist.labelers.together import Search
from shortlist.registry import parameters_known


class Parts(NamedTuple):
    """What the answers of a labeler depend on, besides the rows.

    data   plain data, which JSON can hold
    code   functions and other objects of Python that it uses
    """

    data: Any
    code: tuple[Any, ...] = ()


class Labeler(ABC):
    """Something that votes on rows: it has a name, and declares all it may say (or None: to be found out)."""

    name: str
    says: Said | None
    gpus: float = 0  # that a worker of a cluster needs to ask it
    unnamed: bool = False  # whether nobody gave it a name: what it is called is made of what it looks for

    @abstractmethod
    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        """The votes on one chunk of rows."""

    @abstractmethod
    def __call__(self, row: Any) -> Any:
        """The answer for one row: to try a labeler out, and to check it by."""

    def functions(self) -> Sequence[RowFunction]:
        """The functions that it runs row by row: its own, or the feature that it reads."""
        return ()

    def search(self, plan: Plan, codebook: Codebook) -> Search | None:  # noqa: ARG002
        """What it looks for in a column, where that is all it does: such labelers are asked together, in one plan."""
        return None

    def record(self) -> dict[str, Any] | None:
        """The labeler as plain data for a file: its kind and its settings. None where it is Python code."""
        return None

    def fingerprint_parts(self) -> Parts:
        """What its answers depend on. A project asks it again when any of that has changed."""
        return Parts(plain_says(self.says), (self,))

    def on_text(self, column: str) -> Self:  # noqa: ARG002
        """The same labeler; one that reads text and was told no column then reads this one."""
        return self

    def named_by(self, variable: str) -> Self:
        """The same labeler; one that was given no name is called as the variable that holds it."""
        if not self.unnamed:
            return self
        found = copy(self)
        object.__setattr__(found, "name", variable)
        return found

    def at_home(self, folder: Path, hidden: Path) -> Self:  # noqa: ARG002
        """The same labeler in a project: files that it names are in `folder`, what it keeps is in `hidden`."""
        return self

    def before(self, rows: AllRows) -> Self:  # noqa: ARG002
        """The same labeler, once it has done what is best done before any row is voted on.

        It is called where all rows are at hand, in the process that gives out the work. A labeler that asks a model
        asks it here; one that depends on all rows together learns that here.
        """
        return self


def plain_says(says: Said | None) -> Any:
    """What a labeler declares, as plain data."""
    return None if says is None else [plain_answer(answer) for answer in says]


def checked_gpus(gpus: object, name: str) -> float:
    """How many GPUs a labeler asks for."""
    if isinstance(gpus, bool) or not isinstance(gpus, (int, float)) or not 0 <= gpus < float("inf"):
        raise BadLabeler(f"labeler {name!r}: gpus is a number from 0, 0.5 for half of one; got {gpus!r}", labeler=name)
    return gpus


class FunctionLabeler(RowFunction, Labeler):
    """A Python function as a labeler, called row by row. Made by `@labeler`."""

    role = "labeler"

    def __init__(
        self, function: Callable[..., Any], says: Iterable[Any] | None = None, name: str | None = None, gpus: float = 0
    ) -> None:
        RowFunction.__init__(self, function, name)
        self.gpus = checked_gpus(gpus, self.name)
        self.says = None if says is None else checked_says(says, self.name)

    def __repr__(self) -> str:
        said = "says not declared" if self.says is None else f"says {', '.join(map(show_answer, self.says))}"
        return f"<labeler {self.name}: {said}>"

    def functions(self) -> Sequence[RowFunction]:
        return (self,)

    def fingerprint_parts(self) -> Parts:
        return Parts(plain_says(self.says), (self.function,))

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        inputs = columns.one_by_one(self)
        function = refusing(self.function) if columns.may_fail(self) else self.function
        answers = map(function, *inputs)
        ballot = Ballot(codebook)
        codes: list[int] = []
        table, resolve, append, m = codebook.table, codebook.resolve, codes.append, len(columns.chunk)
        while len(codes) < m:  # gone through once, and once more for each row that failed
            try:
                for answer in answers:
                    if answer.__class__ is set:
                        answer = frozenset(answer)
                    try:
                        append(table[answer])
                    except (KeyError, TypeError):
                        append(resolve(answer))
                if len(codes) < m:
                    raise RuntimeError("it raised StopIteration")
            except FeatureError as stopped:
                raise stopped.args[0] from stopped.__cause__
            except (Exception, SystemExit) as error:
                if columns.raise_errors:
                    raise self._failure(error, columns.chunk.start + len(codes)) from error
                ballot.fail(error, columns.chunk.start + len(codes))
                append(0)
        ballot.codes = np.array(codes, codebook.dtype)
        return ballot

    def _failure(self, error: BaseException, a: int) -> ShortlistError:
        """The error that names the labeler and the row: a bad answer keeps its kind, the rest is a failure."""
        if isinstance(error, (BadShortlist, UnknownClass)):
            return error.about(labeler=self.name, row=a)
        return failed(error, labeler=self.name, row=a)


@overload
def labeler(function: Callable[..., Any], /) -> FunctionLabeler: ...
@overload
def labeler(
    *, says: Iterable[Any] | None = None, name: str | None = None, gpus: float = 0
) -> Callable[[Callable[..., Any]], FunctionLabeler]: ...
@parameters_known(BadLabeler)
def labeler(
    function: Callable[..., Any] | None = None,
    /,
    *,
    says: Iterable[Any] | None = None,
    name: str | None = None,
    gpus: float = 0,
) -> Any:
    """Make a labeler of a function that returns a class name, a set of names, `Not("X")`, or nothing.

    `says` lists all it may answer. Left out, the shortlists seen while it is applied are taken for that, and
    the Votes mark them as inferred. `gpus` is how many GPUs a worker of a cluster needs to run it (0.5: two share one).
    """
    if function is not None:
        if not callable(function):
            raise BadLabeler(f"{function!r} is not a function; what a labeler says is given by name: @labeler(says=…)")
        return FunctionLabeler(function)

    def wrap(function: Callable[..., Any]) -> FunctionLabeler:
        return FunctionLabeler(function, says, name, gpus)

    return wrap
