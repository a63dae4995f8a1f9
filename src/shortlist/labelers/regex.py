"""Python regular expressions in the linear-time engine of polars, with Python's meaning.

A pattern is parsed by Python itself and written again for the Rust engine, construct by construct, so that the
two agree on whether a text matches, on every text: `\\w`, `\\d` and `\\s` become the very characters Python counts
among them, letters matched without regard to case become the letters Python takes for equal, `$` gets the
newline Python allows after it. What that engine has no counterpart for (look-around, back-references) is
`Inexpressible`, with the reason.

Only *whether* a text matches is asked, so greedy and lazy repetition are the same thing here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl

try:
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as sre_parser  # type: ignore[attr-defined]
except ImportError:  # a Python whose parser is elsewhere: every pattern then runs with `re`, and says so
    sre = sre_parser = None

Ranges = tuple[tuple[int, int], ...]  # of code points, both ends included, in order
_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)


class Inexpressible(Exception):  # noqa: N818
    """The linear-time engine has no counterpart for something in this pattern."""


@dataclass(frozen=True)
class Linear:
    """A pattern for the linear-time engine; `boundaries` tells whether it asks where words begin and end."""

    pattern: str
    boundaries: bool


def linear(regex: str, flags: int = 0) -> Linear:
    """The same pattern for the linear-time engine, or Inexpressible."""
    if sre_parser is None:
        raise Inexpressible("this Python's own regular-expression parser was not found")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python finds odd in a pattern it says when it compiles it
        tree = sre_parser.parse(regex, flags)
    writer = _Writer()
    pattern = writer.sequence(tree, tree.state.flags, tail=True)
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError as error:
        raise Inexpressible("the linear-time engine refuses it as too large") from error
    return Linear(pattern, writer.boundaries)


class _Writer:
    """Walks Python's parse tree and writes the pattern again."""

    def __init__(self) -> None:
        self.boundaries = False

    def sequence(self, items: Iterable[tuple[Any, Any]], flags: int, *, tail: bool) -> str:
        """`tail` tells whether the text may end after this: nothing that takes characters follows."""
        items = list(items)
        last = len(items) - 1
        return "".join(self.one(op, value, flags, tail=tail and i == last) for i, (op, value) in enumerate(items))

    def one(self, op: Any, value: Any, flags: int, *, tail: bool) -> str:
        write = getattr(self, f"_{str(op).lower()}", None)
        if write is None:
            raise Inexpressible(_REASONS.get(str(op), f"{op} has no counterpart"))
        written: str = write(value, flags, tail)
        return written

    def _literal(self, value: int, flags: int, _tail: bool) -> str:
        if flags & re.IGNORECASE:
            return _class(_caseless(((sre.LITERAL, value),), flags))
        return _character(value)

    def _not_literal(self, value: int, flags: int, _tail: bool) -> str:
        return self._in([(sre.NEGATE, None), (sre.LITERAL, value)], flags, False)

    def _any(self, _value: None, flags: int, _tail: bool) -> str:
        return "(?s:.)" if flags & re.DOTALL else r"[^\n]"

    def _in(self, items: Sequence[tuple[Any, Any]], flags: int, _tail: bool) -> str:
        negated = items[0][0] is sre.NEGATE
        listed = tuple(items[negated:])
        ranges = _caseless(listed, flags) if flags & re.IGNORECASE else _listed(listed, flags)
        return _class(ranges, negated=negated)

    def _branch(self, value: Any, flags: int, tail: bool) -> str:
        return "(?:" + "|".join(self.sequence(branch, flags, tail=tail) for branch in value[1]) + ")"

    def _subpattern(self, value: Any, flags: int, tail: bool) -> str:
        _group, added, removed, inner = value
        return "(?:" + self.sequence(inner, (flags | added) & ~removed, tail=tail) + ")"

    def _max_repeat(self, value: Any, flags: int, tail: bool) -> str:
        least, most, inner = value
        written = self.sequence(inner, flags, tail=tail and most == 1)
        return f"(?:{written}){{{least},{'' if most is sre.MAXREPEAT else most}}}"

    _min_repeat = _max_repeat

    def _at(self, where: Any, flags: int, tail: bool) -> str:
        if where is sre.AT_BEGINNING:
            return "(?m:^)" if flags & re.MULTILINE else r"\A"
        if where is sre.AT_END:
            if flags & re.MULTILINE:
                return "(?m:$)"
            if tail:
                return r"(?:\n?\z)"
            raise Inexpressible("$ is followed by something")
        if where is sre.AT_BOUNDARY:
            return self._boundary(flags)
        plain = {sre.AT_BEGINNING_STRING: r"\A", sre.AT_END_STRING: r"\z"}
        if where not in plain:
            raise Inexpressible(r"\B means something else there")
        return plain[where]

    def _boundary(self, flags: int) -> str:
        if flags & re.ASCII:
            return r"(?-u:\b)"
        self.boundaries = True
        return r"\b"


