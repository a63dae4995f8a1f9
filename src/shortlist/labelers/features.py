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
        """The names in which features are looked up: those of the module where the function was written."""
        function: Any = inspect.unwrap(self.function)
        while isinstance(function, partial):
            function = inspect.unwrap(function.func)
        if not hasattr(function, "__globals__"):  # an object that can be called
            function = type(function).__call__
        return self.siblings or getattr(function, "__globals__", {})

    def beside(self, name: str) -> bool:
        """True if a plain function of that name is defined in the same file."""
        function = self.scope.get(name)
        return inspect.isfunction(function) and function.__globals__ is self.scope

    def wrong(self, message: str) -> BadLabeler:
        """The error that the function cannot be used as it is."""
        return BadLabeler(f"{self.name!r} {message}", **{self.role: self.name})

    def __call__(self, row: Any) -> Any:
        """The answer for one row, with its features: to try the function out."""
        columns = Columns(Chunk(0, [row]), FeaturePlan((self,), ()), raise_errors=True)
        return self.function(*next(zip(*columns.of(self), strict=True)))

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickle by name if the module can be imported, else as a whole."""
        module = sys.modules.get(self.__module__)
        if self.__module__ != "__main__" and getattr(module, str(self.__qualname__), None) is self:
            return str(self.__qualname__)
        return super().__reduce_ex__(protocol)


class Feature(RowFunction):
    """A value computed once per row and asked for by name. Made by `@feature`."""

    column: str | None = None  # the column of the rows, if it is one

    def __repr__(self) -> str:
        return f"<feature {self.name}>"


class ColumnFeature(Feature):
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


Wants = list[Feature | None]  # the arguments of a function: features, and None for the row


class FeaturePlan:
    """The arguments of every function, resolved before any row is read. Raises for cycles and unknown names."""

    def __init__(self, functions: Sequence[RowFunction], features: Sequence[Feature]) -> None:
        for one in features:
            if not isinstance(one, Feature):
                raise BadLabeler(f"{one!r} among the features is none: mark the function with @feature")
        self.by_name = {f.name: f for f in features}
        if len(self.by_name) < len(features):
            raise BadLabeler(f"two features have one name: {sorted(f.name for f in features)}")
        self.wants: dict[int, Wants] = {}
        self.functions: list[RowFunction] = []
        for function in (*features, *functions):
            self._visit(function, ())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the resolved arguments: in another process, modules may differ."""
        return _restored, (self.by_name, [(f, self.wants[id(f)]) for f in self.functions])

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
            feature = self.by_name.get(name, function.scope.get(name))
            if isinstance(feature, Feature):
                if kept is not None:
                    raise function.wrong(f"asks for the feature {name!r} after {kept!r}: put it before")
                wanted.append(feature)
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
            problem = f"asks for {name!r}, a function of this file without @feature: write @feature above it"
            raise function.wrong(f"{problem}. To receive the whole row, call the first parameter row")
        meant = meant_by(name, self._features_of(function))
        if meant is not None:
            raise function.wrong(
                f"asks for {name!r}, which is no column and no feature. Did you mean {meant!r}? "
                "To receive the whole row, call the first parameter row"
            )

    def _features_of(self, function: RowFunction) -> list[str]:
        """The features that a function may ask for by name."""
        return [*self.by_name, *(name for name, value in function.scope.items() if isinstance(value, Feature))]

    def _no_feature(self, function: RowFunction, name: str) -> BadLabeler:
        names = self._features_of(function)
        write = " Write @feature above the function of that name."
        hint = write if function.beside(name) else did_you_mean(name, names)
        return function.wrong(
            f"asks for {name!r}, which is no feature.{hint} "
            f"Features: {', '.join(names) or 'none'}; those of another module or function are given "
            "with features=[…]. Only the first parameter receives the row"
        )

    def row_readers(self) -> Iterator[tuple[RowFunction, str]]:
        """The functions whose first parameter receives the row, and its name."""
        for function in self.functions:
            if self.wants[id(function)][0] is None:
                yield function, next(iter(function.parameters))

    def asked_once(self, functions: Iterable[RowFunction]) -> frozenset[Feature | None]:
        """The arguments that only one function, or one feature of these functions, asks for."""
        waiting = [*functions, *self.by_name.values()]
        whole = [one for one in waiting if isinstance(one, Feature)]  # read by labelers that search, as columns
        askers: Counter[Feature | None] = Counter(2 * whole)
        while waiting:
            wanted = self.wants[id(waiting.pop())]
            waiting += [want for want in wanted if want is not None and want not in askers]
            askers.update(wanted)
        return frozenset(want for want, count in askers.items() if count == 1)


def meant_by(name: str, names: Iterable[str]) -> str | None:
    """The one of these names that the name of a first parameter misspells; None if it means the row."""
    row_names = {"row", "r", "x", "record", "item", "example", "sample", "instance"}
    return None if name in row_names else nearest(name, names, cutoff=0.75)


def _restored(by_name: dict[str, Feature], wants: list[tuple[RowFunction, Wants]]) -> FeaturePlan:
    plan = FeaturePlan((), ())
    plan.by_name = by_name
    plan.functions = [function for function, _ in wants]
    plan.wants = {id(function): wanted for function, wanted in wants}
    return plan


class Columns:
    """The columns of one chunk: each feature is computed once for each row, when it is first asked for.

    once   arguments that are asked for once: they are streamed, and never held as a whole
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
        """The columns as streams, where possible. They raise FeatureError where a feature fails."""
        wants = self.plan.wants[id(function)]
        return [self._streamed(want) if want in self._once else self._own(want) for want in wants]

    def _streamed(self, want: Feature | None) -> Iterable[Any]:
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
            except (Exception, SystemExit, GeneratorExit) as error:
                failure = failed(error, feature=feature.name, row=row)
                failure.__cause__ = error
                if self.raise_errors:
                    raise FeatureError(failure) from error
                value = FeatureFailed(failure)
            if value.__class__ is FeatureFailed:
                self._failed.add(id(feature))
            yield value

    def _own(self, want: Feature | None) -> Sequence[Any]:
        """The rows or a column. Values that a function could change are copied for each function."""
        values, key = (self.chunk.rows, 0) if want is None else (self.column(want), id(want))
        if key not in self._shared:
            self._shared[key] = self.chunk.can_be_shared() if want is None else can_be_shared(values)
        return values if self._shared[key] else [deep_copy(value) for value in values]

    def may_fail(self, function: RowFunction) -> bool:
        """True if a feature that the function asks for failed on a row."""
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
        except FeatureError as wrapped:
            raise wrapped.args[0] from wrapped.__cause__
