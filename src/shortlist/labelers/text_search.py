"""pattern() and keywords(): labelers that are data, so they can be printed, compared, saved and run by column.

They run in the linear-time engine of polars, a whole column at a time, with Python's meaning (see `regex.py`). A
pattern that this engine cannot express runs with Python's `re`, with a time limit, and says so (see `slow_regex.py`).
"""

from __future__ import annotations

import re
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl

from shortlist.errors import BadLabeler, BadRows, SlowPattern
from shortlist.labelers.answers import (
    Ballot,
    Codebook,
    Said,
    checked_answer,
    failed,
    plain_answer,
    show_answer,
)
from shortlist.labelers.features import Columns, Feature, FeatureFailed, FeaturePlan, RowFunction
from shortlist.labelers.labeler import Labeler, Parts
from shortlist.labelers.records import labeler_kind
from shortlist.labelers.regex import ColumnSearch, Inexpressible, Linear, linear, linear_words, search_columns
from shortlist.labelers.slow_regex import TIMED_OUT, slow_search, timeout_error
from shortlist.labelspace import Not, Shortlist
from shortlist.registry import parameters_known
from shortlist.rows import Chunk

MAX_TIMEOUTS = 10  # rows of a chunk on which a search may be stopped, if errors abstain


class TextLabeler(Labeler):
    """A labeler that searches a text: `yes` where there is a match, `no` where there is none."""

    on: str | None
    feature: Feature | None  # the feature of that name, if one was given
    yes: Shortlist | Not | None
    no: Shortlist | Not | None
    ignore_case: bool

    @property
    def says(self) -> Said:  # type: ignore[override]
        return tuple(answer for answer in (self.yes, self.no) if answer is not None)

    def functions(self) -> Sequence[RowFunction]:
        return () if self.feature is None else (self.feature,)

    def fingerprint_parts(self) -> Parts:
        return Parts(self.record(), () if self.feature is None else (self.feature.function,))

    def on_text(self, column: str) -> Self:
        return replace(self, on=column) if self.on is None else self  # type: ignore[type-var]

    @property
    @abstractmethod
    def python(self) -> re.Pattern[str]:
        """The search as a pattern of Python's `re`: the meaning of this labeler."""

    @abstractmethod
    def linear(self) -> Linear:
        """The search for the linear-time engine, or Inexpressible."""

    @property
    def _flags(self) -> int:
        return re.IGNORECASE if self.ignore_case else 0

    @cached_property
    def engine(self) -> str:
        """The engine that runs it: "polars", or "re" and why."""
        try:
            self.linear()
        except Inexpressible as reason:
            return f"re ({reason})"
        return "polars"

    def __call__(self, row: Any) -> Shortlist | Not | None:
        columns = Columns(Chunk(0, [row]), FeaturePlan(self.functions(), ()), raise_errors=True)
        code = int(self.vote(columns, Codebook(self.says, None)).codes[0])
        return self.says[code - 1] if code else None

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot = Ballot(codebook)
        yes, no = codebook.resolve(self.yes), codebook.resolve(self.no)
        texts = self._texts(columns, ballot)
        if self.engine == "polars":
            ballot.codes = search_columns({0: ColumnSearch(None, self.linear(), yes, no)}, {None: texts})[0]
            return ballot
        result = slow_search(self.python, texts, 1 if columns.raise_errors else MAX_TIMEOUTS)
        late = np.flatnonzero(result == TIMED_OUT)
        if len(late) and (columns.raise_errors or len(late) >= MAX_TIMEOUTS):
            raise failed(timeout_error(), labeler=self.name, row=columns.chunk.start + int(late[0]))
        for row in late:
            ballot.fail(timeout_error(), columns.chunk.start + int(row))
        ballot.codes = np.where(result == 1, yes, np.where(result == 0, no, 0)).astype(codebook.dtype)
        return ballot

    def search(self, plan: FeaturePlan, codebook: Codebook) -> ColumnSearch | None:
        feature = plan.by_name.get(self.on or "", self.feature)
        if self.engine != "polars" or (feature is not None and feature.column is None):
            return None
        column = self.on if feature is None else feature.column
        return ColumnSearch(column, self.linear(), codebook.resolve(self.yes), codebook.resolve(self.no))

    def _texts(self, columns: Columns, ballot: Ballot) -> pl.Series:
        """The texts to search: a feature of that name if one was given, else a column of the rows."""
        feature = columns.plan.by_name.get(self.on or "", self.feature)
        if feature is not None and feature.column is None:
            return _feature_texts(feature, columns, ballot)
        on = self.on if feature is None else feature.column
        texts = ballot.read(columns.chunk, lambda chunk: chunk.text(on), raise_errors=columns.raise_errors)
        return pl.Series(texts, dtype=pl.String)


def _feature_texts(feature: Feature, columns: Columns, ballot: Ballot) -> pl.Series:
    """A feature's column as text; where the feature failed or is no text, the labeler fails too."""
    values = list(columns.column(feature))
    for a, value in enumerate(values):
        if value is None or isinstance(value, str):
            continue
        if isinstance(value, FeatureFailed):
            error = value.error
        else:
            kind, row = type(value).__name__, columns.chunk.start + a
            error = BadRows(f"feature {feature.name!r} is {kind} on row {row}, not text", feature=feature.name, row=row)
            if columns.raise_errors:
                raise error
        ballot.fail(error)
        values[a] = None
    return pl.Series(values, dtype=pl.String)


