"""CharacterGrams: how often pieces of words stand in texts. scikit-learn's counts of kind "char_wb", in less time.

The pieces of a word are found once, however often the word stands in the texts: (texts × words) · (words × pieces).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp


class CharacterGrams:
    """Counts of character n-grams within words, each word with a blank before and after it.

    lengths        the shortest and the longest n-gram
    max_features   how many of the most frequent n-grams are kept
    grams          the n-grams in the order of their columns, where they are known
    """

    def __init__(self, lengths: tuple[int, int], max_features: int, grams: Sequence[str] | None = None) -> None:
        self.lengths, self.max_features = lengths, max_features
        self.grams = [] if grams is None else list(grams)

    def fit_transform(self, texts: Sequence[str]) -> Any:
        """Find the n-grams of the texts, and count them: (texts, n-grams)."""
        words, counts = _counted(text.lower().split() for text in texts)
        pieces, inside = _counted(self._pieces(word) for word in words)
        if not pieces:
            raise ValueError("there are no characters")
        kept = self._frequent(np.array(pieces, object), inside.T @ counts.sum(axis=0))
        self.grams = [pieces[i] for i in kept]
        return sp.csr_matrix(counts @ inside[:, kept])

    def transform(self, texts: Sequence[str]) -> Any:
        """Count the n-grams that are known: (texts, n-grams)."""
        words, counts = _counted(text.lower().split() for text in texts)
        _, inside = _counted((self._pieces(word) for word in words), self.grams)
        return sp.csr_matrix(counts @ inside)

    def get_feature_names_out(self) -> npt.NDArray[Any]:
        return np.array(self.grams, object)

    def _pieces(self, word: str) -> list[str]:
        """The n-grams of a word; a word that is shorter than they are is one itself, once."""
        padded, found = f" {word} ", []
        for n in range(self.lengths[0], self.lengths[1] + 1):
            found += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if len(padded) <= n:
                break
        return found

    def _frequent(self, pieces: npt.NDArray[Any], often: npt.NDArray[Any]) -> list[int]:
        """The most frequent n-grams, in the order of the alphabet; `often` says how often each stands in the texts."""
        order = np.argsort(pieces)
        if len(order) > self.max_features:
            order = order[np.sort(np.argsort(-often[order], kind="stable")[: self.max_features])]
        return list(order.tolist())


def _counted(rows: Iterable[Iterable[str]], known: Sequence[str] | None = None) -> tuple[list[str], Any]:
    """(the words, rows × words): how often each word stands in each row; words that are not `known` are left out."""
    places: dict[str, int] = {} if known is None else {word: i for i, word in enumerate(known)}
    columns: list[int] = []
    ends = [0]
    for row in rows:
        if known is None:
            columns += [places.setdefault(word, len(places)) for word in row]
        else:
            columns += [places[word] for word in row if word in places]
        ends.append(len(columns))
    shape = (len(ends) - 1, len(places))
    counts = sp.csr_array((np.ones(len(columns), np.int64), np.array(columns, np.int64), np.array(ends)), shape=shape)
    counts.sum_duplicates()
    return list(places), counts
