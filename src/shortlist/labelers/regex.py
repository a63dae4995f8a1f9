r"""Python's regular expressions on the linear-time engine of polars, a whole column at a time.

Python's own parser reads a pattern, and `LinearWriter` writes it again for the Rust engine. The two engines then agree
on whether a text matches: `\w` is `[\p{L}\p{N}_]`, `\s` has four more separators, `$` allows a newline after it, and
i, I, ı and İ are equal where case is ignored. Look-around and back-references have no counterpart: `Inexpressible`.

Only `\b` needs more. The engines disagree on whether a few characters (superscripts, combining accents) are part of a
word. Texts with such a character are *marked* first: each character is put between two marks on which both engines
agree, and a second pattern, for marked texts, takes three characters at a time.

    k²   becomes   aka é²é        a: part of a word in ASCII; é: part of a word otherwise; !: not part of a word
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

try:
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as sre_parser  # type: ignore[attr-defined]
except ImportError:  # a Python whose parser is elsewhere: every pattern then runs with `re`, and says so
    sre = sre_parser = None

NOT_WORD = r"[^\p{L}\p{N}_]"  # Python's \W
_DISPUTED = r"[\w~~\p{L}\p{N}_]"  # part of a word to one engine and not to the other


class Inexpressible(Exception):  # noqa: N818
    """The linear-time engine has no counterpart for something in this pattern."""


@dataclass(frozen=True)
class Linear:
    """A pattern for the linear-time engine.

    pattern    for all texts, or for all but those of `fallback`
    fallback   for texts that are not ASCII, or only for those with disputed characters, marked
    marked     whether `fallback` is for marked texts
    """

    pattern: str
    fallback: str | None = None
    marked: bool = False


@dataclass(frozen=True)
class ColumnSearch:
    """A search for one pattern in a column of text, with the codes of a match and of no match."""

    column: str | None
    linear: Linear
    yes: int
    no: int

    def codes(self, pattern: str, text: pl.Expr) -> pl.Expr:
        """The codes of a column; 0 where there is no text."""
        codes = pl.when(text.str.contains(pattern)).then(pl.lit(self.yes, pl.UInt8))
        if self.no:
            codes = codes.when(text.is_null()).then(pl.lit(0, pl.UInt8))  # type: ignore[assignment]
        return codes.otherwise(pl.lit(self.no, pl.UInt8))


def search_columns(
    searches: Mapping[int, ColumnSearch], texts: Mapping[str | None, pl.Series]
) -> dict[int, npt.NDArray[np.uint8]]:
    """Run searches together: one plan of polars reads each column once, and uses all cores. Returns codes by search."""
    names = {column: str(place) for place, column in enumerate(texts)}
    frame = pl.DataFrame([series.alias(names[column]) for column, series in texts.items()])
    plan = [one.codes(one.linear.pattern, pl.col(names[one.column])).alias(str(i)) for i, one in searches.items()]
    codes = {int(series.name): series.to_numpy() for series in frame.select(plan)}
    for column, series in texts.items():
        again = {i: one for i, one in searches.items() if one.column == column and one.linear.fallback is not None}
        for marked in (False, True):
            _search_again({i: one for i, one in again.items() if one.linear.marked is marked}, series, codes, marked)
    return codes


def _search_again(
    searches: Mapping[int, ColumnSearch], texts: pl.Series, codes: dict[int, npt.NDArray[np.uint8]], marked: bool
) -> None:
    """Search the rows that the first pattern is not for with the fallback, and replace their codes."""
    if not searches:
        return
    rows = (texts.str.len_bytes() != texts.str.len_chars()).fill_null(False).arg_true()
    if marked and len(rows):
        rows = rows.filter(texts.gather(rows).str.contains(_DISPUTED))
    if not len(rows):
        return
    again = texts.gather(rows)
    frame = (mark(again) if marked else again).alias("text").to_frame()
    plan = [one.codes(str(one.linear.fallback), pl.col("text")).alias(str(i)) for i, one in searches.items()]
    for series in frame.select(plan):
        fixed = codes[int(series.name)] = codes[int(series.name)].copy()
        fixed[rows.to_numpy()] = series.to_numpy()


class _Marks(dict[int, str]):
    """Character → the three that it becomes. A newline is its own mark, so that `^` and `$` find ends of lines."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        mark = letter if letter == "\n" else "!"
        if letter.isalnum() or letter == "_":
            mark = "a" if letter.isascii() else "é"
        self[code] = mark + letter + mark
        return self[code]


