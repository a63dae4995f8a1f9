"""What hand-written labelers are made of: words, regular expressions, scores, and the first of some cases that holds.

A list of words is one string: `_` in it is any space, and `*` any ending ("must_see cliche*").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Answer = str | set[str]
Part = Callable[[str], str]  # of a text
Test = Callable[[str], bool]
Measure = Callable[[str], float]

KINDS = KEYWORDS, MIXED, PARTIAL = "keywords", "mixed", "partial"


@dataclass(frozen=True, eq=False)
class Rule:
    name: str
    says: Sequence[Answer]
    vote: Callable[[str], int]  # of a text: 0 abstains, i is says[i - 1]

    def codes(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.vote(text) for text in texts], np.uint8)


@dataclass(frozen=True, eq=False)
class Table:
    """Rules about the texts of a source, whose classes may be merged: old name → new name."""

    kind: str
    source: str
    rules: Sequence[Rule]
    merged: Mapping[str, str] | None = None


# -- rules --------------------------------------------------------------------------------------------------


def whole(text: str) -> str:
    return text


def words(name: str, says: Answer, listed: str, at_least: int = 1, of: Part = whole) -> Rule:
    """Votes where the words are there, so many times or more."""
    return regex(name, says, any_of(listed), at_least, of)


def regex(
    name: str, says: Answer, expression: str, at_least: int = 1, of: Part = whole, ignore_case: bool = True
) -> Rule:
    """Votes where the expression is found, so many times or more."""
    if at_least == 1:
        return cases(name, (says, found(expression, of, ignore_case)))
    count = counted(expression, of, ignore_case)
    return cases(name, (says, lambda text: count(text) >= at_least))


def cases(name: str, *given: tuple[Answer, Test]) -> Rule:
    """The answer of the first test that holds, else abstains."""

    def vote(text: str) -> int:
        return next((code for code, (_, test) in enumerate(given, 1) if test(text)), 0)

    return Rule(name, [answer for answer, _ in given], vote)


def lean(name: str, measure: Measure, says: tuple[Answer, Answer], low: float, high: float) -> Rule:
    """The first answer below `low`, the second above `high`; abstains between."""

    def vote(text: str) -> int:
        value = measure(text)
        return 1 if value < low else 2 if value > high else 0

    return Rule(name, says, vote)


def most(name: str, lists: Mapping[str, str], least: int = 1) -> Rule:
    """The class of which the most words are there, if there are so many; abstains on ties."""
    counts = [counted(any_of(listed)) for listed in lists.values()]

    def vote(text: str) -> int:
        found = [count(text) for count in counts]
        top = max(found)
        return found.index(top) + 1 if top >= least and found.count(top) == 1 else 0

    return Rule(name, list(lists), vote)


# -- tests and measures ---------------------------------------------------------------------------------------


def any_of(listed: str) -> str:
    """The regular expression of a list of words."""
    parts = [re.escape(word).replace(r"\*", r"\w*").replace("_", r"\s+") for word in listed.split()]
    return r"(?<!\w)(?:" + "|".join(parts) + r")(?!\w)"


def found(expression: str, of: Part = whole, ignore_case: bool = True) -> Test:
    search = re.compile(expression, re.IGNORECASE if ignore_case else 0).search
    return lambda text: search(of(text)) is not None


def counted(expression: str, of: Part = whole, ignore_case: bool = True) -> Callable[[str], int]:
    find = re.compile(expression, re.IGNORECASE if ignore_case else 0).findall
    return lambda text: len(find(of(text)))


def below(limit: float, of: Measure = len) -> Test:
    return lambda text: of(text) < limit


def above(limit: float, of: Measure = len) -> Test:
    return lambda text: of(text) > limit


def otherwise(_text: str) -> bool:
    return True


def start(size: int) -> Part:
    return lambda text: text[:size]
