"""Python regular expressions in the linear-time engine of polars, with Python's meaning.

A pattern is parsed by Python itself and written again for the Rust engine, construct by construct, so that the
two agree on whether a text matches, on every text: `\\w`, `\\d` and `\\s` become the very characters Python counts
among them, letters matched without regard to case become the letters Python takes for equal, `$` gets the
newline Python allows after it. What that engine has no counterpart for (look-around, back-references) is
`Inexpressible`, with the reason.

The engines do not agree on where words begin and end beside some characters (superscripts, combining accents). A
pattern that asks for that is written twice: for texts as they are, and for marked texts (see `marks.py`).

Only *whether* a text matches is asked, so greedy and lazy repetition are the same thing here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shortlist.labelers.regex.characters import Inexpressible, caseless, character_class, listed, one_character
from shortlist.labelers.regex.marks import ALIGNED, MARK

try:
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as sre_parser  # type: ignore[attr-defined]
except ImportError:  # a Python whose parser is elsewhere: every pattern then runs with `re`, and says so
    sre = sre_parser = None


@dataclass(frozen=True)
class Linear:
    """A pattern for the linear-time engine.

    pattern   for texts as they are
    wider     for texts that are not all ASCII, where `pattern` is only for those that are; None where it is for all
    marked    for marked texts, where the engines may disagree on where words begin and end; None where it cannot matter
    """

    pattern: str
    wider: str | None = None
    marked: str | None = None


def linear(regex: str, flags: int = 0) -> Linear:
    """The same pattern for the linear-time engine, or Inexpressible."""
    tree = parsed(regex, flags)
    writer, marking = Writer(), Writer(marked=True)
    pattern = _accepted(writer.sequence(tree, tree.state.flags, tail=True))
    if not writer.boundaries:
        return Linear(pattern)
    return Linear(pattern, marked=_accepted(f"{ALIGNED}(?:{marking.sequence(tree, tree.state.flags, tail=True)})"))


def parsed(regex: str, flags: int = 0) -> Any:
    """The parse tree of Python itself, or Inexpressible where its parser is not found."""
    if sre_parser is None:
        raise Inexpressible("this Python's own regular-expression parser was not found")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python finds odd in a pattern it says when it compiles it
        return sre_parser.parse(regex, flags)


def _accepted(pattern: str) -> str:
    """The pattern, where the engine takes it."""
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.PolarsError as error:
        raise Inexpressible("the linear-time engine refuses it as too large") from error
    return pattern


class Writer:
    """Walks Python's parse tree and writes the pattern again."""

    def __init__(self, *, marked: bool = False) -> None:
        self.mark = MARK if marked else ""
        self.newline = self.taken(r"\n")
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

    def taken(self, character: str) -> str:
        """What takes one character of the text: in a marked text, with its marks."""
        return f"{self.mark}{character}{self.mark}"

    def _literal(self, value: int, flags: int, _tail: bool) -> str:
        if flags & re.IGNORECASE:
            return self.taken(character_class(caseless(((sre.LITERAL, value),), flags)))
        return self.taken(one_character(value))

    def _not_literal(self, value: int, flags: int, _tail: bool) -> str:
        return self._in([(sre.NEGATE, None), (sre.LITERAL, value)], flags, False)

    def _any(self, _value: None, flags: int, _tail: bool) -> str:
        return self.taken("(?s:.)" if flags & re.DOTALL else r"[^\n]")

    def _in(self, items: Sequence[tuple[Any, Any]], flags: int, _tail: bool) -> str:
        negated = items[0][0] is sre.NEGATE
        inside = tuple(items[negated:])
        ranges = caseless(inside, flags) if flags & re.IGNORECASE else listed(inside, flags)
        return self.taken(character_class(ranges, negated=negated))

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
                return rf"(?:(?:{self.newline})?\z)"
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
