"""Registry: things that are asked for by name, such as kinds of classifiers or stages; and checks of options.

Three sources, in this order: shortlist's own, what was added in this process, and what installed packages announce as
entry points of a group. Entry points are looked for when a name is asked for that is not known otherwise.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, get_args

from shortlist.errors import BadFit, BadLabeler, ShortlistError
from shortlist.wording import did_you_mean, either

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

Thing = TypeVar("Thing")
Params = ParamSpec("Params")
Returned = TypeVar("Returned")

# Formats of files of rows by suffix (readers: rows/row_file.py), and those that tables are written in (rows/table.py)
ROW_FORMATS = {f".{name}": name for name in ("csv", "tsv", "jsonl", "parquet", "xlsx")}
ROW_FORMATS |= {".ndjson": "jsonl", ".pq": "parquet"}
TABLE_FORMATS = ("parquet", "csv", "jsonl")


def attribute_of(base: type, name: str, *, classes: bool = False) -> Callable[[Any], str | None]:
    """Return a function that gets the name of a thing from an attribute, and None from what is no such thing.

    Things are instances of `base`, or its subclasses with `classes`.
    """

    def name_of(thing: Any) -> str | None:
        fits = isinstance(thing, type) and issubclass(thing, base) if classes else isinstance(thing, base)
        return getattr(thing, name, None) if fits else None

    return name_of


class Registry(Mapping[str, Thing]):
    """Name → thing.

    what       noun for the things, for messages
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
        if name in self.here:
            return self.own[name] if name in self.own else self.added[name]
        return self._announced(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.here, *(entry.name for entry in self._entry_points())]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def here(self) -> tuple[str, ...]:
        """The names of shortlist's own and of what was added, without those that packages announce."""
        return (*self.own, *self.added)

    def _announced(self, name: str) -> Thing:
        for entry in self._entry_points().select(name=name):
            thing: Thing = entry.load()
            if self.name_of(thing) == name:
                return thing
            raise ShortlistError(
                f"the entry point {name!r} of {self.group} is {thing!r}, not a {self.what} of that name"
            )
        raise KeyError(name)

    def _entry_points(self) -> EntryPoints:
        from importlib.metadata import entry_points  # slow to import, and seldom needed

        return entry_points(group=self.group)


# -- checks of options: an error names the option, also as `error.option` ------------------------------------


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise a BadFit unless the value is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = either([f'"{choice}"' for choice in choices])
        raise BadFit(f"{name} is {listed}, not {value!r}", option=(name,))


def check_probability(name: str, value: Any) -> None:
    """Raise a BadFit unless the value is inside (0, 1)."""
    if not _is_number(value) or not 0 < value < 1:
        raise BadFit(f"{name} is a probability between 0 and 1, not {value!r}", option=(name,))


def check_amount(name: str, value: Any, meaning: str, *, least: float = 0.0, above: bool = False) -> None:
    """Raise a BadFit unless the value is a finite number from `least`, or above it."""
    if not _is_number(value) or not least <= value < math.inf or (above and value == least):
        limit = f"above {least:g}" if above else f"{least:g} or more"
        raise BadFit(f"{name} is {meaning}, {limit}, not {value!r}", option=(name,))


def check_whole(name: str, value: Any, *, least: int = 1, otherwise: str = "") -> None:
    """Raise a BadFit unless the value is a whole number from `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        raise BadFit(f"{name} is a whole number from {least}{otherwise}, not {value!r}", option=(name,))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def parameters_known(
    wrong: type[ShortlistError],
) -> Callable[[Callable[Params, Returned]], Callable[Params, Returned]]:
    """Make a function raise this error, not a TypeError, when it is called with a parameter that it does not have."""

    def wrap(function: Callable[Params, Returned]) -> Callable[Params, Returned]:
        @wraps(function)
        def call(*args: Params.args, **kwargs: Params.kwargs) -> Returned:
            names = _parameters(function)
            for name in kwargs:
                if name not in names:
                    hint = f"{parameter_meant(name, names)} Parameters: {', '.join(names)}"
                    raise wrong(f"{function.__name__}() has no parameter {name!r}.{hint}", option=(name,))
            return function(*args, **kwargs)

        return call

    return wrap


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters that can be given by name."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {one.name: one for one in inspect.signature(function).parameters.values() if one.kind in kinds}


_MEANINGS = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


def _check_types(make: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raise if a setting is no text, number or truth value where the parameter is annotated as one."""
    try:
        parameters = inspect.signature(make, eval_str=True).parameters
    except (NameError, TypeError, AttributeError):  # names that are imported for type checkers only
        return
    for key, value in settings.items():
        hint = parameters[key].annotation
        kinds = [one for one in (get_args(hint) if isinstance(hint, UnionType) else (hint,)) if one is not NoneType]
        fits = type(value) in kinds or (type(value) is int and float in kinds) or (value is None and hint not in kinds)
        if not fits and all(one in _MEANINGS for one in kinds):
            raise BadLabeler(f"{key} is {either([_MEANINGS[one] for one in kinds])}; got {value!r}", option=(key,))


def parameter_meant(name: str, names: Collection[str]) -> str:
    """The sentence `Did you mean 'says'?` after a blank, or nothing. Some labelers have `yes` in place of `says`."""
    answers = [one for one in names if {one, name} <= {"says", "yes"}]
    return f" Did you mean {answers[0]!r}?" if answers else did_you_mean(name, names)


def make_from_record(record: Mapping[str, Any], kinds: Mapping[str, Callable[..., Returned]], what: str) -> Returned:
    """Make a labeler or a model (`what`) from plain data. `error.option` names a wrong setting.

    `kind` names the function that makes it, and the parameters of that function are the settings.
    """
    kind = record.get("kind")
    make = kinds.get(kind) if isinstance(kind, str) else None
    if make is None:
        hint = did_you_mean(kind, kinds) if kind else ""
        raise BadLabeler(f"{kind!r} is no kind of {what}.{hint} Kinds: {', '.join(kinds)}", option=("kind",))
    settings = {key: value for key, value in record.items() if key != "kind"}
    parameters = _parameters(make)
    for key in settings:
        if key not in parameters:
            hint = f"{parameter_meant(key, parameters)} They have {', '.join(parameters)}"
            raise BadLabeler(f"{what}s of kind {kind!r} have no {key!r}.{hint}", option=(key,))
    missing = [key for key, one in parameters.items() if one.default is one.empty and key not in settings]
    if missing:
        raise BadLabeler(f"this {kind} {what} does not say {' and '.join(missing)}")
    _check_types(make, settings)
    try:
        return make(**settings)
    except TypeError as error:
        raise BadLabeler(f"this {kind} {what} cannot be made: {error}") from error
