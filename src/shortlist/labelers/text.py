"""pattern() and keywords(): labelers that are data, so they can be printed, compared, saved and run by column.

They run in the linear-time regular-expression engine of polars, a whole column at a time, with Python's meaning
(see `regex.py`); a pattern that engine cannot express runs with Python's `re`, and says so.
"""

from __future__ import annotations

import re
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadLabeler, SlowPattern
from shortlist.labelers.answers import Codebook, Said, checked_answer, plain_answer, show_answer
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.core import Labeler, Parts
from shortlist.labelers.failure import failed
from shortlist.labelers.features import Columns, Feature, Plan, RowFunction
from shortlist.labelers.records import labeler_kind
from shortlist.labelers.regex import Inexpressible, Linear, linear, non_word_characters
from shortlist.labelers.regex.patience import LATE, too_slow
from shortlist.labelers.search import column_text, feature_text, find
from shortlist.labelers.together import Search
from shortlist.labelspace import Not, Shortlist
from shortlist.registry import parameters_known
from shortlist.rows import Chunk

MOST_LATE = 10  # rows of a chunk on which a search may be given up, where errors are to abstain


class TextLabeler(Labeler):
    """A labeler that looks for something in a text: one answer where it is found, perhaps one where it is not."""

    on: str | None
    feature: Feature | None  # the feature of that name, where it was given as such
    yes: Shortlist | Not | None
    no: Shortlist | Not | None

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
        """What is looked for, for Python's `re`: the meaning of this labeler."""

    @abstractmethod
    def _linear(self) -> Linear:
        """The same for the linear-time engine, or Inexpressible."""

    @cached_property
    def engine(self) -> str:
        """Which engine runs it: "polars", or "re" and why."""
        try:
            self._linear()
        except Inexpressible as reason:
            return f"re ({reason})"
        return "polars"

    def __call__(self, row: Any) -> Shortlist | Not | None:
        """The answer for one row."""
        found = int(self._find(Chunk(0, [row]).text(self.on))[0])
        if found == LATE:
            raise failed(too_slow(), labeler=self.name, row=0)
        return {1: self.yes, 0: self.no}.get(found)

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot = Ballot(codebook)
        yes, no = codebook.resolve(self.yes), codebook.resolve(self.no)
        found = self._find(self._column(columns, ballot), most_late=1 if columns.raise_errors else MOST_LATE)
        self._check_late(found, columns, ballot)
        ballot.codes = np.where(found == 1, yes, np.where(found == 0, no, 0)).astype(codebook.dtype)
        return ballot

    def search(self, plan: Plan, codebook: Codebook) -> Search | None:
        feature = plan.given.get(self.on or "", self.feature)
        if self.engine != "polars" or (feature is not None and feature.column is None):
            return None
        column = self.on if feature is None else feature.column
        yes, no = codebook.resolve(self.yes), codebook.resolve(self.no)
        return Search(column, self._linear(), yes, no)

    def _column(self, columns: Columns, ballot: Ballot) -> pl.Series:
        """The text to look in: a feature of that name where one was given, else a column of the rows."""
        feature = columns.plan.given.get(self.on or "", self.feature)
        if feature is None:
            return column_text(self.on, columns, ballot)
        if feature.column is not None:
            return column_text(feature.column, columns, ballot)
        return feature_text(feature, columns, ballot)

    def _find(self, column: pl.Series, most_late: int = 1) -> npt.NDArray[np.int8]:
        """(rows,): 1 found, 0 not found, −1 no text, LATE where the search was given up."""
        return find(self.python, self._linear() if self.engine == "polars" else None, column, most_late)

    def _check_late(self, found: npt.NDArray[np.int8], columns: Columns, ballot: Ballot) -> None:
        """Rows on which the search was given up have failed. Many of them end the vote, whatever errors are to do."""
        late = np.flatnonzero(found == LATE)
        if len(late) and (columns.raise_errors or len(late) >= MOST_LATE):
            raise failed(too_slow(), labeler=self.name, row=columns.chunk.start + int(late[0]))
        for row in late:
            ballot.fail(too_slow(), columns.chunk.start + int(row))


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
    def _flags(self) -> int:
        return re.IGNORECASE if self.ignore_case else 0

    @property
    def python(self) -> re.Pattern[str]:
        return re.compile(self.regex, self._flags)

    def _linear(self) -> Linear:
        return _linear(self.regex, self._flags)

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
    def _flags(self) -> int:
        return re.IGNORECASE if self.ignore_case else 0

    @property
    def _any_of_them(self) -> str:
        return "|".join(re.escape(word) for word in self.words)

    @property
    def python(self) -> re.Pattern[str]:
        regex = rf"(?<!\w)(?:{self._any_of_them})(?!\w)" if self.whole_words else self._any_of_them
        return re.compile(regex, self._flags)

    def _linear(self) -> Linear:
        return _linear_words(self._any_of_them, self._flags, self.whole_words)

    def __repr__(self) -> str:
        options = {"whole_words": self.whole_words and None, "ignore_case": self.ignore_case and None}
        return _as_call("keywords", list(self.words), self, says=self.yes, no=self.no, **options)


