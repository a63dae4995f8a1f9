"""Errors and warnings; and `require`, which imports optional packages.

Every mistake a user can make is a `ShortlistError`. The message says who, what, and what next. The facts are also
attributes, so that no program needs to read a message: `error.labeler`, `error.row`, `error.line`.
"""

# ruff: noqa: N818  an error is called what went wrong, as one reads it in `except UnknownClass`

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self


class ShortlistError(Exception):
    """Base of every error that this library explains.

    Facts about it are attributes, None or empty where they do not apply:

    labeler, feature   the labeler or the feature that was asked
    row                the row, counted from 0
    rows               the first and the last row of several that were asked about together
    word               the word that is not a class
    column             the column of the rows
    option             the path of the option at fault, such as ("estimator", "accuracy_mean")
    file, line         the file at fault (of rows, of a project, of the user's code) and the line in it
    offset             the character in that line, counted from 1
    model, status      the language model that was asked, and the HTTP status of its answer
    number             the id of the piece of work that was lost
    """

    labeler: str | None = None
    feature: str | None = None
    row: int | None = None
    rows: tuple[int, int] | None = None
    word: str | None = None
    column: str | None = None
    option: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None
    offset: int | None = None
    model: str | None = None
    status: int | None = None
    number: int | None = None

    def __init__(self, message: str = "", **facts: Any) -> None:
        super().__init__(message)
        for name, value in facts.items():
            if name not in ShortlistError.__annotations__:
                raise TypeError(f"{name!r} is no fact of an error")
            setattr(self, name, value)

    @property
    def message(self) -> str:
        """The message without the place that stands before it."""
        return str(self.args[0]) if self.args else ""

    @property
    def facts(self) -> dict[str, Any]:
        """All facts that apply."""
        facts = {name: getattr(self, name) for name in ShortlistError.__annotations__}
        return {name: value for name, value in facts.items() if value not in (None, ())}

    def about(self, **facts: Any) -> Self:
        """This error with more facts, which stand before the message: `labeler 'film', row 3: …`."""
        formats = {"labeler": "labeler {!r}", "row": "row {}", "file": "{}"}
        place = ", ".join(formats[name].format(value) for name, value in facts.items())
        return type(self)(f"{place}: {self}", **{**self.facts, **facts})

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it with its facts, whatever the parameters of its class are."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[ShortlistError], args: tuple[Any, ...], facts: dict[str, Any]) -> ShortlistError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(facts)
    return error


class UnknownClass(ShortlistError, ValueError):
    """A word that is not a class of the label space. `word` is that word."""


class BadShortlist(ShortlistError, ValueError):
    """An empty set, the full set, an undeclared shortlist, or something that is not a shortlist at all."""


class BadLabeler(ShortlistError, ValueError):
    """A labeler, or a feature it asks for, that cannot be used as it was written."""


class LabelerFailed(ShortlistError, RuntimeError):
    """A labeler or a feature raised an error on a row; the original error is the `__cause__`.

    `file` and `line` are the last place in the user's own code on the way to that error.
    """


class BadVotes(ShortlistError, ValueError):
    """Votes that contradict themselves, or one another."""


class BadRows(ShortlistError, ValueError):
    """Rows of a kind that labelers cannot read."""


class BadFit(ShortlistError, ValueError):
    """Options, weights, gold labels or votes that a model cannot be fitted with. `option` is the option at fault."""


class BadFile(ShortlistError, ValueError):
    """A file that is missing, truncated, foreign, or written by a newer version.

    Where `file` is given, its name stands before the message: `BadFile("does not exist", file="rows.csv")`.
    """

    def __str__(self) -> str:
        return f"{self.file} {self.message}" if self.file is not None else self.message


class CannotTravel(ShortlistError, ValueError):
    """Something that labelers use cannot be pickled, and so not be sent to other machines."""


class PieceLost(ShortlistError, RuntimeError):
    """A piece of work ended the process of its worker each time it was begun. `number` is the id of the piece."""