@dataclass(frozen=True)
class Pattern(TextLabeler):
    """A regular expression: `yes` where it is found, `no` (when given) where it is not. Made by `pattern()`."""

    name: str
    regex: str
    yes: Shortlist | Not | None = None
    no: Shortlist | Not | None = None
    on: str | None = None
    ignore_case: bool = False
    feature: Feature | None = field(default=None, compare=False, repr=False)
    unnamed: bool = field(default=False, compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        return _record("pattern", self, regex=self.regex, yes=self.yes, no=self.no, ignore_case=self.ignore_case)

    @property
    def python(self) -> re.Pattern[str]:
        return re.compile(self.regex, self._flags)

    def linear(self) -> Linear:
        return linear(self.regex, self._flags)

    def __repr__(self) -> str:
        return _as_call("pattern", self.regex, self, yes=self.yes, no=self.no, ignore_case=self.ignore_case or None)


@dataclass(frozen=True)
class Keywords(TextLabeler):
    """Words or phrases, any of which will do. Made by `keywords()`."""

    name: str
    words: tuple[str, ...]
    yes: Shortlist | Not
    no: Shortlist | Not | None = None
    on: str | None = None
    whole_words: bool = True
    ignore_case: bool = True
    feature: Feature | None = field(default=None, compare=False, repr=False)
    unnamed: bool = field(default=False, compare=False, repr=False)

    def record(self) -> dict[str, Any]:
        options = {"whole_words": self.whole_words, "ignore_case": self.ignore_case}
        return _record("keywords", self, words=list(self.words), says=self.yes, no=self.no, **options)

    @property
    def python(self) -> re.Pattern[str]:
        words = "|".join(map(re.escape, self.words))
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)" if self.whole_words else words, self._flags)

    def linear(self) -> Linear:
        return linear_words(self.words, self._flags, whole=self.whole_words)

    def __repr__(self) -> str:
        options = {"whole_words": self.whole_words and None, "ignore_case": self.ignore_case and None}
        return _as_call("keywords", list(self.words), self, says=self.yes, no=self.no, **options)


def _as_call(verb: str, what: Any, labeler: Any, **options: Any) -> str:
    """Write a labeler as the call that makes it."""
    shown = [
        f"{key}={show_answer(value) if isinstance(value, (frozenset, Not)) else repr(value)}"
        for key, value in options.items()
        if value is not None
    ]
    on = [f"on={labeler.on!r}"] if labeler.on else []
    slow = "" if labeler.engine == "polars" else f"  # runs with {labeler.engine}"
    return f"{verb}({', '.join([repr(what), *shown, *on, f'name={labeler.name!r}'])}){slow}"


def _record(kind: str, labeler: TextLabeler, **settings: Any) -> dict[str, Any]:
    """A labeler as plain data. A feature is code, so only its name is kept."""
    record = {"kind": kind, "name": labeler.name, **settings, "on": labeler.on}
    answers = {key: plain_answer(value) for key, value in record.items() if isinstance(value, (frozenset, Not))}
    return {key: value for key, value in (record | answers).items() if value is not None}


@labeler_kind("pattern")
@parameters_known(BadLabeler)
def pattern(
    regex: str,
    yes: Any = None,
    no: Any = None,
    *,
    on: str | Feature | None = None,
    ignore_case: bool = False,
    name: str | None = None,
) -> Pattern:
    """A labeler that says `yes` where a regular expression is found in a text, and `no` where it is not.

    Without `no` (or without `yes`) it abstains there: the paper's "unipolar" rule. `on` names the column to
    read, or a feature; it is not needed where rows are strings or a table has one column of text. Upper and lower
    case differ, unless `ignore_case=True`.

    >>> pattern("what.*mean", yes="DESC", name="what_mean")("what does it mean?")
    frozenset({'DESC'})
    """
    if isinstance(regex, re.Pattern):
        raise BadLabeler(
            f"pattern() takes the expression itself, {regex.pattern!r}, not a compiled one; "
            "flags are written ignore_case=True, or (?s) and the like within it",
            option=("regex",),
        )
    source, name = _source(on, name), name or str(regex)[:60]
    check_regex(regex, name)
    if yes is None and no is None:
        raise BadLabeler(f"pattern {name!r} says nothing: give yes=…, no=…, or both", labeler=name)
    match = None if yes is None else checked_answer(yes, name, "yes")
    no_match = None if no is None else checked_answer(no, name, "no")
    if match == no_match:
        raise BadLabeler(f"pattern {name!r} says the same whether it is found or not", labeler=name)
    labeler = Pattern(name, regex, match, no_match, **source, ignore_case=ignore_case)
    if labeler.engine != "polars":
        how = "slower, and given up where a row takes too long"
        warnings.warn(f"pattern {name!r} runs row by row with {labeler.engine}: {how}", SlowPattern, stacklevel=3)
    return labeler


