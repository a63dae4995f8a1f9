"""Registry: things that are asked for by name, such as kinds of classifiers or stages of a project.

Three sources, in this order: shortlist's own, what was added in this process, and what installed packages announce as
entry points of a group. Entry points are looked for when a name is asked for that is not known otherwise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from shortlist.errors import BadFit, ShortlistError
from shortlist.wording import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


Thing = TypeVar("Thing")


class Registry(Mapping[str, Thing]):
    """Name → thing.

    what       what the things are, for messages
    group      the group of entry points in which packages announce things
    name_of    the name of a thing, or None where it is not such a thing
    own        shortlist's own, which nobody can replace
    reserved   names that nothing may have
    """

    def __init__(
        self,
        what: str,
        group: str,
        name_of: Callable[[Any], str | None],
        own: Iterable[Thing] = (),
        reserved: Iterable[str] = (),
    ) -> None:
        self.what, self.group, self.name_of, self.reserved = what, group, name_of, frozenset(reserved)
        self.own: dict[str, Thing] = {str(name_of(thing)): thing for thing in own}
        self.added: dict[str, Thing] = {}

    def add(self, thing: Thing) -> None:
        """Add a thing. One of the same name that was added before is replaced."""
        name = self.name_of(thing)
        if not isinstance(name, str) or not name:
            raise ShortlistError(f"{thing!r} is no {self.what} with a name")
        if name in self.own or name in self.reserved:
            raise ShortlistError(f"{name!r} is a name of shortlist's own: call the {self.what} something else")
        self.added[name] = thing

    def __getitem__(self, name: str) -> Thing:
        if name in self.reserved:
            raise KeyError(name)
        for known in (self.own, self.added):
            if name in known:
                return known[name]
        return self._announced(name)

    def __iter__(self) -> Iterator[str]:
        announced = (entry.name for entry in self._entry_points())
        return iter(dict.fromkeys([*self.here, *announced]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def here(self) -> tuple[str, ...]:
        """The names of shortlist's own and of what was added, without those that packages announce."""
        return (*self.own, *self.added)

    def _announced(self, name: str) -> Thing:
        for entry in self._entry_points(name):
            thing = entry.load()
            if self.name_of(thing) == name:
                found: Thing = thing
                return found
            raise ShortlistError(
                f"the entry point {name!r} of {self.group} is {thing!r}, not a {self.what} of that name"
            )
        raise KeyError(name)

    def _entry_points(self, name: str | None = None) -> EntryPoints:
        """Those of the group, or those of one name in it."""
        from importlib.metadata import entry_points  # slow to import, and seldom needed

        found = entry_points(group=self.group)
        return found if name is None else found.select(name=name)


# -- checks of options -----------------------------------------------------------------------------------


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