_MARKS = _Marks()


def mark(texts: pl.Series) -> pl.Series:
    """Texts with every character between two marks."""
    return pl.Series([text.translate(_MARKS) for text in texts], dtype=pl.String)


@cache
def linear(regex: str, flags: int = 0) -> Linear:
    """Write a Python pattern for the linear-time engine, or raise Inexpressible."""
    tree = parse_regex(regex, flags)
    writer, marking = LinearWriter(), LinearWriter(r"[a\x{E9}!\n]")
    pattern = _accepted(writer.sequence(tree, tree.state.flags, tail=True))
    if not writer.boundaries:
        return Linear(pattern)
    marked = rf"\A(?s:.{{3}})*(?:{marking.sequence(tree, tree.state.flags, tail=True)})"
    return Linear(pattern, _accepted(marked), marked=True)


@cache
def linear_words(words: tuple[str, ...], flags: int, *, whole: bool) -> Linear:
    """Write a search for any of some words. The quick sign for ends of words is right in texts of ASCII only."""
    listed = linear("|".join(map(re.escape, words)), flags).pattern
    if not whole:
        return Linear(listed)
    quick = rf"(?-u:\b{{start-half}})(?:{listed})(?-u:\b{{end-half}})"
    return Linear(quick, rf"(?:\A|{NOT_WORD})(?:{listed})(?:\z|{NOT_WORD})")


def parse_regex(regex: str, flags: int = 0) -> Any:
    """Parse a pattern with Python's own parser, or raise Inexpressible where that is not found."""
    if sre_parser is None:
        raise Inexpressible("this Python's own regular-expression parser was not found")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of odd patterns when it compiles them
        return sre_parser.parse(regex, flags)


def _accepted(pattern: str) -> str:
    """The pattern, if the engine takes it."""
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError as error:
        raise Inexpressible("the linear-time engine refuses it as too large") from error
    return pattern


