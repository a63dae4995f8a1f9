"""TextFeatures: TF-IDF of word and character n-grams, the default features of texts.

An n-gram is a 64-bit hash of its symbols (tokens or characters), so all n-grams of a corpus are found by sorting whole
numbers. Each distinct word is looked into once, however often it occurs. The counts equal those of scikit-learn's
CountVectorizer, in a third to a fifth of its time (`benchmarks/sentences.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.metadata_routing import UNUSED

from shortlist.arrays import Floats, Positions
from shortlist.errors import BadRows, NotFitted

TOKEN = re.compile(r"\b\w+\b|[^\w\s]")  # one-letter words and punctuation tell questions from statements
GRAM_BASE = np.uint64(0x9E3779B97F4A7C15)  # of the hash of n-grams; any odd number with many bits
Hashes: TypeAlias = npt.NDArray[np.uint64]


class TextFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Strings → sparse (m, p): word n-grams and character n-grams within words, each half of unit length.

    Parameters
    ----------
    words, characters : the shortest and longest n-grams, or None to leave that half out
    max_features : how many of the most frequent n-grams each half keeps
    """

    __metadata_request__fit = __metadata_request__transform = {"rows": UNUSED}  # noqa: RUF012  scikit-learn's X

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
        words = DistinctWords.of(rows)
        counts = [counter.fit_count(words) for counter in self.counters_]
        if not all(half.shape[1] for half in counts):
            raise BadRows(f"the {len(rows)} texts hold no words to learn from")
        self.idf_ = [inverse_document_frequency(half) for half in counts]
        return self._weigh(counts)

    def transform(self, rows: Sequence[str]) -> Any:
        if not self.__sklearn_is_fitted__():
            raise NotFitted("these TextFeatures are not fitted: call fit(texts) first")
        words = DistinctWords.of(rows)
        return self._weigh([counter.count(words) for counter in self.counters_])

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        return np.array([name for counter in self.counters_ for name in counter.names_], object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "idf_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags

    def _weigh(self, counts: Sequence[Any]) -> Any:
        halves = [tf_idf(half, idf) for half, idf in zip(counts, self.idf_, strict=True)]
        return sp.csr_matrix(sp.hstack(halves, format="csr"))

    def _counters(self) -> list[WordGrams | CharacterGrams]:
        kinds = ((WordGrams, self.words), (CharacterGrams, self.characters))
        counters = [kind((lengths[0], lengths[1]), self.max_features) for kind, lengths in kinds if lengths]
        if not counters:
            raise BadRows("TextFeatures needs words, characters or both")
        return counters

    def state(self) -> list[tuple[str, Floats]]:
        """(n-grams, one a line; idf) of each half, for files."""
        return [("\n".join(counter.names_), idf) for counter, idf in zip(self.counters_, self.idf_, strict=True)]

    def restore(self, state: Sequence[tuple[str, Floats]]) -> Self:
        """Rebuild the fitted features from their `state`."""
        self.counters_ = self._counters()
        self.idf_ = [idf for _, idf in state]
        for counter, (grams, idf) in zip(self.counters_, state, strict=True):
            counter.set_names(grams.split("\n"))
            if idf.shape != (len(counter.names_),):
                raise BadRows(f"{len(counter.names_)} n-grams need as many weights; got {idf.shape}")
        return self


def inverse_document_frequency(counts: Any) -> Floats:
    """(p,): 1 + log((1 + m) / (1 + rows that hold the n-gram)), as in scikit-learn."""
    held = np.bincount(counts.indices, minlength=counts.shape[1])
    idf: Floats = 1 + np.log((1 + counts.shape[0]) / (1 + held))
    return idf


def tf_idf(counts: Any, idf: Floats) -> Any:
    """(1 + log count) · idf, each row of unit length."""
    counts.data = (1 + np.log(counts.data)) * idf[counts.indices]
    return normalize(counts, copy=False)


class DistinctWords(NamedTuple):
    """Distinct words of texts, in lower case and split at white space, and the number of each word of each text."""

    words: list[str]
    numbers: Positions  # (N,), one text after another
    lengths: Positions  # (m,): words of each text

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        if isinstance(texts, str):
            raise BadRows("texts are a list of strings, not one string")
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__  # a new word gets the next number
        numbers: list[int] = []
        ends = [0]
        for text in texts:
            numbers.extend(map(number_of.__getitem__, text.lower().split()))
            ends.append(len(numbers))
        return cls(list(number_of), np.array(numbers, np.int64), np.diff(ends))

    def counts(self) -> Any:
        """(texts, words): how often each word occurs in each text."""
        texts = np.repeat(np.arange(len(self.lengths)), self.lengths)
        return count_pairs(texts, self.numbers, (len(self.lengths), len(self.words)))


class Grams:
    """The most frequent n-grams of symbols as columns, by frequency; equally frequent ones by length, then by hash."""

    whole = False  # whether a row shorter than the shortest n-gram is an n-gram itself

    def __init__(self, lengths: tuple[int, int], max_features: int) -> None:
        self.lengths, self.max_features = lengths, max_features

    def _learn(
        self, symbols: Hashes, lengths: Positions, weights: Floats | None = None
    ) -> tuple[Any, Positions, list[int]]:
        """(counts (rows, columns), starts and sizes of the columns). Rows of symbols lie one after another."""
        rows, starts, sizes, grams = self._find(symbols, lengths)
        distinct, ids = np.unique(grams, return_inverse=True)
        example = np.empty(len(distinct), np.int64)
        example[ids] = np.arange(len(ids))  # an occurrence of each n-gram
        often = np.bincount(ids, None if weights is None else weights[rows], len(distinct))
        kept = np.lexsort((sizes[example], -often))[: self.max_features]
        self._set_columns(distinct[kept])
        columns = np.full(len(distinct), -1)
        columns[kept] = np.arange(len(kept))
        counts = self._table(rows, columns[ids], len(lengths))
        return counts, starts[example[kept]], sizes[example[kept]].tolist()

    def _look_up(self, symbols: Hashes, lengths: Positions) -> Any:
        """(rows, columns): how often each n-gram with a column occurs in each row."""
        rows, _, _, grams = self._find(symbols, lengths)
        distinct, ids = np.unique(grams, return_inverse=True)  # sorted keys are found several times as fast
        places = np.minimum(np.searchsorted(self.sorted_, distinct), len(self.sorted_) - 1)
        columns = np.where(self.sorted_[places] == distinct, self.order_[places], -1)
        return self._table(rows, columns[ids], len(lengths))

    def _find(self, symbols: Hashes, lengths: Positions) -> tuple[Any, Any, Any, Hashes]:
        """(row, start, size, hash) of each n-gram, in small integers."""
        row = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        parts = []
        for n in range(1 if self.whole else self.lengths[0], self.lengths[1] + 1):
            starts = np.flatnonzero(row[: max(len(row) - n + 1, 0)] == row[n - 1 :]).astype(np.int32)
            if n < self.lengths[0]:
                starts = starts[lengths[row[starts]] == n]
            grams = symbols[starts]
            for i in range(1, n):
                grams = grams * GRAM_BASE + symbols[starts + i]
            parts.append((row[starts], starts, np.full(len(starts), n, np.int8), grams))
        row, start, size, gram = (np.concatenate(column) for column in zip(*parts, strict=True))
        return row, start, size, gram

    def _set_columns(self, hashes: Hashes) -> None:
        self.order_ = np.argsort(hashes)
        self.sorted_ = hashes[self.order_]

    def _table(self, rows: Positions, columns: Positions, m: int) -> Any:
        known = columns >= 0
        return count_pairs(rows[known], columns[known], (m, len(self.sorted_)))


class WordGrams(Grams):
    """Counts of the most frequent runs of tokens; punctuation is a token."""

    def fit_count(self, words: DistinctWords) -> Any:
        tokens, lengths, places = self._tokens(words)
        counts, starts, sizes = self._learn(hash_texts(tokens)[places], lengths)
        runs = places[np.minimum(starts[:, None] + np.arange(self.lengths[1]), len(places) - 1)].tolist()
        self.names_ = [" ".join([tokens[i] for i in run[:size]]) for run, size in zip(runs, sizes, strict=True)]
        return counts

    def count(self, words: DistinctWords) -> Any:
        tokens, lengths, places = self._tokens(words)
        return self._look_up(hash_texts(tokens)[places], lengths)

    def set_names(self, names: list[str]) -> None:
        tokens = [name.split(" ") for name in names]
        self.names_ = names
        self._set_columns(hash_rows(hash_texts(list(chain.from_iterable(tokens))), lengths_of(tokens), GRAM_BASE))

    def _tokens(self, words: DistinctWords) -> tuple[list[str], Positions, Positions]:
        """(tokens of the distinct words, tokens of each text, place of each token of the texts among the former)."""
        tokens = [[word] if word.isalnum() else TOKEN.findall(word) for word in words.words]
        sizes = lengths_of(tokens)
        many = sizes[words.numbers]  # tokens of each word of the texts
        ends = np.concatenate([[0], np.cumsum(many)])
        places = np.arange(ends[-1]) + np.repeat((np.cumsum(sizes) - sizes)[words.numbers] - ends[:-1], many)
        text_ends = np.concatenate([[0], np.cumsum(words.lengths)])
        return list(chain.from_iterable(tokens)), np.diff(ends[text_ends]), places


class CharacterGrams(Grams):
    """Counts of the most frequent character n-grams within words; each word has a blank before and after it."""

    whole = True

    def fit_count(self, words: DistinctWords) -> Any:
        padded, counts = [f" {word} " for word in words.words], words.counts()
        inside, starts, sizes = self._learn(characters(padded), lengths_of(padded), counts.sum(axis=0))
        text = "".join(padded)
        self.names_ = [text[start : start + size] for start, size in zip(starts.tolist(), sizes, strict=True)]
        return counts @ inside

    def count(self, words: DistinctWords) -> Any:
        padded = [f" {word} " for word in words.words]
        return words.counts() @ self._look_up(characters(padded), lengths_of(padded))

    def set_names(self, names: list[str]) -> None:
        self.names_ = names
        self._set_columns(hash_rows(characters(names), lengths_of(names), GRAM_BASE))


def characters(texts: Sequence[str]) -> Hashes:
    """Code points of the characters of texts, one text after another."""
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)


def lengths_of(rows: Sequence[Any]) -> Positions:
    return np.fromiter(map(len, rows), np.int64, len(rows))


def hash_texts(texts: Sequence[str]) -> Hashes:
    """64-bit hash of each text, the same on every machine."""
    return hash_rows(characters(texts), lengths_of(texts), np.uint64(0xC2B2AE3D27D4EB4F))


def hash_rows(symbols: Hashes, lengths: Positions, base: np.uint64) -> Hashes:
    """Polynomial hash Σ s_i · base^(n − 1 − i) of each row of symbols, modulo 2⁶⁴. No row is empty."""
    if not len(lengths):
        return symbols
    ends = np.cumsum(lengths)
    powers = np.multiply.accumulate(np.where(np.arange(lengths.max()), base, np.uint64(1)))
    return np.add.reduceat(symbols * powers[np.repeat(ends, lengths) - 1 - np.arange(len(symbols))], ends - lengths)


def count_pairs(rows: Positions, columns: Positions, shape: tuple[int, int]) -> Any:
    """Sparse matrix of how often each (row, column) occurs."""
    places = (rows.astype(np.int32), columns.astype(np.int32))
    return sp.coo_array((np.ones(len(rows)), places), shape=shape).tocsr()
