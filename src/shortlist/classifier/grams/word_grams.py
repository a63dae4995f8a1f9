"""WordGrams: how often words, pairs of words and longer runs of them stand in texts.

The counts are those of scikit-learn's kind "word" with the same pattern of a token. No token goes over a blank, so the
tokens of each different word of the texts are found once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Self

import numpy as np

from shortlist.classifier.grams.grams import Grams
from shortlist.classifier.grams.ragged import Ragged
from shortlist.classifier.grams.word_list import WordList

TOKEN = re.compile(r"\b\w+\b|[^\w\s]")  # one-letter words and punctuation tell questions from statements


class WordGrams:
    """Counts of the most frequent word n-grams; punctuation is words, too."""

    def __init__(self, lengths: tuple[int, int], max_features: int) -> None:
        self.grams = Grams(lengths, max_features)

    def fit_count(self, listed: WordList) -> Any:
        """Find the n-grams of the texts, and count them: (texts, n-grams)."""
        tokens = _tokens(listed.words)
        self._set_tokens(tokens)
        return self.grams.fit_count(self._numbered(tokens).joined(listed.texts), len(self.tokens_))

    def count(self, listed: WordList) -> Any:
        """Count the n-grams that are known: (texts, n-grams)."""
        tokens = _tokens(listed.words)
        return self.grams.count(self._numbered(tokens).joined(listed.texts))

    def names(self) -> list[str]:
        """The n-grams in the order of their columns, words parted by blanks."""
        known, tokens = self.grams.grams(), list(self.tokens_)
        words = [tokens[i] for i in known.items]
        return [" ".join(words[start:end]) for start, end in zip(known.ends, known.ends[1:], strict=False)]

    def restore(self, names: Sequence[str]) -> Self:
        """Know n-grams that `names` gave."""
        tokens = [name.split(" ") for name in names]
        self._set_tokens(tokens)
        self.grams.restore(self._numbered(tokens), len(self.tokens_))
        return self

    def _set_tokens(self, tokens: Iterable[Iterable[str]]) -> None:
        """Number the different tokens, in the order of the alphabet."""
        self.tokens_ = {token: i for i, token in enumerate(sorted(set(chain.from_iterable(tokens))))}

    def _numbered(self, tokens: Sequence[Sequence[str]]) -> Ragged:
        """The number of each token, −1 for one that is not known."""
        numbers = [self.tokens_.get(token, -1) for token in chain.from_iterable(tokens)]
        return Ragged.of_lengths(np.array(numbers, np.int64), [len(row) for row in tokens])


def _tokens(words: Iterable[str]) -> list[list[str]]:
    """The tokens of each word; a word of letters and digits is one."""
    return [[word] if word.isalnum() else TOKEN.findall(word) for word in words]