_REASONS = {
    "ASSERT": "look-around",
    "ASSERT_NOT": "look-around",
    "GROUPREF": "a back-reference",
    "GROUPREF_EXISTS": "a conditional group",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repetition",
    "FAILURE": "a part that can never match",
}


# -- sets of characters -------------------------------------------------------------------------------------


def word_characters() -> str:
    """The class of the characters that are part of words to Python."""
    return _class(_category(r"\w", 0))


def non_word_characters() -> str:
    return _class(_category(r"\w", 0), negated=True)


def _class(ranges: Ranges, *, negated: bool = False) -> str:
    ranges = _clean(ranges)
    if not ranges:
        return r"(?s:.)" if negated else r"[^\x00-\x{10FFFF}]"
    if not negated and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _character(ranges[0][0])
    inside = "".join(_character(lo) if lo == hi else f"{_character(lo)}-{_character(hi)}" for lo, hi in ranges)
    return f"[{'^' if negated else ''}{inside}]"


def _character(code: int) -> str:
    if _SURROGATES[0] <= code <= _SURROGATES[1]:
        raise Inexpressible("a lone surrogate is no character there")
    letter = chr(code)
    return letter if letter.isascii() and letter.isalnum() else f"\\x{{{code:X}}}"


def _listed(items: tuple[tuple[Any, Any], ...], flags: int) -> Ranges:
    """The characters of a [...] as Python lists them, case apart."""
    ranges: list[tuple[int, int]] = []
    for op, value in items:
        if op is sre.LITERAL:
            ranges.append((value, value))
        elif op is sre.RANGE:
            ranges.append(tuple(value))
        elif op is sre.CATEGORY:
            ranges.extend(_category(_CATEGORIES[str(value)], flags & re.ASCII))
        else:
            raise Inexpressible(f"{op} in a set of characters")
    return _clean(tuple(ranges))


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


@cache
def _every_character() -> str:
    return "".join(map(chr, range(_LAST + 1)))


@cache
def _category(escape: str, ascii_only: int) -> Ranges:
    """The characters of \\w and its like, asked of Python itself: position is code point in that string."""
    spans = re.finditer(f"{escape}+", _every_character(), ascii_only)
    return _clean(tuple((span.start(), span.end() - 1) for span in spans))


@cache
def _cased() -> str:
    """Every character that has another case: the only ones for which ignoring case can matter."""
    every = _every_character()
    blocks = (every[start : start + 256] for start in range(0, len(every), 256))
    return "".join(c for block in blocks if _has_case(block) for c in block if _has_case(c))


def _has_case(text: str) -> bool:
    return text != text.lower() or text != text.upper() or text != text.casefold()


@cache
def _caseless(items: tuple[tuple[Any, Any], ...], flags: int) -> Ranges:
    """The characters of a [...] when case is ignored, asked of Python itself."""
    found = re.compile(f"[{''.join(_python_item(*item) for item in items)}]", flags & (re.IGNORECASE | re.ASCII))
    cased = _cased()
    equal = {ord(c) for c in found.findall(cased)}
    kept = _without(_listed(items, flags), tuple((ord(c), ord(c)) for c in cased))
    return _clean((*kept, *((code, code) for code in equal)))


def _python_item(op: Any, value: Any) -> str:
    if op is sre.CATEGORY:
        return _CATEGORIES[str(value)]
    lo, hi = (value, value) if op is sre.LITERAL else value
    return f"\\U{lo:08X}-\\U{hi:08X}"


def _clean(ranges: Ranges) -> Ranges:
    """In order, overlapping ones joined, without surrogates."""
    joined: list[list[int]] = []
    for lo, hi in sorted(ranges):
        if joined and lo <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], hi)
        else:
            joined.append([lo, hi])
    return _without(tuple((lo, hi) for lo, hi in joined), (_SURROGATES,))


def _without(ranges: Ranges, taken: Ranges) -> Ranges:
    """What is left of ordered ranges when other ordered ranges are taken out."""
    left: list[tuple[int, int]] = []
    for lo, hi in ranges:
        start = lo
        for first, last in taken:
            if last < start or first > hi:
                continue
            if first > start:
                left.append((start, first - 1))
            start = last + 1
        if start <= hi:
            left.append((start, hi))
    return tuple(left)


@cache
def disputed_characters() -> str | None:
    """The class of the characters that are part of a word to one engine and not to the other (such as ² or
    combining accents), found by asking both; None where they agree. It decides where `\\b` can be trusted.
    """
    codes = [code for code in range(_LAST + 1) if not _SURROGATES[0] <= code <= _SURROGATES[1]]
    characters = pl.Series(map(chr, codes), dtype=pl.String)
    theirs = characters.str.contains(r"^\w$")
    ours = characters.str.contains(f"^{word_characters()}$")
    differing = [(codes[i], codes[i]) for i in (theirs != ours).arg_true().to_list()]
    return _class(_clean(tuple(differing))) if differing else None
