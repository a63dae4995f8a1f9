"""Matching: which of some choices a model means, by its first token or by what it wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

import numpy as np

from shortlist.arrays import Floats

SHORTEST = 2  # letters of a token that is taken for the beginning of a longer word


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
    shares: dict[str, float] = {}  # all spellings of a token together
    for token, value in tokens:
        shares[plain(token)] = shares.get(plain(token), 0.0) + math.exp(value)
    firsts = [_first(plain(choice), shares) for choice in choices]
    shared = {one for one in firsts if one is not None and firsts.count(one) > 1}
    mass = np.array([0.0 if one is None or one in shared else shares[one] for one in firsts])
    if max((shares[one] for one in shared), default=0.0) > mass.max():
        raise SharedToken(", ".join(repr(one) for one in choices))
    if not mass.any():
        return np.full(len(choices), np.nan)
    left = max(1 - sum(shares.values()), 1e-12)
    bound = min(math.exp(min(value for _, value in tokens)), left)
    scores: Floats = np.log(np.where(mass > 0, np.minimum(mass, 1.0), bound))
    return scores


def _first(word: str, shares: Mapping[str, float]) -> str | None:
    """The token that a choice begins with: the longest of these that is its beginning, or it and a mark: "yes,"."""
    if word in shares:
        return word
    marked = [token for token in shares if token.startswith(word) and not token[len(word)].isalnum()]
    begins = [token for token in shares if len(token) >= SHORTEST and word.startswith(token)]
    return max(marked, key=lambda token: shares[token]) if marked else max(begins, key=len, default=None)


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
