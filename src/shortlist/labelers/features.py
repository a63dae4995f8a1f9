"""Features: values computed at most once per row, however many labelers ask for them.

A labeler asks for a function marked `@feature` by the name of a parameter, as in pytest's fixtures:

    @feature
    def words(question):
        return question.lower().split()

    @labeler(says=["HUM"])
    def who(words):
        if "who" in words:
            return "HUM"

A parameter with the name of a feature receives that feature. A first parameter of any other name receives the row.
Names are looked up among the features given to `apply(features=[...])`, then in the module where the function was
written. A parameter with a default keeps it, unless there is a feature of its name.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, SupportsIndex, overload

from shortlist.errors import BadLabeler
from shortlist.labelers.answers import failed
from shortlist.rows import Chunk
from shortlist.rows.chunk import can_be_shared, deep_copy
from shortlist.wording import did_you_mean, nearest


@dataclass(frozen=True)
class FeatureFailed:
    """Stands in a feature's column where it could not be computed."""

    error: BaseException


class FeatureError(Exception):
    """A feature failed while a function that asks for it was called; the argument is the error to raise."""


class RowFunction:
    """A function of rows, with its name and the parameters it asks for; labelers and features are such."""

    role: ClassVar[str] = "feature"  # or "labeler": what errors call it

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        if not callable(function):
            hint = "; a list of labelers among others is unpacked with *" if isinstance(function, list) else ""
            raise BadLabeler(f"{function!r} is not a function{hint}")
        if inspect.iscoroutinefunction(function):
            raise BadLabeler(f"{function.__name__!r} is async; labelers and features are plain functions")
        self.function = function
        self.name: str = name or getattr(function, "__name__", None) or type(function).__name__
        self.__doc__ = getattr(function, "__doc__", None)
        self.__name__ = self.name
        self.__module__ = getattr(function, "__module__", None) or type(self).__module__
        self.__qualname__ = getattr(function, "__qualname__", self.name)
        self.__wrapped__ = function
        self.siblings: dict[str, Feature] = {}  # features made together with it, for those made in a function

    @property
    def parameters(self) -> dict[str, bool]:
        """Parameter name → whether it must be filled; by position, so those after a bare * are not among them."""
        try:
            signature = inspect.signature(self.function)
        except ValueError:  # some built-in functions have none: they take the row
            return {"row": True}
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for p in signature.parameters.values():
            if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
                raise self.wrong(f"takes {p.name!r} by name only: leave out the * before it")
        return {p.name: p.default is p.empty for p in signature.parameters.values() if p.kind in kinds}

    @property
    def scope(self) -> Mapping[str, Any]:
        """The names among which features are looked up: those of the module where the function was written."""
        function: Any = inspect.unwrap(self.function)
        while isinstance(function, partial):
            function = inspect.unwrap(function.func)
        if not hasattr(function, "__globals__"):  # an object that can be called
            function = type(function).__call__
        return self.siblings or getattr(function, "__globals__", {})

    def beside(self, name: str) -> bool:
        """Whether a plain function of that name is written in the same file."""
        found = self.scope.get(name)
        return inspect.isfunction(found) and found.__globals__ is self.scope

    def wrong(self, message: str) -> BadLabeler:
        """The error that it cannot be used as it was written."""
        return BadLabeler(f"{self.name!r} {message}", **{self.role: self.name})

    def __call__(self, row: Any) -> Any:
        """The answer for one row, its features computed on the way: to try it out."""
        chunk = Chunk(0, [row])
        columns = Columns(chunk, FeaturePlan((self,), ()), raise_errors=True)
        return self.function(*next(zip(*columns.of(self), strict=True)))

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Travel to other processes by name where the module can be imported there, else as a whole."""
        module = sys.modules.get(self.__module__)
        if self.__module__ != "__main__" and getattr(module, str(self.__qualname__), None) is self:
            return str(self.__qualname__)
        return super().__reduce_ex__(protocol)


class Feature(RowFunction):
    """A value computed once per row and asked for by name. Made by `@feature`."""

    column: str | None = None  # the column of the rows that it is, where it is one

    def __repr__(self) -> str:
        return f"<feature {self.name}>"


class Column(Feature):
    """A column of a table as a feature: a parameter of its name receives it, and no rows are made for it."""

    def __init__(self, column: str, name: str | None = None) -> None:
        super().__init__(_read, name or column)
        self.column = column

    def __call__(self, row: Any) -> Any:
        return Chunk(0, [row]).values(self.column)[0]


def _read(row: Any) -> Any:
    """Stands in for the function of a column, which is read as a whole."""
    raise NotImplementedError(row)


@overload
def feature(function: Callable[..., Any], /) -> Feature: ...
@overload
def feature() -> Callable[[Callable[..., Any]], Feature]: ...
def feature(function: Callable[..., Any] | None = None, /) -> Any:
    """Mark a function of a row (or of other features) as a feature that labelers ask for by name."""
    return Feature if function is None else Feature(function)


ROW_NAMES = {"row", "r", "x", "record", "item", "example", "sample", "instance"}
ALIKE = 0.75  # how alike the name of a parameter and that of a column are, where one is a misspelling of the other

Wants = list[Feature | None]  # what a function is called with: features, and None for the row itself


class FeaturePlan:
    """What every function asks for, found once before any row is read: cycles and unknown names end here."""

    def __init__(self, functions: Sequence[RowFunction], features: Sequence[Feature]) -> None:
        for given in features:
            if not isinstance(given, Feature):
                raise BadLabeler(f"{given!r} among the features is none: mark the function with @feature")
        self.given = {f.name: f for f in features}
        if len(self.given) < len(features):
            raise BadLabeler(f"two features have one name: {sorted(f.name for f in features)}")
        self.wants: dict[int, Wants] = {}
        self.functions: list[RowFunction] = []
        for function in (*features, *functions):
            self._visit(function, ())

    def __reduce__(self) -> tuple[Any, ...]:
        """To other processes it travels as found: there, modules may not be what they are here."""
        return _restored, (self.given, [(f, self.wants[id(f)]) for f in self.functions])

    def _visit(self, function: RowFunction, path: tuple[RowFunction, ...]) -> None:
        if any(function is earlier for earlier in path):
            names = [f.name for f in (*path[path.index(function) :], function)]
            circle = " → ".join(names)
            raise BadLabeler(f"features ask for one another in a circle: {circle}", feature=function.name)
        if id(function) in self.wants:
            return
        wanted = self._wanted(function)
        for want in wanted:
            if want is not None:
                self._visit(want, (*path, function))
        self.wants[id(function)] = wanted
        self.functions.append(function)

    def _wanted(self, function: RowFunction) -> Wants:
        wanted: Wants = []
        kept: str | None = None  # the first parameter that keeps its default
        for place, (name, needed) in enumerate(function.parameters.items()):
            found = self.find(name, function.scope)
            if found is not None and kept is not None:
                raise function.wrong(f"asks for the feature {name!r} after {kept!r}: put it before")
            if found is not None:
                wanted.append(found)
            elif place == 0:
                self._check_row(function, name)
                wanted.append(None)
            elif needed:
                raise self._no_feature(function, name)
            else:
                kept = kept or name
        if not wanted:
            raise function.wrong("takes no parameter: its first one receives the row")
        return wanted

    def _check_row(self, function: RowFunction, name: str) -> None:
        """The first parameter receives the row, unless its name means something else: the row would be a surprise."""
        if function.beside(name):
            told = f"asks for {name!r}, a function of this file without @feature: write @feature above it"
            raise function.wrong(f"{told}. To receive the whole row, call the first parameter row")
        meant = meant_by(name, self._known(function))
        if meant is not None:
            raise function.wrong(
                f"asks for {name!r}, which is no column and no feature. Did you mean {meant!r}? "
                "To receive the whole row, call the first parameter row"
            )

    def _known(self, function: RowFunction) -> list[str]:
        """The features that a function may ask for by name."""
        return [*self.given, *(name for name, value in function.scope.items() if isinstance(value, Feature))]

    def _no_feature(self, function: RowFunction, name: str) -> BadLabeler:
        known = self._known(function)
        hint = (
            " Write @feature above the function of that name." if function.beside(name) else did_you_mean(name, known)
        )
        return function.wrong(
            f"asks for {name!r}, which is no feature.{hint} "
            f"Features: {', '.join(known) or 'none'}; those of another module or function are given "
            "with features=[…]. Only the first parameter receives the row"
        )

    def row_readers(self) -> Iterator[tuple[RowFunction, str]]:
        """The functions whose first parameter receives the row, and its name."""
        for function in self.functions:
            if self.wants[id(function)][0] is None:
                yield function, next(iter(function.parameters))

    def asked_once(self, functions: Iterable[RowFunction]) -> frozenset[Feature | None]:
        """What the functions and their features ask for, and nobody asks for twice."""
        waiting = [*functions, *self.given.values()]
        whole = [one for one in waiting if isinstance(one, Feature)]  # read by labelers that search, as columns
        askers: Counter[Feature | None] = Counter(2 * whole)
        while waiting:
            wanted = self.wants[id(waiting.pop())]
            waiting += [want for want in wanted if want is not None and want not in askers]
            askers.update(wanted)
        return frozenset(want for want, count in askers.items() if count == 1)

    def find(self, name: str, scope: Mapping[str, Any]) -> Feature | None:
        found = self.given.get(name, scope.get(name))
        return found if isinstance(found, Feature) else None


def meant_by(name: str, known: Iterable[str]) -> str | None:
    """What the name of a first parameter stands for, or nearly so; nothing where it means the row."""
    return None if name in ROW_NAMES else nearest(name, known, cutoff=ALIKE)


def _restored(given: dict[str, Feature], wants: list[tuple[RowFunction, Wants]]) -> FeaturePlan:
    plan = FeaturePlan((), ())
    plan.given = given
    plan.functions = [function for function, _ in wants]
    plan.wants = {id(function): wanted for function, wanted in wants}
    return plan


class Columns:
    """The columns of one chunk: each feature is computed once for each row, when it is first asked for.

    once   what nobody asks for twice: it is made as the rows are gone through, and never held together
    """

    def __init__(
        self, chunk: Chunk, plan: FeaturePlan, *, raise_errors: bool, once: frozenset[Feature | None] = frozenset()
    ) -> None:
        self.chunk, self.plan, self.raise_errors = chunk, plan, raise_errors
        self._once = once if raise_errors else frozenset()
        self._computed: dict[int, list[Any]] = {}
        self._failed: set[int] = set()
        self._shared: dict[int, bool] = {}

    def of(self, function: RowFunction) -> list[Sequence[Any]]:
        """The columns a function is called with, row by row."""
        return [self._own(want) for want in self.plan.wants[id(function)]]

    def one_by_one(self, function: RowFunction) -> list[Iterable[Any]]:
        """The same, to be gone through once. Where a feature fails on the way, FeatureError tells so."""
        wants = self.plan.wants[id(function)]
        return [self._made(want) if want in self._once else self._own(want) for want in wants]

    def _made(self, want: Feature | None) -> Iterable[Any]:
        """The rows or a column, for the only function that asks for it."""
        if want is None and self.chunk.frame is not None and self.chunk.can_be_shared():
            return self.chunk.each()
        return self._own(want) if want is None or want.column else map(deep_copy, self._stream(want, self.of(want)))

    def _stream(self, feature: Feature, inputs: list[Sequence[Any]]) -> Iterator[Any]:
        """The values of a feature, row by row."""
        may_fail = self.may_fail(feature)
        for row, arguments in enumerate(zip(*inputs, strict=True), self.chunk.start):
            broken = [one for one in arguments if one.__class__ is FeatureFailed] if may_fail else None
            try:
                value = broken[0] if broken else feature.function(*arguments)
            except (Exception, SystemExit) as error:
                failure = failed(error, feature=feature.name, row=row)
                failure.__cause__ = error
                if self.raise_errors:
                    raise FeatureError(failure) from error
                value = FeatureFailed(failure)
            if value.__class__ is FeatureFailed:
                self._failed.add(id(feature))
            yield value

    def _own(self, want: Feature | None) -> Sequence[Any]:
        """The rows or a column; what one function could change for the others is copied for each."""
        values, key = (self.chunk.rows, 0) if want is None else (self.column(want), id(want))
        if key not in self._shared:
            self._shared[key] = self.chunk.can_be_shared() if want is None else can_be_shared(values)
        return values if self._shared[key] else [deep_copy(value) for value in values]

    def may_fail(self, function: RowFunction) -> bool:
        """Whether some feature the function asks for could not be computed on some row."""
        return any(id(want) in self._failed for want in self.plan.wants[id(function)])

    def column(self, feature: Feature) -> list[Any]:
        if id(feature) not in self._computed:
            self._computed[id(feature)] = self._compute(feature)
        return self._computed[id(feature)]

    def _compute(self, feature: Feature) -> list[Any]:
        if feature.column is not None:
            return list(self.chunk.values(feature.column))
        try:
            return list(self._stream(feature, self.of(feature)))
        except FeatureError as stopped:
            raise stopped.args[0] from stopped.__cause__
