"""CharacterGrams: how often pieces of words stand in texts, each word with a blank before and after it.

The counts are those of scikit-learn's kind "char_wb". The pieces of a word are found once, however often it stands in
the texts: (texts × words) · (words × pieces).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from shortlist.classifier.grams.grams import Grams
from shortlist.classifier.grams.ragged import Ragged
from shortlist.classifier.grams.word_list import WordList

CODE = "utf-32-le"  # one number a character


class CharacterGrams:
    """Counts of the most frequent character n-grams within words; a shorter word is an n-gram itself."""

    def __init__(self, lengths: tuple[int, int], max_features: int) -> None:
        self.grams = Grams(lengths, max_features, whole=True)

    def fit_count(self, listed: WordList) -> Any:
        """Find the n-grams of the texts, and count them: (texts, n-grams)."""
        counts = listed.counts()
        inside = self.grams.fit_count(_padded(listed.words), sys.maxunicode + 1, counts.sum(axis=0))
        return counts @ inside

    def count(self, listed: WordList) -> Any:
        """Count the n-grams that are known: (texts, n-grams)."""
        return listed.counts() @ self.grams.count(_padded(listed.words))

    def names(self) -> list[str]:
        """The n-grams in the order of their columns."""
        known = self.grams.grams()
        text = known.items.astype(np.uint32).tobytes().decode(CODE, "surrogatepass")
        return [text[start:end] for start, end in zip(known.ends, known.ends[1:], strict=False)]

    def restore(self, names: Sequence[str]) -> Self:
        """Know n-grams that `names` gave."""
        self.grams.restore(_spelled(names), sys.maxunicode + 1)
        return self


def _padded(words: Iterable[str]) -> Ragged:
    """The characters of each word, with a blank before and after it."""
    return _spelled([f" {word} " for word in words])


def _spelled(words: Sequence[str]) -> Ragged:
    """The characters of each word, as numbers."""
    characters = np.frombuffer("".join(words).encode(CODE, "surrogatepass"), np.uint32)
    return Ragged.of_lengths(characters.astype(np.int64), [len(word) for word in words])