@cache
def _linear(regex: str, flags: int) -> Linear:
    return linear(regex, flags)


@cache
def _linear_words(regex: str, flags: int, whole_words: bool) -> Linear:
    """Whole words. The engine has no look-around, but in texts of ASCII a quick sign for the ends of words.

    In other texts that sign is slow, and does not mean what Python means: there, the match takes what stands beside.
    """
    words = linear(regex, flags)
    if not whole_words:
        return words
    beside = non_word_characters()
    return Linear(
        rf"(?-u:\b{{start-half}})(?:{words.pattern})(?-u:\b{{end-half}})",
        wider=rf"(?:\A|{beside})(?:{words.pattern})(?:\z|{beside})",
    )


def _as_call(verb: str, what: Any, labeler: Any, **options: Any) -> str:
    """How the labeler would be written."""
    written = {key: value for key, value in options.items() if value is not None}
    shown = [f"{key}={show_answer(v) if isinstance(v, (frozenset, Not)) else repr(v)}" for key, v in written.items()]
    on = [f"on={labeler.on!r}"] if labeler.on else []
    slow = "" if labeler.engine == "polars" else f"  # runs with {labeler.engine}"
    return f"{verb}({', '.join([repr(what), *shown, *on, f'name={labeler.name!r}'])}){slow}"


def _record(kind: str, labeler: TextLabeler, **settings: Any) -> dict[str, Any]:
    """A labeler as plain data. A feature is code, so only its name is kept."""
    given = {"kind": kind, "name": labeler.name, **settings, "on": labeler.on}
    answers = {key: plain_answer(v) for key, v in given.items() if isinstance(v, (frozenset, Not))}
    return {key: value for key, value in (given | answers).items() if value is not None}


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
    found = None if yes is None else checked_answer(yes, name, "yes")
    absent = None if no is None else checked_answer(no, name, "no")
    if found == absent:
        raise BadLabeler(f"pattern {name!r} says the same whether it is found or not", labeler=name)
    made = Pattern(name, regex, found, absent, **source, ignore_case=ignore_case)
    if made.engine != "polars":
        how = "slower, and given up where a row takes too long"
        slow = f"pattern {made.name!r} runs row by row with {made.engine}: {how}"
        warnings.warn(slow, SlowPattern, stacklevel=3)
    return made


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
    absent = None if no is None else checked_answer(no, name, "no")
    if answer == absent:
        raise BadLabeler(f"keywords {name!r} says the same whether a word is found or not", labeler=name)
    return Keywords(name, listed, answer, absent, whole_words=whole_words, ignore_case=ignore_case, **source)


def listed_words(words: Any) -> tuple[str, ...]:
    """One word, or several, as a tuple."""
    if isinstance(words, str) and "," in words:
        several = [word.strip() for word in words.split(",") if word.strip()]
        told = f"keywords() takes a list of words, {several}; {words!r} is one phrase, with its comma"
        raise BadLabeler(f"{told}. If that is meant: [{words!r}]", option=("words",))
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
        what = f"pattern {name!r} is not a regular expression: {error}"
        raise BadLabeler(what, labeler=name, option=("regex",)) from error


def _source(on: str | Feature | None, name: str | None) -> dict[str, Any]:
    """What to read: a column (or a feature given to `apply`) by name, or a feature. And whether there is no name."""
    if not isinstance(on, (str, Feature, type(None))):
        raise BadLabeler(f"on= names one column, or is a feature; got {on!r}", option=("on",))
    return {"unnamed": not name, **({"on": on.name, "feature": on} if isinstance(on, Feature) else {"on": on})}
