"""Sets of characters: what `\\w`, `[a-z]` and letters of either case mean to Python, as classes of the other engine."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import polars as pl

try:
    from re import _constants as sre  # type: ignore[attr-defined]
except ImportError:  # see `linear.py`
    sre = None

Ranges = tuple[tuple[int, int], ...]  # of code points, both ends included, in order
_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)


class Inexpressible(Exception):  # noqa: N818
    """The linear-time engine has no counterpart for something in this pattern."""


def word_characters() -> str:
    """The class of the characters that are part of words to Python."""
    return character_class(_category(r"\w", 0))


@cache
def non_word_characters() -> str:
    return character_class(_category(r"\w", 0), negated=True)


def character_class(ranges: Ranges, *, negated: bool = False) -> str:
    ranges = _clean(ranges)
    if not ranges:
        return r"(?s:.)" if negated else r"[^\x00-\x{10FFFF}]"
    if not negated and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return one_character(ranges[0][0])
    inside = "".join(one_character(lo) if lo == hi else f"{one_character(lo)}-{one_character(hi)}" for lo, hi in ranges)
    return f"[{'^' if negated else ''}{inside}]"


def one_character(code: int) -> str:
    if _SURROGATES[0] <= code <= _SURROGATES[1]:
        raise Inexpressible("a lone surrogate is no character there")
    letter = chr(code)
    return letter if letter.isascii() and letter.isalnum() else f"\\x{{{code:X}}}"


def listed(items: tuple[tuple[Any, Any], ...], flags: int) -> Ranges:
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
def cased() -> str:
    """Every character that has another case: the only ones for which ignoring case can matter."""
    every = _every_character()
    blocks = (every[start : start + 256] for start in range(0, len(every), 256))
    return "".join(c for block in blocks if _has_case(block) for c in block if _has_case(c))


def _has_case(text: str) -> bool:
    return text != text.lower() or text != text.upper() or text != text.casefold()


@cache
def caseless(items: tuple[tuple[Any, Any], ...], flags: int) -> Ranges:
    """The characters of a [...] when case is ignored, asked of Python itself."""
    found = re.compile(f"[{''.join(_python_item(*item) for item in items)}]", flags & (re.IGNORECASE | re.ASCII))
    letters = cased()
    equal = {ord(c) for c in found.findall(letters)}
    kept = _without(listed(items, flags), tuple((ord(c), ord(c)) for c in letters))
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
    return character_class(_clean(tuple(differing))) if differing else None
