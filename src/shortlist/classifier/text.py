"""TextFeatures: TF-IDF of word and character n-grams, the default features of texts.

An n-gram is a 64-bit hash of its symbols (tokens or characters), so all n-grams of a corpus are found by sorting whole
numbers, some texts at a time. Each distinct word is looked into once, however often it occurs. The counts equal those
of scikit-learn's CountVectorizer, in a third to a fifth of its time (`benchmarks/sentences.py`).
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.sparsefuncs_fast import inplace_csr_row_normalize_l2

from shortlist.arrays import Floats, Positions
from shortlist.errors import BadRows, NotFitted
from shortlist.wording import UNSPACED

# One-letter words and punctuation tell questions from statements. In scripts without spaces, a token is one character.
TOKEN = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+|[^\w\s]")
GRAM_BASE = np.uint64(0x9E3779B97F4A7C15)  # of the hash of n-grams; any odd number with many bits
AT_ONCE = 1 << 21  # symbols, or words of texts, that are looked into together: memory
Hashes: TypeAlias = npt.NDArray[np.uint64]


class TextFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Strings → sparse (m, p): word n-grams and character n-grams within words, each half of unit length.

    Parameters
    ----------
    words, characters : the shortest and longest n-grams, or None to leave that half out
    max_features : how many of the most frequent n-grams each half keeps
    encoder : the name of an encoder on the Hugging Face hub, or a folder that holds one, whose vectors of the texts
        stand beside the n-grams (needs the extra transformers)
    """

    width_ = 0  # numbers of a vector
    __metadata_request__fit = __metadata_request__transform = {"rows": UNUSED}  # noqa: RUF012  scikit-learn's X

    def __init__(
        self,
        *,
        words: tuple[int, int] | None = (1, 2),
        characters: tuple[int, int] | None = (2, 4),
        max_features: int = 100_000,
        encoder: str | None = None,
    ) -> None:
        self.words = words
        self.characters = characters
        self.max_features = max_features
        self.encoder = encoder

    def fit(self, rows: Sequence[str], y: object = None) -> Self:  # noqa: ARG002  scikit-learn's signature
        self.fit_transform(rows)
        return self

    def fit_transform(self, rows: Sequence[str], y: object = None) -> Any:  # noqa: ARG002
        self.counters_ = self._counters()
        words = DistinctWords.of(rows)
        halves = [counter.fit_count(words) for counter in self.counters_]
        if not all(half[0].shape[1] for half in halves):
            raise BadRows(f"the {len(rows)} texts hold no words to learn from")
        self.idf_ = [inverse_document_frequency(half) for half in halves]
        return self._with_vectors(self._weigh(halves), rows)

    def transform(self, rows: Sequence[str]) -> Any:
        if not self.__sklearn_is_fitted__():
            raise NotFitted("these TextFeatures are not fitted: call fit(texts) first")
        words = DistinctWords.of(rows)
        return self._with_vectors(self._weigh([counter.count(words) for counter in self.counters_]), rows)

    def get_feature_names_out(self, input_features: object = None) -> Any:  # noqa: ARG002
        names = [name for counter in self.counters_ for name in counter.names_]
        return np.array([*names, *(f"vector {i}" for i in range(self.width_))], object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "idf_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags

    def _with_vectors(self, X: Any, rows: Sequence[str]) -> Any:
        if self.encoder is None:
            return X
        from shortlist.classifier.embeddings import embed

        vectors = embed(self.encoder, rows)
        self.width_ = vectors.shape[1]
        return sp.hstack([X, sp.csr_matrix(vectors)], format="csr")

    def _weigh(self, halves: list[list[Any]]) -> Any:
        """(m, p) from the counts of each half, some texts after others, which are used up."""
        parts = []
        for _ in range(len(halves[0])):
            weighed = [tf_idf(half.pop(0), idf) for half, idf in zip(halves, self.idf_, strict=True)]
            parts.append(sp.csr_matrix(sp.hstack(weighed, format="csr")))
        return stacked(parts)

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


def inverse_document_frequency(counts: Sequence[Any]) -> Floats:
    """(p,): 1 + log((1 + m) / (1 + rows that hold the n-gram)), as in scikit-learn."""
    m, p = sum(part.shape[0] for part in counts), counts[0].shape[1]
    held = sum(np.bincount(part.indices, minlength=p) for part in counts)
    idf: Floats = 1 + np.log((1 + m) / (1 + held))
    return idf


def tf_idf(counts: Any, idf: Floats) -> Any:
    """(1 + log count) · idf, each row of unit length."""
    np.log(counts.data, out=counts.data)
    counts.data += 1
    counts.data *= idf.astype(np.float32)[counts.indices]
    inplace_csr_row_normalize_l2(counts)
    return counts


def stacked(parts: list[Any]) -> Any:
    """Sparse matrices below each other. They are used up one by one, so that they need their room only once."""
    shape = (sum(part.shape[0] for part in parts), parts[0].shape[1])
    ends = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.indptr) for part in parts]))])
    data, indices, a = np.empty(ends[-1], np.float32), np.empty(ends[-1], parts[0].indices.dtype), 0
    while parts:
        part = parts.pop(0)
        data[a : a + part.nnz], indices[a : a + part.nnz] = part.data, part.indices
        a += part.nnz
    return sp.csr_matrix((data, indices, ends), shape=shape)


