"""One family of errors, and the one door through which optional packages come in.

Every mistake a user can make is a `ShortlistError`; the message says who, what, and what next.
"""

# ruff: noqa: N818  an error is called what went wrong, as one reads it in `except UnknownClass`

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


class ShortlistError(Exception):
    """The root of the family: `except ShortlistError` catches every mistake this library explains.

    `option` is the path of the option it is about, such as ("estimator", "accuracy_mean"); empty where it is none.
    """

    option: tuple[str, ...] = ()


class UnknownClass(ShortlistError, ValueError):
    """A word that is not a class of the label space."""


class BadShortlist(ShortlistError, ValueError):
    """An empty set, the full set, an undeclared shortlist, or something that is not a shortlist at all."""


class BadLabeler(ShortlistError, ValueError):
    """A labeler, or a feature it asks for, that cannot be used as it was written."""


class LabelerFailed(ShortlistError, RuntimeError):
    """A labeler or a feature raised an error on a row; the original error is the `__cause__`."""


class BadVotes(ShortlistError, ValueError):
    """Votes that contradict themselves, or one another."""


class BadRows(ShortlistError, ValueError):
    """Rows of a kind that labelers cannot read."""


class BadFit(ShortlistError, ValueError):
    """Options, weights, gold labels or votes that a model cannot be fitted with."""

    def __init__(self, message: str, *, option: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.option = option


class NotFitted(ShortlistError, ValueError, AttributeError):
    """A model was asked for what it only knows once it is fitted."""


class BadFile(ShortlistError, ValueError):
    """A file that is missing, truncated, foreign, or written by a newer version."""


class MissingPackage(ShortlistError, ImportError):
    """An optional package (or a model it needs) is not installed."""


class ShortlistWarning(UserWarning):
    """The root of everything this library warns about."""


class SlowPattern(ShortlistWarning):
    """A pattern the linear-time engine cannot express runs row by row with Python's `re`."""


class UselessLabeler(ShortlistWarning):
    """A labeler that can say nothing about any row was left out."""


class FitWarning(ShortlistWarning):
    """What a fit has to say about itself; each kind below can be filtered by its class."""


class Inseparable(FitWarning):
    """Classes that no labeler tells apart."""


class OneSided(FitWarning):
    """Labelers with one thing to say, whose accuracy rests on the prior."""


class BalanceCollapsed(FitWarning):
    """A learned class balance that has given a class up."""


class NotConverged(FitWarning):
    """A solver that stopped because it had to."""


class FewLabelers(FitWarning):
    """Fewer than three labelers vote: their accuracies cannot be told from their agreement."""


class LittleTrust(FitWarning):
    """A fit that no longer means what the labelers declared, so that beliefs fall back toward counting votes."""


def require(package: str, extra: str) -> ModuleType:
    """Import an optional package where it is used, or say how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError as missing:
        root = package.split(".")[0]
        raise MissingPackage(f"this needs {root}: pip install 'shortlist[{extra}]'") from missing


@contextmanager
def about_option(*path: str) -> Iterator[None]:
    """Errors raised inside are about the option at this path."""
    try:
        yield
    except ShortlistError as error:
        error.option = (*path, *error.option)
        raise
