"""TextFeatures: words, pairs of words and pieces of words as TF-IDF columns, the default reading of strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from shortlist.arrays import Floats
from shortlist.classifier.character_grams import CharacterGrams
from shortlist.errors import BadRows

_TOKEN = r"(?u)\b\w+\b|[^\w\s]"  # one-letter words and punctuation tell questions from statements


class TextFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Strings → sparse (m, p): word n-grams and character n-grams within words, each half of unit length.

    Parameters
    ----------
    words, characters : the shortest and longest n-grams, or None to leave that half out
    max_features : how many of the most frequent n-grams each half keeps
    """

    def __init__(
        self,
        *,
        words: tuple[int, int] | None = (1, 2),
        characters: tuple[int, int] | None = (2, 4),
        max_features: int = 100_000,
    ) -> None:
        self.words = words
        self.characters = characters
        self.max_features = max_features

    def fit(self, rows: Sequence[str], y: object = None) -> Self:  # noqa: ARG002  scikit-learn's signature
        self.fit_transform(rows)
        return self

    def fit_transform(self, rows: Sequence[str], y: object = None) -> Any:  # noqa: ARG002
        self.counters_ = self._counters()
        try:
            counts = [counter.fit_transform(rows) for counter in self.counters_]
        except ValueError as error:
            raise BadRows(f"the texts hold no words to learn from ({error})") from error
        self.idf_ = [inverse_document_frequency(half) for half in counts]
        return self._weigh(counts)

    def transform(self, rows: Sequence[str]) -> Any:
        return self._weigh([counter.transform(rows) for counter in self.counters_])

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        return np.concatenate([counter.get_feature_names_out() for counter in self.counters_])

    def _weigh(self, counts: Sequence[Any]) -> Any:
        return sp.hstack([tf_idf(half, idf) for half, idf in zip(counts, self.idf_, strict=True)], format="csr")

    def _counters(self) -> list[Any]:
        """What counts the n-grams of each half."""
        counters: list[Any] = []
        if self.words:
            how = {"ngram_range": tuple(self.words), "token_pattern": _TOKEN}
            counters.append(CountVectorizer(**how, max_features=self.max_features))
        if self.characters:
            counters.append(CharacterGrams((self.characters[0], self.characters[1]), self.max_features))
        if not counters:
            raise BadRows("TextFeatures needs words, characters or both")
        return counters

    # -- what a file keeps of them: n-grams in the order of their columns, and their weights ---------------

    def state(self) -> list[tuple[str, Floats]]:
        """(n-grams one a line, idf) of each half."""
        grams = ["\n".join(counter.get_feature_names_out()) for counter in self.counters_]
        return list(zip(grams, self.idf_, strict=True))

    def restore(self, state: Sequence[tuple[str, Floats]]) -> Self:
        """The fitted features that `state` came from."""
        self.counters_ = self._counters()
        self.idf_ = [idf for _, idf in state]
        for counter, (grams, idf) in zip(self.counters_, state, strict=True):
            known = grams.split("\n")
            if idf.shape != (len(known),):
                raise BadRows(f"{len(known)} n-grams need as many weights; got {idf.shape}")
            if isinstance(counter, CharacterGrams):
                counter.grams = known
            else:
                counter.set_params(vocabulary=known)
        return self


def inverse_document_frequency(counts: Any) -> Floats:
    """(p,): 1 + log((1 + m) / (1 + rows that hold the n-gram)), as scikit-learn has it."""
    held = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: Floats = 1 + np.log((1 + counts.shape[0]) / (1 + held))
    return idf


def tf_idf(counts: Any, idf: Floats) -> Any:
    """(1 + log count) · idf, each row of unit length."""
    weighed = counts.astype(np.float64)
    weighed.data = (1 + np.log(weighed.data)) * idf[weighed.indices]
    return normalize(weighed, copy=False)
