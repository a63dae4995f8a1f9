"""pattern() and keywords(): labelers that are data, so they can be printed, compared, saved and run by column.

They run in the linear-time engine of polars, a whole column at a time. A pattern that this engine cannot express runs
with Python's `re`, with a time limit, and says so (see `regex.py`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.errors import BadLabeler, BadRows, SlowPattern
from shortlist.labelers.answers import Ballot, Codebook, Said, checked_answer, failed, plain_answer
from shortlist.labelers.features import Columns, FeaturePlan
from shortlist.labelers.labeler import Labeler, Parts, labeler_kind
from shortlist.labelers.regex import TIMED_OUT, Inexpressible, accepted, linear, slow_search, timeout_error
from shortlist.labelspace import Not, Shortlist, as_written
from shortlist.registry import parameters_known
from shortlist.wording import UNSPACED

MAX_TIMEOUTS = 10  # rows of a chunk on which a search may be stopped, if errors abstain


@dataclass(frozen=True, repr=False)
class TextLabeler(Labeler):
    """A labeler that searches a text: `yes` where there is a match, `no` where there is none.

    Made by `pattern()` (`what` is a regular expression) and `keywords()` (`what` is words or phrases).
    """

    name: str
    what: str | tuple[str, ...]
    yes: Shortlist | Not | None
    no: Shortlist | Not | None
    on: str | None
    ignore_case: bool
    whole_words: bool = False
    unnamed: bool = field(default=False, compare=False)

    @property
    def says(self) -> Said:  # type: ignore[override]
        return tuple(answer for answer in (self.yes, self.no) if answer is not None)

    def fingerprint_parts(self) -> Parts:
        return Parts(self.record())

    def on_text(self, column: str) -> TextLabeler:
        return replace(self, on=column) if self.on is None else self

    def _settings(self) -> dict[str, Any]:
        """The arguments of the call that makes it."""
        if isinstance(self.what, str):
            return {"regex": self.what, "yes": self.yes, "no": self.no, "ignore_case": self.ignore_case}
        options = {"whole_words": self.whole_words, "ignore_case": self.ignore_case}
        return {"words": list(self.what), "says": self.yes, "no": self.no, **options}

    def record(self) -> dict[str, Any]:
        kind = "pattern" if isinstance(self.what, str) else "keywords"
        record = {"kind": kind, "name": self.name, **self._settings(), "on": self.on}
        return {key: _shown(value, plain_answer, value) for key, value in record.items() if value is not None}

    def __repr__(self) -> str:
        (first, what), *others = self._settings().items()
        usual = {"yes": None, "no": None, "on": None, "whole_words": True, "ignore_case": first == "words"}
        settings = dict(others) | {"on": self.on, "name": self.name}
        shown = [
            f"{key}={_shown(value, as_written, repr(value))}"
            for key, value in settings.items()
            if key not in usual or value != usual[key]
        ]
        slow = "" if self.engine == "polars" else f"  # runs with {self.engine}"
        return f"{'keywords' if first == 'words' else 'pattern'}({', '.join([repr(what), *shown])}){slow}"

    @property
    def python(self) -> str:
        """What is searched for, as a pattern of Python."""
        if isinstance(self.what, str):
            return self.what
        return self._words(r"(?<!\w)", r"(?!\w)") if self.whole_words else "|".join(map(re.escape, self.what))

    def linear(self) -> str:
        """What is searched for, as a pattern for the linear-time engine; raises Inexpressible."""
        if isinstance(self.what, str):
            return linear(self.what, self.ignore_case)
        whole = self._words(r"(?:\A|\W)", r"(?:\z|\W)")
        return accepted(f"(?{'i' if self.ignore_case else ''}:{whole})" if self.whole_words else self.any_word)

    def _words(self, before: str, after: str) -> str:
        """Any of the words between these; without them if it is of a script that has no spaces between words."""
        spaced = [re.escape(word) for word in self.what if not re.search(f"[{UNSPACED}]", word)]
        others = [re.escape(word) for word in self.what if re.search(f"[{UNSPACED}]", word)]
        return "|".join([*([f"{before}(?:{'|'.join(spaced)}){after}"] if spaced else []), *others])

    @property
    def any_word(self) -> str:
        """Any of the words, for the linear-time engine."""
        return f"(?{'i' if self.ignore_case else ''}:{'|'.join(map(re.escape, self.what))})"

    @cached_property
    def engine(self) -> str:
        """The engine that runs it: "polars", or "re" and why."""
        try:
            self.linear()
        except Inexpressible as reason:
            return f"re ({reason})"
        return "polars"

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot = Ballot(codebook)
        found = self._found(columns, ballot)
        late = np.flatnonzero(found == TIMED_OUT)
        if len(late) and (columns.raise_errors or len(late) >= MAX_TIMEOUTS):
            raise failed(timeout_error(), labeler=self.name, row=columns.chunk.start + int(late[0]))
        for row in late:
            ballot.fail(timeout_error(), columns.chunk.start + int(row))
        codes = [codebook.resolve(self.no), codebook.resolve(self.yes), 0, 0]
        ballot.codes = np.array(codes, codebook.dtype)[found]
        return ballot

    def _found(self, columns: Columns, ballot: Ballot) -> npt.NDArray[np.int8]:
        """(rows,): 1 match, 0 no match, −1 no text, or TIMED_OUT."""
        search = self.search(columns.plan)
        if search is not None:
            try:
                found = columns.matches(*search)
            except BadRows:
                if columns.raise_errors:
                    raise
            else:
                return _as_numbers(self._whole(found, columns.chunk.text(search[0])) if self.whole_words else found)
        on = columns.plan.column(self.on)
        read = ballot.read(columns.chunk, lambda chunk: chunk.text(on), raise_errors=columns.raise_errors)
        texts = pl.Series(read, dtype=pl.String)
        if self.engine == "polars":
            return _as_numbers(texts.str.contains(self.linear()))
        regex = re.compile(self.python, re.IGNORECASE if self.ignore_case else 0)
        return slow_search(regex, texts, 1 if columns.raise_errors else MAX_TIMEOUTS)

    def search(self, plan: FeaturePlan) -> tuple[str | None, str] | None:
        if self.engine != "polars":
            return None
        return plan.column(self.on), self.any_word if self.whole_words else self.linear()

    def _whole(self, found: pl.Series, texts: pl.Series) -> pl.Series:
        """Of the texts that hold a word, those that hold a whole one: few texts, so that all take little time."""
        rows = found.arg_true()
        return found.clone().scatter(rows, texts.gather(rows).str.contains(self.linear()))


def _as_numbers(found: pl.Series) -> npt.NDArray[np.int8]:
    return found.cast(pl.Int8).fill_null(-1).to_numpy()


def _shown(value: Any, show: Callable[[Any], Any], otherwise: Any) -> Any:
    """An answer as this function shows it; anything else as given."""
    return show(value) if isinstance(value, (frozenset, Not)) else otherwise


@labeler_kind("pattern")
@parameters_known(BadLabeler)
def pattern(
    regex: str,
    yes: Any = None,
    no: Any = None,
    *,
    on: str | None = None,
    ignore_case: bool = False,
    name: str | None = None,
) -> TextLabeler:
    """A labeler that says `yes` where a regular expression is found in a text, and `no` where it is not.

    Without `no` (or without `yes`) it abstains there: the paper's "unipolar" rule. `on` names the column to
    read; it is not needed where rows are strings or a table has one column of text. Upper and lower
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
    _check_on(on)
    unnamed, name = not name, name or str(regex)[:60]
    try:
        re.compile(regex)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        message = f"pattern '{str(regex)[:60]}' is not a regular expression: {error}"
        raise BadLabeler(message, labeler=name, option=("regex",)) from error
    if yes is None and no is None:
        raise BadLabeler(f"pattern {name!r} says nothing: give yes=…, no=…, or both", labeler=name)
    match = None if yes is None else checked_answer(yes, name, "yes")
    no_match = None if no is None else checked_answer(no, name, "no")
    if match == no_match:
        raise BadLabeler(f"pattern {name!r} says the same whether it is found or not", labeler=name)
    labeler = TextLabeler(name, regex, match, no_match, on, ignore_case, unnamed=unnamed)
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
    on: str | None = None,
    whole_words: bool = True,
    ignore_case: bool = True,
    name: str | None = None,
) -> TextLabeler:
    """A labeler that says one thing where any of these words or phrases is in a text, and `no` where none is.

    Words are found in upper and lower case, unless `ignore_case=False`, and as whole words, unless `whole_words=False`.
    In scripts without spaces between words (Chinese, Japanese, Thai), they are found anywhere.

    Without `no` it abstains there. With it the labeler has two things to say, so that its accuracy can be learned
    from votes: `keywords(["film"], says="movie review", no=Not("movie review"))`. Use `no` only if the words are in
    nearly all rows of the class: on each row that it misses, `no` would speak against the right class.

    >>> keywords(["goal", "match point"], says="sports")("A late GOAL")
    frozenset({'sports'})
    """
    if isinstance(words, str) and "," in words:
        several = [word.strip() for word in words.split(",") if word.strip()]
        problem = f"keywords() takes a list of words, {several}; {words!r} is one phrase, with its comma"
        raise BadLabeler(f"{problem}. If that is meant: [{words!r}]", option=("words",))
    listed = (words,) if isinstance(words, str) else tuple(words) if isinstance(words, Iterable) else ()
    if not listed or not all(isinstance(word, str) and word for word in listed):
        got = list(listed) or words
        raise BadLabeler(f"keywords() takes a list of non-empty words; got {got!r}", option=("words",))
    _check_on(on)
    unnamed, name = not name, name or ", ".join(listed)[:60]
    answer = checked_answer(says, name, "says")
    no_match = None if no is None else checked_answer(no, name, "no")
    if answer == no_match:
        raise BadLabeler(f"keywords {name!r} says the same whether a word is found or not", labeler=name)
    return TextLabeler(name, listed, answer, no_match, on, ignore_case, whole_words, unnamed)


def _check_on(on: Any) -> None:
    if on is not None and not isinstance(on, str):
        raise BadLabeler(f"on= names one column; got {on!r}. To search a feature, write a function", option=("on",))


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
    if labeler.whole_words:
        words = labeler._words(r"\b{start-half}", r"\b{end-half}")
        return f"(?{'i' if labeler.ignore_case else ''}:{words})"
    return labeler.linear()


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