class DistinctWords(NamedTuple):
    """Distinct words of texts, in lower case and split at white space, and the number of each word of each text."""

    words: list[str]
    numbers: npt.NDArray[np.int32]  # (N,), one text after another
    lengths: Positions  # (m,): words of each text

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        if isinstance(texts, str):
            raise BadRows("texts are a list of strings, not one string")
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__  # a new word gets the next number
        numbers, ends = array("i"), [0]
        for text in texts:
            numbers.extend(map(number_of.__getitem__, text.lower().split()))
            ends.append(len(numbers))
        return cls(list(number_of), np.frombuffer(numbers, np.int32), np.diff(ends))

    def parts(self) -> Iterator[tuple[npt.NDArray[np.int32], Positions]]:
        """(numbers, lengths) of some texts after others."""
        for texts, inside in pieces(self.lengths):
            yield self.numbers[inside], self.lengths[texts]


def pieces(lengths: Positions) -> Iterator[tuple[slice, slice]]:
    """Rows that have some `AT_ONCE` symbols together, and where their symbols lie. At least one piece."""
    ends = np.concatenate([[0], np.cumsum(lengths)])
    marks = np.arange(AT_ONCE, ends[-1], AT_ONCE)
    edges = np.unique(np.concatenate([[0], np.searchsorted(ends, marks), [len(lengths)]]))
    for a, b in pairwise(edges.tolist()) if len(edges) > 1 else [(0, 0)]:
        yield slice(a, b), slice(ends[a], ends[b])


class Symbols(NamedTuple):
    """What n-grams are made of: rows of symbols, each a whole number, in parts."""

    parts: Callable[[], Iterator[tuple[Positions, Positions, Floats | None]]]
    """(symbols, lengths of rows, weights of rows) of some rows after others"""
    hashes: Callable[[Positions], Hashes]
    texts: Callable[[Sequence[int]], str]  # of an n-gram


class Grams:
    """The most frequent n-grams of symbols as columns, by frequency; equally frequent ones by length, then by hash."""

    whole = False  # whether a row shorter than the shortest n-gram is an n-gram itself

    def __init__(self, lengths: tuple[int, int], max_features: int) -> None:
        self.lengths, self.max_features = lengths, max_features

    def _learn(self, symbols: Symbols) -> list[Any]:
        """Counts (rows, columns) of each part, once the columns are known."""
        sizes = self._choose(symbols)
        examples = np.zeros((len(sizes), self.lengths[1]), np.int64)
        counts = list(self._count(symbols, examples))
        self.names_ = [symbols.texts(row[:n]) for row, n in zip(examples.tolist(), sizes.tolist(), strict=True)]
        return counts

    def _choose(self, symbols: Symbols) -> Positions:
        """Set the columns; the number of symbols of each."""
        tallies: dict[int, list[tuple[Hashes, Floats]]] = {n: [] for n in self._sizes()}
        for ids, lengths, weights in symbols.parts():
            for n, rows, _, grams in self._find(symbols.hashes(ids), lengths):
                tallies[n].append(tally(grams, None if weights is None else weights[rows]))
        hashes, often = zip(*(merged(each) for each in tallies.values()), strict=True)
        sizes = np.repeat(list(tallies), lengths_of(often))
        kept = np.lexsort((sizes, -np.concatenate(often)))[: self.max_features]
        self._set_columns(np.concatenate(hashes)[kept])
        return sizes[kept]

    def _count(self, symbols: Symbols, examples: Positions | None = None) -> Iterator[Any]:
        """(rows, columns) of each part: how often each n-gram occurs. `examples` receives symbols of each column."""
        for ids, lengths, _ in symbols.parts():
            parts = list(self._find(symbols.hashes(ids), lengths))
            rows, starts, grams = (np.concatenate([part[i] for part in parts]) for i in (1, 2, 3))
            distinct, places = np.unique(grams, return_inverse=True)  # sorted keys are found several times as fast
            columns = self._columns(distinct)[places]
            known = columns >= 0
            rows, starts, columns = rows[known], starts[known], columns[known]
            if examples is not None and len(columns):
                examples[columns] = ids[np.minimum(starts[:, None] + np.arange(self.lengths[1]), len(ids) - 1)]
            yield count_pairs(rows, columns, (len(lengths), len(self.sorted_)))

    def _sizes(self) -> range:
        return range(1 if self.whole else self.lengths[0], self.lengths[1] + 1)

    def _find(self, symbols: Hashes, lengths: Positions) -> Iterator[tuple[int, Any, Any, Hashes]]:
        """(n, (row, start, hash) of each n-gram of this length), in small integers."""
        row = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        for n in self._sizes():
            starts = np.flatnonzero(row[: max(len(row) - n + 1, 0)] == row[n - 1 :]).astype(np.int32)
            if n < self.lengths[0]:
                starts = starts[lengths[row[starts]] == n]
            grams = symbols[starts]
            for i in range(1, n):
                grams = grams * GRAM_BASE + symbols[starts + i]
            yield n, row[starts], starts, grams

    def _set_columns(self, hashes: Hashes) -> None:
        self.order_ = np.argsort(hashes)
        self.sorted_ = hashes[self.order_]

    def _columns(self, hashes: Hashes) -> Positions:
        """The column of each n-gram, −1 if it has none."""
        if not len(self.sorted_):
            return np.full(len(hashes), -1)
        places = np.minimum(np.searchsorted(self.sorted_, hashes), len(self.sorted_) - 1)
        return np.where(self.sorted_[places] == hashes, self.order_[places], -1)


