"""Labeler and @labeler: a function of a row that answers with a shortlist, or with nothing.

@labeler(says=["HUM", "LOC", {"DESC", "NUM"}])
def first_word(question):
    match question.split()[0].lower():
        case "who": return "HUM"
        case "where": return "LOC"
        case "how": return {"DESC", "NUM"}      # returning nothing is abstaining

A new kind of labeler is a subclass of `Labeler` with `vote`. The other methods have defaults.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar, overload

import numpy as np

from shortlist.errors import BadLabeler, BadShortlist, ShortlistError, UnknownClass
from shortlist.labelers.answers import Ballot, Codebook, Said, answers_from_plain, checked_says, failed, plain_answer
from shortlist.labelers.features import Columns, FeatureFailed, FeaturePlan, RowFunction
from shortlist.labelspace import as_written
from shortlist.progress import Tell
from shortlist.registry import Registry, attribute_of, make_from_record, parameters_known
from shortlist.rows import Chunk


class AllRows(NamedTuple):
    """All rows, for labelers that have something to do before any row is voted on.

    read   returns the rows from the beginning, and how many there are, or None; it can be called again
    tell   shows progress in one line that replaces the one before; None where nobody watches
    """

    read: Callable[[], tuple[Iterator[Chunk], int | None]]
    tell: Tell | None = None


class Parts(NamedTuple):
    """Everything that the answers of a labeler depend on, besides the rows.

    data   plain data, which JSON can hold
    code   functions and other objects of Python that it uses
    """

    data: Any
    code: tuple[Any, ...] = ()


class Labeler(ABC):
    """Votes on rows. `says` lists all its answers, or is None: they are inferred from its votes."""

    name: str
    says: Said | None
    gpus: float = 0  # that a worker of a cluster needs
    unnamed: bool = False  # whether its name was not set by the user, but made from its settings

    @abstractmethod
    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        """The votes on one chunk of rows."""

    def __call__(self, row: Any) -> Any:
        """The answer for one row: to try a labeler out."""
        chunk, codebook = Chunk(0, [row]), Codebook(self.says, None)
        plan = FeaturePlan(self.functions(), columns=chunk.columns)
        code = int(self.vote(Columns(chunk, plan, raise_errors=True), codebook).codes[0])
        return codebook.seen[code - 1] if code else None

    def functions(self) -> Sequence[RowFunction]:
        """The functions that run row by row."""
        return ()

    def search(self, plan: FeaturePlan) -> tuple[str | None, str] | None:  # noqa: ARG002
        """The column and the pattern to search for, if that is all it does: such searches run together."""
        return None

    def record(self) -> dict[str, Any] | None:
        """The labeler as plain data: its kind and its settings, as in shortlist.toml. None where it is Python code."""
        return None

    def fingerprint_parts(self) -> Parts:
        """Everything its answers depend on. A project asks it again when any of that has changed."""
        return Parts(plain_says(self.says), (self,))

    def on_text(self, column: str) -> Self:  # noqa: ARG002
        """Return the labeler with this column of text, unless it has a column already."""
        return self

    def with_default_name(self, variable: str) -> Self:
        """Return the labeler, named after the variable that holds it unless the user named it."""
        if not self.unnamed:
            return self
        renamed = copy(self)
        object.__setattr__(renamed, "name", variable)
        return renamed

    def bind_to_project(self, hidden: Path, encoder: str | None = None) -> Self:  # noqa: ARG002
        """Return the labeler in a project, whose cache is in the folder `hidden`, and which names this encoder."""
        return self

    def prepare(self, rows: AllRows) -> Self:  # noqa: ARG002
        """Return the labeler, ready to vote.

        It is called where all rows are at hand, in the process that gives out the work. A labeler that asks a model
        asks it here; one that depends on all rows together learns that here.
        """
        return self


def plain_says(says: Said | None) -> Any:
    """The declared answers of a labeler, as plain data."""
    return None if says is None else [plain_answer(answer) for answer in says]


def checked_gpus(gpus: object, name: str) -> float:
    """Check the number of GPUs that a labeler needs."""
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
        said = "says not declared" if self.says is None else f"says {', '.join(map(as_written, self.says))}"
        return f"<labeler {self.name}: {said}>"

    def functions(self) -> Sequence[RowFunction]:
        return (self,)

    def fingerprint_parts(self) -> Parts:
        return Parts(plain_says(self.says), (self.function,))

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        inputs = columns.of(self)
        answers = map(self._call_unless_failed if columns.may_fail(self) else self.function, *inputs)
        ballot = Ballot(codebook)
        codes: list[int] = []
        table, resolve, append, m = codebook.table, codebook.resolve, codes.append, len(columns.chunk)
        while len(codes) < m:  # once, and once more for each row that failed
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
            except (Exception, SystemExit, GeneratorExit) as error:
                if columns.raise_errors:
                    raise self._failure(error, columns.chunk.start + len(codes)) from error
                ballot.fail(error, columns.chunk.start + len(codes))
                append(0)
        ballot.codes = np.array(codes, codebook.dtype)
        return ballot

    def _call_unless_failed(self, *arguments: Any) -> Any:
        """Call the function, or raise the error of a feature that it asks for."""
        for argument in arguments:
            if argument.__class__ is FeatureFailed:
                raise argument.error
        return self.function(*arguments)

    def _failure(self, error: BaseException, a: int) -> ShortlistError:
        """Name the labeler and the row: a bad answer keeps its error class, the rest is a failure."""
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


# -- kinds: labelers as plain data, as in shortlist.toml -------------------------------------------------

Maker = TypeVar("Maker", bound=Callable[..., Labeler])


LABELER_KINDS: Registry[Callable[..., Labeler]] = Registry(
    "kind of labeler", "shortlist.labelers", attribute_of(object, "labeler_kind")
)


def labeler_kind(name: str) -> Callable[[Maker], Maker]:
    """Register a function that makes labelers as a kind that shortlist.toml can hold.

    The parameters of the function are the settings of the kind. Of two with one name, the last counts. An installed
    package can announce its function as an entry point of the group `shortlist.labelers` instead.
    """

    def register(make: Maker) -> Maker:
        make.labeler_kind = name  # type: ignore[attr-defined]
        LABELER_KINDS.add(make)
        return make

    return register


def from_record(record: Mapping[str, Any]) -> Labeler:
    """Make a labeler from plain data. `error.option` names a wrong setting."""
    if not isinstance(record, Mapping):
        raise BadLabeler(f"{record!r} is no labeler: each is an object with a kind and a name")
    return make_from_record({key: answers_from_plain(value) for key, value in record.items()}, LABELER_KINDS, "labeler")
