"""Options: the checks that models share. An option that cannot be is a BadFit that names it, also as `error.option`.

Functions that users call by hand answer a parameter that they do not have with the one that may be meant.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from shortlist.errors import BadFit, ShortlistError
from shortlist.wording import did_you_mean

Given = ParamSpec("Given")
Made = TypeVar("Made")
BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
ANSWERS = ("says", "yes")  # the parameter for what a labeler says: some have the one, and some the other
Number = (int, float, np.integer, np.floating)


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """One of some words."""
    if not isinstance(value, str) or value not in choices:
        *first, last = (f'"{choice}"' for choice in choices)
        raise BadFit(f"{name} is {', '.join(first)} or {last}, not {value!r}", option=(name,))


def check_probability(name: str, value: Any) -> None:
    """Inside (0, 1)."""
    if not is_number(value) or not 0 < value < 1:
        raise BadFit(f"{name} is a probability between 0 and 1, not {value!r}", option=(name,))


def check_amount(name: str, value: Any, meaning: str, *, least: float = 0.0, above: bool = False) -> None:
    """A finite number from `least`, or above it."""
    if not is_number(value) or not least <= value < np.inf or (above and value == least):
        limit = f"above {least:g}" if above else f"{least:g} or more"
        raise BadFit(f"{name} is {meaning}, {limit}, not {value!r}", option=(name,))


def check_whole(name: str, value: Any, *, least: int = 1, otherwise: str = "") -> None:
    """A whole number from `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise BadFit(f"{name} is a whole number from {least}{otherwise}, not {value!r}", option=(name,))


def is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def parameters_known(wrong: type[ShortlistError]) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Make a function raise this error, not a TypeError, where it is called with a parameter that it does not have."""

    def wrap(function: Callable[Given, Made]) -> Callable[Given, Made]:
        known = [one.name for one in inspect.signature(function).parameters.values() if one.kind in BY_NAME]

        @wraps(function)
        def call(*given: Given.args, **named: Given.kwargs) -> Made:
            for name in named:
                if name not in known:
                    told = f"{function.__name__}() has no parameter {name!r}.{parameter_meant(name, known)}"
                    raise wrong(f"{told} Parameters: {', '.join(known)}", option=(name,))
            return function(*given, **named)

        return call

    return wrap


def parameter_meant(name: str, known: Collection[str]) -> str:
    """The sentence `Did you mean 'says'?` after a blank, or nothing."""
    answers = [one for one in known if one in ANSWERS and name in ANSWERS]
    return f" Did you mean {answers[0]!r}?" if answers else did_you_mean(name, known)