class LinearWriter:
    """Walks Python's parse tree and writes the pattern again; `mark` stands on both sides of every character."""

    def __init__(self, mark: str = "") -> None:
        self.mark = mark
        self.boundaries = False  # whether the pattern has \b

    def sequence(self, items: Iterable[tuple[Any, Any]], flags: int, *, tail: bool) -> str:
        """Write one item after the other. `tail`: nothing that takes characters follows them."""
        items = list(items)
        last = len(items) - 1
        return "".join(self._item(op, value, flags, tail and i == last) for i, (op, value) in enumerate(items))

    def _item(self, op: Any, value: Any, flags: int, tail: bool) -> str:
        write = getattr(self, f"_{str(op).lower()}", None)
        if write is None:
            raise Inexpressible(_REASONS.get(str(op), f"{op} has no counterpart"))
        return str(write(value, flags, tail))

    def _character(self, one: str) -> str:
        return f"{self.mark}{one}{self.mark}"

    def _literal(self, value: int, flags: int, _tail: bool) -> str:
        return self._in([(sre.LITERAL, value)], flags, False)

    def _not_literal(self, value: int, flags: int, _tail: bool) -> str:
        return self._in([(sre.NEGATE, None), (sre.LITERAL, value)], flags, False)

    def _any(self, _value: None, flags: int, _tail: bool) -> str:
        return self._character("(?s:.)" if flags & re.DOTALL else r"[^\n]")

    def _in(self, items: Sequence[tuple[Any, Any]], flags: int, _tail: bool) -> str:
        """Write a set of characters, or a single one."""
        negated = "^" if items[0][0] is sre.NEGATE else ""
        categories = "".join(_category(value, flags) for op, value in items if op is sre.CATEGORY)
        ends = [(value, value) if op is sre.LITERAL else value for op, value in items if op in (sre.LITERAL, sre.RANGE)]
        listed = "".join(_escaped(lo) if lo == hi else f"{_escaped(lo)}-{_escaped(hi)}" for lo, hi in ends)
        if not flags & re.IGNORECASE or not any(_has_case(lo, hi) for lo, hi in ends):
            single = len(items) == 1 and items[0][0] is sre.LITERAL
            return self._character(listed if single else f"[{negated}{listed}{categories}]")
        if flags & re.ASCII:
            raise Inexpressible("case is ignored in ASCII only")
        if any(lo <= ord(letter) <= hi for letter in "iIıİ" for lo, hi in ends):
            listed += "iIıİ"  # all equal to Python, two pairs to the other engine
        return self._character(_caseless_set(negated, listed, categories))

    def _branch(self, value: Any, flags: int, tail: bool) -> str:
        return "(?:" + "|".join(self.sequence(branch, flags, tail=tail) for branch in value[1]) + ")"

    def _subpattern(self, value: Any, flags: int, tail: bool) -> str:
        _group, added, removed, inner = value
        return "(?:" + self.sequence(inner, (flags | added) & ~removed, tail=tail) + ")"

    def _max_repeat(self, value: Any, flags: int, tail: bool) -> str:
        least, most, inner = value
        written = self.sequence(inner, flags, tail=tail and most == 1)
        return f"(?:{written}){{{least},{'' if most is sre.MAXREPEAT else most}}}"

    def _min_repeat(self, value: Any, flags: int, tail: bool) -> str:
        return self._max_repeat(value, flags, tail) + "?"

    def _at(self, where: Any, flags: int, tail: bool) -> str:
        lines = flags & re.MULTILINE
        if where is sre.AT_END and not lines:
            if not tail:
                raise Inexpressible("$ is followed by something")
            newline = self._character(r"\n")
            return rf"(?:(?:{newline})?\z)"
        if where is sre.AT_BOUNDARY:
            self.boundaries = self.boundaries or not flags & re.ASCII
            return r"(?-u:\b)" if flags & re.ASCII else r"\b"
        places = {
            sre.AT_BEGINNING: "(?m:^)" if lines else r"\A",
            sre.AT_END: "(?m:$)",
            sre.AT_BEGINNING_STRING: r"\A",
            sre.AT_END_STRING: r"\z",
        }
        if where not in places:
            raise Inexpressible(r"\B means something else there")
        return places[where]


_REASONS = {
    "ASSERT": "look-around",
    "ASSERT_NOT": "look-around",
    "GROUPREF": "a back-reference",
    "GROUPREF_EXISTS": "a conditional group",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repetition",
    "FAILURE": "a part that can never match",
}


def _category(name: Any, flags: int) -> str:
    r"""Write `\w` and its like, as Python means it, for the inside of a class."""
    kind = str(name).rpartition("_")[2]
    if flags & re.ASCII:
        inside = {"WORD": "0-9A-Za-z_", "DIGIT": "0-9", "SPACE": r"\t-\r "}[kind]
    else:
        inside = {"WORD": r"\p{L}\p{N}_", "DIGIT": r"\d", "SPACE": r"\s\x1C-\x1F"}[kind]
    return f"[^{inside}]" if "_NOT_" in str(name) else inside


def _caseless_set(negated: str, listed: str, categories: str) -> str:
    r"""Write a set that ignores the case of what is listed. `\w` and `\W` stay outside: a mark is a case of ι."""
    if r"\p" not in categories:
        return f"(?i:[{negated}{listed}{categories}])"
    if negated:
        raise Inexpressible(r"\w and letters are left out together, where case is ignored")
    return f"(?:(?i:[{listed}])|[{categories}])"


def _escaped(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        raise Inexpressible("a lone surrogate is no character there")
    letter = chr(code)
    return letter if letter.isascii() and letter.isalnum() else f"\\x{{{code:X}}}"


def _has_case(lo: int, hi: int) -> bool:
    letters = map(chr, range(lo, hi + 1))
    return any(not letter == letter.lower() == letter.upper() == letter.casefold() for letter in letters)