@labeler_kind("keywords")
@parameters_known(BadLabeler)
def keywords(
    words: Iterable[str],
    says: Any,
    no: Any = None,
    *,
    on: str | Feature | None = None,
    whole_words: bool = True,
    ignore_case: bool = True,
    name: str | None = None,
) -> Keywords:
    """A labeler that says one thing where any of these words or phrases is in a text, and `no` where none is.

    Words are found in upper and lower case, unless `ignore_case=False`, and as whole words, unless `whole_words=False`.

    Without `no` it abstains there. With it the labeler has two things to say, so that its accuracy can be learned
    from votes: `keywords(["film"], says="movie review", no=Not("movie review"))`. Use `no` only if the words are in
    nearly all rows of the class: on each row that it misses, `no` would speak against the right class.

    >>> keywords(["goal", "match point"], says="sports")("A late GOAL")
    frozenset({'sports'})
    """
    listed = listed_words(words)
    source, name = _source(on, name), name or ", ".join(listed)[:60]
    answer = checked_answer(says, name, "says")
    no_match = None if no is None else checked_answer(no, name, "no")
    if answer == no_match:
        raise BadLabeler(f"keywords {name!r} says the same whether a word is found or not", labeler=name)
    return Keywords(name, listed, answer, no_match, whole_words=whole_words, ignore_case=ignore_case, **source)


def listed_words(words: Any) -> tuple[str, ...]:
    """Words as a tuple, checked."""
    if isinstance(words, str) and "," in words:
        several = [word.strip() for word in words.split(",") if word.strip()]
        problem = f"keywords() takes a list of words, {several}; {words!r} is one phrase, with its comma"
        raise BadLabeler(f"{problem}. If that is meant: [{words!r}]", option=("words",))
    listed = (words,) if isinstance(words, str) else tuple(words) if isinstance(words, Iterable) else ()
    if not listed or not all(isinstance(word, str) and word for word in listed):
        raise BadLabeler(
            f"keywords() takes a list of non-empty words; got {list(listed) or words!r}", option=("words",)
        )
    return listed


def check_regex(regex: str, name: str) -> None:
    try:
        re.compile(regex)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        message = f"pattern {name!r} is not a regular expression: {error}"
        raise BadLabeler(message, labeler=name, option=("regex",)) from error


def _source(on: str | Feature | None, name: str | None) -> dict[str, Any]:
    """The fields `on`, `feature` and `unnamed`: what to read, a column by name or a feature."""
    if not isinstance(on, (str, Feature, type(None))):
        raise BadLabeler(f"on= names one column, or is a feature; got {on!r}", option=("on",))
    return {"unnamed": not name, **({"on": on.name, "feature": on} if isinstance(on, Feature) else {"on": on})}


# -- spans -------------------------------------------------------------------------------------------------

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"  # reserved for use inside a program: no text has them


class Span(NamedTuple):
    """A range of characters; `end` is not part of it."""

    start: int
    end: int


class Piece(NamedTuple):
    """A part of a text, and the labelers that match there."""

    text: str
    labelers: tuple[str, ...] = ()


def pieces(text: str, marks: Sequence[tuple[str, Span]]) -> tuple[Piece, ...]:
    """Cut a text into pieces, each with the labelers that match all of it. `marks` are names and spans."""
    ends = sorted({0, len(text), *(span.start for _, span in marks), *(span.end for _, span in marks)})
    return tuple(
        Piece(text[start:end], tuple(name for name, span in marks if span.start <= start and end <= span.end))
        for start, end in pairwise(ends)
    )


def spans(labeler: Labeler, texts: Sequence[str]) -> list[list[Span]]:
    """The matches of a pattern or of keywords in each text; none for other labelers.

    The linear-time engine finds them, so no text takes long. A pattern that only Python's `re` can express has none.
    """
    expression = _expression(labeler)
    if expression is None:
        return [[] for _ in texts]
    clean = pl.Series([text.replace(_OPEN, "?").replace(_CLOSE, "?") for text in texts], dtype=pl.String)
    marked = clean.str.replace_all(expression, f"{_OPEN}${{0}}{_CLOSE}")
    return [_spans_between_marks(text) for text in marked]


def _expression(labeler: Labeler) -> str | None:
    """The expression to search for with the linear-time engine, if there is one."""
    if not isinstance(labeler, TextLabeler) or labeler.engine != "polars":
        return None
    if isinstance(labeler, Keywords) and labeler.whole_words:
        words = linear_words(labeler.words, labeler._flags, whole=False).pattern
        return rf"\b{{start-half}}(?:{words})\b{{end-half}}"
    return labeler.linear().pattern


def _spans_between_marks(marked: str) -> list[Span]:
    """The places between the marks, as places in the text without marks. Empty matches are left out."""
    result, start, at = [], 0, 0
    for piece in re.split(f"([{_OPEN}{_CLOSE}])", marked):
        if piece == _OPEN:
            start = at
        elif piece == _CLOSE:
            if at > start:
                result.append(Span(start, at))
        else:
            at += len(piece)
    return result
