"""TextFeatures: words, pairs of words and pieces of words as TF-IDF columns, the default reading of strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize

from shortlist.arrays import Floats
from shortlist.classifier.grams import CharacterGrams, WordGrams, WordList, list_words
from shortlist.errors import BadRows


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
        listed = _listed(rows)
        counts = [counter.fit_count(listed) for counter in self.counters_]
        if not all(half.shape[1] for half in counts):
            raise BadRows(f"the {len(rows)} texts hold no words to learn from")
        self.idf_ = [inverse_document_frequency(half) for half in counts]
        return self._weigh(counts)

    def transform(self, rows: Sequence[str]) -> Any:
        listed = _listed(rows)
        return self._weigh([counter.count(listed) for counter in self.counters_])

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        return np.array([name for counter in self.counters_ for name in counter.names()], object)

    def _weigh(self, counts: Sequence[Any]) -> Any:
        halves = [tf_idf(half, idf) for half, idf in zip(counts, self.idf_, strict=True)]
        return sp.csr_matrix(sp.hstack(halves, format="csr"))

    def _counters(self) -> list[WordGrams | CharacterGrams]:
        """What counts the n-grams of each half."""
        kinds = ((WordGrams, self.words), (CharacterGrams, self.characters))
        counters = [kind((lengths[0], lengths[1]), self.max_features) for kind, lengths in kinds if lengths]
        if not counters:
            raise BadRows("TextFeatures needs words, characters or both")
        return counters

    # -- what a file keeps of them: n-grams in the order of their columns, and their weights ---------------

    def state(self) -> list[tuple[str, Floats]]:
        """(n-grams one a line, idf) of each half."""
        grams = ["\n".join(counter.names()) for counter in self.counters_]
        return list(zip(grams, self.idf_, strict=True))

    def restore(self, state: Sequence[tuple[str, Floats]]) -> Self:
        """The fitted features that `state` came from."""
        self.counters_ = self._counters()
        self.idf_ = [idf for _, idf in state]
        for counter, (grams, idf) in zip(self.counters_, state, strict=True):
            known = grams.split("\n")
            if idf.shape != (len(known),):
                raise BadRows(f"{len(known)} n-grams need as many weights; got {idf.shape}")
            counter.restore(known)
        return self


def _listed(rows: Sequence[str]) -> WordList:
    if isinstance(rows, str):
        raise BadRows("texts are a list of strings, not one string")
    return list_words(rows)


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
