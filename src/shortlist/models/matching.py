"""Matching: which of some choices a model means, by its first token or by what it wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np

from shortlist.arrays import Floats


def plain(word: str) -> str:
    """A word as it is compared: without blanks around it, quotation marks, a full stop, or capitals."""
    return word.strip().strip("\"'`*.").strip().casefold()


class SharedToken(Exception):  # noqa: N818
    """Two choices begin with the same token, so that the first token does not tell them apart."""


def first_token_scores(tokens: Sequence[tuple[str, float]], choices: Sequence[str]) -> Floats:
    """(c,): the log-probability that the answer begins as a choice does; NaN throughout where it is none of them.

    A choice that is not among the tokens is at most as likely as the least likely of them, and as all that is left:
    that bound is its score, so that it can make a lead smaller and never larger than it is.
    """
    words = [plain(one) for one in choices]
    mass = np.zeros(len(choices))
    shared, told = 0.0, 0.0
    for token, value in tokens:
        share, word = math.exp(value), plain(token)
        told += share
        begins = [i for i, known in enumerate(words) if word and (known.startswith(word) or _longer(word, known))]
        if len(begins) == 1:
            mass[begins[0]] += share
        elif begins:
            shared += share
    if shared > mass.max():
        raise SharedToken(", ".join(repr(one) for one in choices))
    if not mass.any():
        return np.full(len(choices), np.nan)
    bound = min(math.exp(min(value for _, value in tokens)), max(1 - told, 1e-12))
    scores: Floats = np.log(np.where(mass > 0, np.minimum(mass, 1.0), bound))
    return scores


def _longer(word: str, known: str) -> bool:
    """Whether a token holds a whole choice and then something that is no letter: "yes," for "yes"."""
    return word.startswith(known) and not word[len(known) : len(known) + 1].isalnum()


def matched(written: str, choices: Sequence[str]) -> int | None:
    """Which choice a text means: it is one, begins with one, or names exactly one; None where that is not clear."""
    answer = plain(_unquoted(written))
    words = [plain(one) for one in choices]
    if answer in words:
        return words.index(answer)
    first = [i for i, word in enumerate(words) if answer.startswith(word) and _ends(answer, len(word))]
    if len(first) == 1:
        return first[0]
    named = [i for i, word in enumerate(words) if _stands_in(word, answer)]
    return named[0] if len(named) == 1 else None


def _unquoted(written: str) -> str:
    """The text itself, where it was written as JSON: `"yes"` or `{"answer": "yes"}`."""
    try:
        found = json.loads(written)
    except ValueError:
        return written
    if isinstance(found, dict) and len(found) == 1:
        found = next(iter(found.values()))
    return found if isinstance(found, str) else written


def _ends(text: str, at: int) -> bool:
    return not text[at : at + 1].isalnum()


def _stands_in(word: str, text: str) -> bool:
    start = text.find(word)
    while start >= 0:
        if _ends(text, start + len(word)) and (start == 0 or not text[start - 1].isalnum()):
            return True
        start = text.find(word, start + 1)
    return False
