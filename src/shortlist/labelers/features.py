"""Features, and what the parameters of a labeler receive: one rule, by their names.

    @feature
    def words(text):
        return text.lower().split()

    @labeler(says=["HUM"])
    def who(words):
        if "who" in words:
            return "HUM"

A parameter receives the feature of its name, as in pytest's fixtures, or else the column of its name. `text` is the
column of text, whatever that is called, and rows that are strings themselves. A first parameter of any other name
receives the whole row. A parameter with a default keeps it, unless there is a feature or a column of its name.

Features are looked up among those given to `apply(features=[...])`, then in the module where the function was written.
Each is computed at most once per row, however many labelers ask for it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from operator import itemgetter
from typing import Any, ClassVar, SupportsIndex, overload

import polars as pl

from shortlist.errors import BadLabeler
from shortlist.labelers.answers import failed
from shortlist.rows import Chunk
from shortlist.rows.chunk import can_be_shared, deep_copy
from shortlist.wording import did_you_mean, nearest


@dataclass(frozen=True)
class FeatureFailed:
    """Stands in a feature's column where it could not be computed."""

    error: BaseException


class RowFunction:
    """A function of rows, with its name and the parameters it asks for; labelers and features are such."""

    role: ClassVar[str] = "feature"  # or "labeler": what errors call it

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        if not callable(function):
            raise BadLabeler(f"{function!r} is not a function")
        if inspect.iscoroutinefunction(function):
            raise BadLabeler(f"{function.__name__!r} is async; labelers and features are plain functions")
        update_wrapper(self, function)
        self.function = function
        self.name: str = name or getattr(function, "__name__", None) or type(function).__name__
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
        chunk = Chunk(0, [row])
        columns = Columns(chunk, FeaturePlan((self,), columns=chunk.columns), raise_errors=True)
        return self.function(*next(zip(*columns.of(self), strict=True)))

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickle by name if the module can be imported, else as a whole."""
        module, name = sys.modules.get(self.__module__), str(getattr(self, "__qualname__", ""))
        if self.__module__ != "__main__" and getattr(module, name, None) is self:
            return name
        return super().__reduce_ex__(protocol)


class Feature(RowFunction):
    """A value computed once per row and asked for by name. Made by `@feature`."""

    column: str | None = None  # the column of the rows, if it is one

    def __repr__(self) -> str:
        return f"<feature {self.name}>"


def column_feature(column: str) -> Feature:
    """A column as a feature. Of a table, it is read as a whole, and no rows are made for it."""
    made = Feature(itemgetter(column), column)
    made.column = column
    return made


@overload
def feature(function: Callable[..., Any], /) -> Feature: ...
@overload
def feature() -> Callable[[Callable[..., Any]], Feature]: ...
def feature(function: Callable[..., Any] | None = None, /) -> Any:
    """Mark a function of a row (or of other features) as a feature that labelers ask for by name."""
    return Feature if function is None else Feature(function)


Wants = list[Feature | None]  # the arguments of a function: features, and None for the row


class FeaturePlan:
    """The arguments of every function, resolved before any row is read. Raises for cycles and unknown names.

    features   given ones, which go before those of the modules of functions
    columns    of the rows; none where rows are strings or objects
    text       the column of text, or another name for rows that are strings
    """

    def __init__(
        self,
        functions: Sequence[RowFunction],
        features: Sequence[Feature] = (),
        columns: Iterable[str] = (),
        text: str | None = None,
    ) -> None:
        for one in features:
            if not isinstance(one, Feature):
                raise BadLabeler(f"{one!r} among the features is none: mark the function with @feature")
        self.by_name = {f.name: f for f in features}
        if len(self.by_name) < len(features):
            raise BadLabeler(f"two features have one name: {sorted(f.name for f in features)}")
        self.columns: dict[str, Feature | None] = {name: column_feature(name) for name in columns}
        if not self.columns:
            self.columns = {"text": None, text or "text": None}
        elif text in self.columns:
            self.columns.setdefault("text", self.columns[text])
        self.wants: dict[RowFunction, Wants] = {}
        for function in (*features, *functions):
            self._visit(function, ())

    def column(self, on: str | None) -> str | None:
        """The column that a labeler reads `on`; None for the rows themselves."""
        if on not in self.columns:
            return on
        feature = self.columns[on]
        return None if feature is None else feature.column

    def _visit(self, function: RowFunction, path: tuple[RowFunction, ...]) -> None:
        if function in path:
            circle = " → ".join(f.name for f in (*path[path.index(function) :], function))
            raise BadLabeler(f"features ask for one another in a circle: {circle}", feature=function.name)
        if function in self.wants:
            return
        wanted: Wants = [None] if getattr(function, "column", None) else self._wanted(function)
        for want in wanted:
            if want is not None:
                self._visit(want, (*path, function))
        self.wants[function] = wanted

    def _wanted(self, function: RowFunction) -> Wants:
        wanted: Wants = []
        kept: str | None = None  # the first parameter that keeps its default
        for place, (name, needed) in enumerate(function.parameters.items()):
            feature = self.by_name.get(name, function.scope.get(name))
            if isinstance(feature, Feature) or name in self.columns:
                if kept is not None:
                    raise function.wrong(f"asks for the feature {name!r} after {kept!r}: put it before")
                wanted.append(feature if isinstance(feature, Feature) else self.columns[name])
            elif place == 0:
                self._check_row(function, name)
                wanted.append(None)
            elif needed:
                raise self._unknown(function, name)
            else:
                kept = kept or name
        if not wanted:
            raise function.wrong("takes no parameter: its first one receives the row")
        return wanted

    def _check_row(self, function: RowFunction, name: str) -> None:
        """The first parameter receives the row, unless its name means something else: the row would be a surprise."""
        row = "To receive the whole row, call the first parameter row"
        if function.beside(name):
            problem = f"asks for {name!r}, a function of this file without @feature: write @feature above it"
            raise function.wrong(f"{problem}. {row}")
        if name == "text":
            problem = "asks for 'text', and the rows have several columns: name the column of text with text=…"
            raise function.wrong(f"{problem}. {row}")
        exempt = {"row", "r", "x", "record", "item", "example", "sample", "instance"}
        meant = None if name in exempt else nearest(name, self._names(function), cutoff=0.75)
        if meant is not None:
            problem = f"asks for {name!r}, which is no column and no feature. Did you mean {meant!r}?"
            raise function.wrong(f"{problem} {row}")

    def _names(self, function: RowFunction) -> list[str]:
        """The features and columns that a function may ask for by name."""
        own = [name for name, value in function.scope.items() if isinstance(value, Feature)]
        return [*self.by_name, *own, *(name for name, column in self.columns.items() if column is not None)]

    def _unknown(self, function: RowFunction, name: str) -> BadLabeler:
        names = self._names(function)
        write = " Write @feature above the function of that name."
        hint = write if function.beside(name) else did_you_mean(name, names)
        return function.wrong(
            f"asks for {name!r}, which is no feature and no column.{hint} There are: {', '.join(names) or 'none'}. "
            "Features of another module or function are given with features=[…]; the text of the rows is called so "
            f"with text={name!r}. Only the first parameter receives the row"
        )


class Columns:
    """The columns of one chunk: each feature is computed once for each row, when it is first asked for.

    searches   columns and patterns that will be asked for, to be searched together
    """

    def __init__(
        self, chunk: Chunk, plan: FeaturePlan, *, raise_errors: bool, searches: Sequence[tuple[str | None, str]] = ()
    ) -> None:
        self.chunk, self.plan, self.raise_errors, self._searches = chunk, plan, raise_errors, searches
        self._matches: dict[tuple[str | None, str], pl.Series] = {}
        self._computed: dict[Feature, list[Any]] = {}
        self._failed: set[Feature] = set()
        self._shared: dict[Feature | None, bool] = {}

    def of(self, function: RowFunction) -> list[Sequence[Any]]:
        """The columns a function is called with, row by row."""
        return [self._own(want) for want in self.plan.wants[function]]

    def _own(self, want: Feature | None) -> Sequence[Any]:
        """The rows or a column. Values that a function could change are copied for each function."""
        values = self.chunk.rows if want is None else self.column(want)
        if want not in self._shared:
            self._shared[want] = can_be_shared(values)
        return values if self._shared[want] else [deep_copy(value) for value in values]

    def may_fail(self, function: RowFunction) -> bool:
        """True if a feature that the function asks for failed on a row."""
        return not self._failed.isdisjoint(self.plan.wants[function])

    def column(self, feature: Feature) -> list[Any]:
        if feature not in self._computed:
            whole = feature.column is not None and self.chunk.frame is not None
            self._computed[feature] = list(self.chunk.values(feature.column) if whole else self._values(feature))
        return self._computed[feature]

    def _values(self, feature: Feature) -> Iterator[Any]:
        """The values of a feature, row by row."""
        inputs, may_fail = self.of(feature), self.may_fail(feature)
        for row, arguments in enumerate(zip(*inputs, strict=True), self.chunk.start):
            broken = [one for one in arguments if one.__class__ is FeatureFailed] if may_fail else None
            try:
                value = broken[0] if broken else feature.function(*arguments)
            except (Exception, SystemExit, GeneratorExit) as error:
                failure = failed(error, feature=feature.name, row=row)
                failure.__cause__ = error
                if self.raise_errors:
                    raise failure from error
                value = FeatureFailed(failure)
            if value.__class__ is FeatureFailed:
                self._failed.add(feature)
            yield value

    def matches(self, column: str | None, pattern: str) -> pl.Series:
        """True where a text of a column holds a pattern, null where there is no text. Searches run on all cores."""
        if (column, pattern) not in self._matches:
            wanted = list(dict.fromkeys([pattern, *(other for where, other in self._searches if where == column)]))
            texts = self.chunk.text(column).alias("text").to_frame()
            found = texts.select(pl.col("text").str.contains(one).alias(str(i)) for i, one in enumerate(wanted))
            self._matches |= {(column, one): found[str(i)] for i, one in enumerate(wanted)}
        return self._matches[column, pattern]
