"""Labeler and @labeler: a function of a row that answers with a shortlist, or with nothing.

@labeler(says=["HUM", "LOC", {"DESC", "NUM"}])
def first_word(question):
    match question.split()[0].lower():
        case "who": return "HUM"
        case "where": return "LOC"
        case "how": return {"DESC", "NUM"}      # returning nothing is abstaining
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, overload

import numpy as np

from shortlist.errors import BadLabeler, BadShortlist, LabelerFailed, UnknownClass
from shortlist.labelers.ballot import Ballot, Encoder, Said, show_answer
from shortlist.labelers.features import Columns, FeatureFailed, Written, brief
from shortlist.labelspace import Not, names_in


class Labeler(ABC):
    """Something that votes on rows: it has a name, and declares all it may say (or None: to be found out)."""

    name: str
    says: Said | None

    @abstractmethod
    def vote(self, columns: Columns, encoder: Encoder) -> Ballot:
        """The votes on one chunk of rows."""

    @abstractmethod
    def __call__(self, row: Any) -> Any:
        """The answer for one row: to try a labeler out, and to check it by."""


class FunctionLabeler(Written, Labeler):
    """A Python function as a labeler, called row by row. Made by `@labeler`."""

    def __init__(
        self, function: Callable[..., Any], says: Iterable[Any] | None = None, name: str | None = None
    ) -> None:
        Written.__init__(self, function, name)
        self.says = None if says is None else declared(says, self.name)

    def __repr__(self) -> str:
        said = "says not declared" if self.says is None else f"says {', '.join(map(show_answer, self.says))}"
        return f"<labeler {self.name}: {said}>"

    def vote(self, columns: Columns, encoder: Encoder) -> Ballot:
        inputs = columns.of(self)
        function = _refusing(self.function) if columns.may_fail(self) else self.function
        answers = map(function, *inputs)
        ballot = Ballot(encoder)
        codes: list[int] = []
        table, resolve, append, m = encoder.table, encoder.resolve, codes.append, len(columns.chunk)
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
            except (Exception, SystemExit) as error:
                failure = self._failure(error, columns.chunk.start + len(codes))
                if columns.raise_errors:
                    raise failure from error
                ballot.fail(error)
                append(0)
        ballot.codes = np.array(codes, encoder.dtype)
        return ballot

    def _failure(self, error: BaseException, a: int) -> Exception:
        """The error that names the labeler and the row: a bad answer keeps its kind, the rest is a failure."""
        if isinstance(error, (BadShortlist, UnknownClass)):
            return type(error)(f"labeler {self.name!r}, row {a}: {error}")
        return LabelerFailed(f"labeler {self.name!r} failed on row {a}: {brief(error)}")


def _refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which fails where a feature it asks for has failed."""

    def call(*arguments: Any) -> Any:
        for argument in arguments:
            if argument.__class__ is FeatureFailed:
                raise argument.error
        return function(*arguments)

    return call


def declared(says: Any, name: str) -> Said:
    """What a labeler declares it may say, checked as far as that goes without the label space."""
    if isinstance(says, (str, Not)):
        says = [says]
    if isinstance(says, (set, frozenset)) and all(
        isinstance(word, str) for word in says
    ):  # one shortlist or several? and in which order?
        raise BadLabeler(
            f"labeler {name!r}: says is a list: [{show_answer(names_in(says))}] for this shortlist, "
            f"{sorted(says)} for either class"
        )
    try:
        said = tuple(names_in(answer) for answer in says)
    except (BadShortlist, TypeError) as error:
        raise BadLabeler(
            f"labeler {name!r}: says is a list of answers, each a class name, a set of names or Not: {error}"
        ) from error
    if not said or frozenset() in said:
        raise BadLabeler(f"labeler {name!r} says nothing: leave `says` out, or list the shortlists it may answer")
    if len(set(said)) < len(said):
        raise BadLabeler(f"labeler {name!r} declares an answer twice: {', '.join(map(show_answer, said))}")
    return said


@overload
def labeler(function: Callable[..., Any], /) -> FunctionLabeler: ...
@overload
def labeler(
    *, says: Iterable[Any] | None = None, name: str | None = None
) -> Callable[[Callable[..., Any]], FunctionLabeler]: ...
def labeler(
    function: Callable[..., Any] | None = None,
    /,
    *,
    says: Iterable[Any] | None = None,
    name: str | None = None,
) -> Any:
    """Make a labeler of a function that returns a class name, a set of names, `Not("X")`, or nothing.

    `says` lists all it may answer. Left out, the shortlists seen while it is applied are taken for that, and
    the Votes mark them as inferred.
    """
    if function is not None:
        if not callable(function):
            raise BadLabeler(f"{function!r} is not a function; what a labeler says is given by name: @labeler(says=…)")
        return FunctionLabeler(function)

    def wrap(function: Callable[..., Any]) -> FunctionLabeler:
        return FunctionLabeler(function, says, name)

    return wrap