class MissingPackage(ShortlistError, ImportError):
    """An optional package (or a model it needs) is not installed."""


class ModelFailed(ShortlistError, RuntimeError):
    """A language model cannot be asked, or failed too often. `model` is its id. Answers so far are kept."""


class BudgetSpent(ShortlistError, RuntimeError):
    """To go on asking a language model would cost more than its budget. Answers so far are kept."""


class Stopped(ShortlistError, RuntimeError):
    """The user stopped the work. Finished work is kept."""


class ShortlistWarning(UserWarning):
    """Base of every warning of this library."""


class SlowPattern(ShortlistWarning):
    """A pattern the linear-time engine cannot express runs row by row with Python's `re`."""


class UselessLabeler(ShortlistWarning):
    """A labeler that can say nothing about any row was left out."""


class ModelWarning(ShortlistWarning):
    """Answers of a language model that need attention: rows without an answer, choices it mixes up."""


class FitWarning(ShortlistWarning):
    """Base of the warnings about a fit; each can be filtered by its class."""


class Inseparable(FitWarning):
    """Classes that no labeler tells apart."""


class OneSided(FitWarning):
    """One-sided labelers, whose accuracy rests on the prior."""


class BalanceCollapsed(FitWarning):
    """A learned class balance in which a class has a share of almost zero."""


class NotConverged(FitWarning):
    """A solver that stopped before it converged."""


class FewLabelers(FitWarning):
    """Fewer than three labelers vote: their accuracies cannot be learned from their agreement."""


class UnnamedClasses(FitWarning):
    """A classifier that learned from beliefs without the names of their columns, so that it answers with numbers."""


class LittleTrust(FitWarning):
    """A fit that no longer means what the labelers declared, so that beliefs fall back toward counting votes."""


if TYPE_CHECKING:

    class NotFitted(ShortlistError, ValueError, AttributeError):
        """A model was asked for something that it only has once it is fitted. It is scikit-learn's NotFittedError."""

else:

    def __getattr__(name: str) -> Any:
        """Make NotFitted on first use: scikit-learn is slow to import."""
        if name != "NotFitted":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from sklearn.exceptions import NotFittedError

        globals()[name] = type(name, (ShortlistError, NotFittedError), {"__module__": __name__})
        return globals()[name]


def require(package: str, extra: str) -> ModuleType:
    """Import an optional package where it is used, or say how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as missing:
        root = package.split(".")[0]
        raise MissingPackage(f"this needs {root}: {how_to_install(extra)}") from missing


def how_to_install(extra: str) -> str:
    """Command that installs the packages of an extra, in a checkout as well as from a wheel."""
    from shlex import quote

    needed = [quote(line.split(";")[0].strip()) for line in requirements() if f"'{extra}'" in line.replace('"', "'")]
    return f"pip install {' '.join(needed) or quote(f'shortlist[{extra}]')}"


def requirements() -> list[str]:
    """Requirements of the installed package, such as `torch>=2.4; extra == 'torch'`; none if it is not installed."""
    from importlib import metadata

    try:
        return metadata.requires("shortlist") or []
    except metadata.PackageNotFoundError:
        return []


@contextmanager
def about_option(*path: str) -> Iterator[None]:
    """Errors raised inside are about the option at this path."""
    try:
        yield
    except ShortlistError as error:
        error.option = (*path, *error.option)
        raise


@contextmanager
def warnings_as_notes(
    notes: list[str], of: type[Warning] = Warning, but: tuple[type[Warning], ...] = ()
) -> Iterator[None]:
    """Add warnings of a kind to notes, each once, but for some kinds that are shown elsewhere. All are silent."""
    with warnings.catch_warnings(record=True, action="always", category=ShortlistWarning) as warned:
        yield
    chosen = [one for one in warned or () if issubclass(one.category, of) and not issubclass(one.category, but)]
    notes += dict.fromkeys(str(one.message) for one in chosen)