def tally(grams: Hashes, weights: Floats | None) -> tuple[Hashes, Floats]:
    """(distinct n-grams, how often each occurs)."""
    often: Any
    if weights is None:
        distinct, often = np.unique(grams, return_counts=True)  # a sort alone: several times as fast
    else:
        distinct, places = np.unique(grams, return_inverse=True)
        often = np.bincount(places, weights, len(distinct))
    return distinct, often


def merged(tallies: list[tuple[Hashes, Floats]]) -> tuple[Hashes, Floats]:
    """One tally of several."""
    grams, often = (np.concatenate([each[i] for each in tallies]) for i in (0, 1))
    return tally(grams, often)


class WordGrams(Grams):
    """Counts of the most frequent runs of tokens; punctuation is a token. Rows are texts."""

    def fit_count(self, words: DistinctWords) -> list[Any]:
        return self._learn(self._symbols(words))

    def count(self, words: DistinctWords) -> list[Any]:
        return list(self._count(self._symbols(words)))

    def set_names(self, names: list[str]) -> None:
        tokens = [name.split(" ") for name in names]
        self.names_ = names
        self._set_columns(hash_rows(hash_texts(list(chain.from_iterable(tokens))), lengths_of(tokens), GRAM_BASE))

    def _symbols(self, words: DistinctWords) -> Symbols:
        split = [[word] if word.isascii() and word.isalnum() else TOKEN.findall(word) for word in words.words]
        sizes, tokens = lengths_of(split), list(chain.from_iterable(split))
        first, hashed = np.cumsum(sizes) - sizes, hash_texts(tokens)

        def parts() -> Iterator[tuple[Positions, Positions, None]]:
            for numbers, lengths in words.parts():
                many = sizes[numbers]  # tokens of each word of the texts
                ends = np.concatenate([[0], np.cumsum(many)])
                ids = np.arange(ends[-1]) + np.repeat(first[numbers] - ends[:-1], many)
                yield ids, np.diff(ends[np.concatenate([[0], np.cumsum(lengths)])]), None

        return Symbols(parts, hashed.__getitem__, lambda ids: " ".join([tokens[i] for i in ids]))


class CharacterGrams(Grams):
    """Counts of the most frequent character n-grams within words; each word has a blank before and after it."""

    whole = True

    def fit_count(self, words: DistinctWords) -> list[Any]:
        return self._in_texts(words, self._learn(self._symbols(words)))

    def count(self, words: DistinctWords) -> list[Any]:
        return self._in_texts(words, self._count(self._symbols(words)))

    def set_names(self, names: list[str]) -> None:
        self.names_ = names
        self._set_columns(hash_rows(characters(names), lengths_of(names), GRAM_BASE))

    def _symbols(self, words: DistinctWords) -> Symbols:
        padded = [f" {word} " for word in words.words]
        lengths, often = lengths_of(padded), np.bincount(words.numbers, minlength=len(padded)).astype(np.float64)

        def parts() -> Iterator[tuple[Positions, Positions, Floats]]:
            for some, _ in pieces(lengths):
                yield characters(padded[some]).astype(np.int64), lengths[some], often[some]

        return Symbols(parts, lambda ids: ids.astype(np.uint64), lambda ids: "".join(map(chr, ids)))

    def _in_texts(self, words: DistinctWords, counts: Iterable[Any]) -> list[Any]:
        """Counts in texts, from those in their distinct words."""
        inside = sp.vstack(list(counts), format="csr")
        made = []
        for numbers, lengths in words.parts():
            texts = np.repeat(np.arange(len(lengths)), lengths)
            made.append(count_pairs(texts, numbers, (len(lengths), len(words.words))) @ inside)
        return made


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


def count_pairs(rows: Positions, columns: npt.NDArray[Any], shape: tuple[int, int]) -> Any:
    """Sparse matrix of how often each (row, column) occurs."""
    places = (rows.astype(np.int32), columns.astype(np.int32))
    return sp.coo_array((np.ones(len(rows), np.float32), places), shape=shape).tocsr()
