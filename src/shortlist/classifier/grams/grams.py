"""Grams: which n-grams stand in rows of symbols, and how often. Symbols are numbers that stand for characters or words.

An n-gram is a number, too: that of its first n − 1 symbols times the number of symbols, plus its last symbol. So all
n-grams of one length are found by sorting whole numbers, and no string is cut out of the texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import scipy.sparse as sp

from shortlist.arrays import Floats, Positions
from shortlist.classifier.grams.ragged import Ragged


class Found(NamedTuple):
    """The n-grams of one length: the row of each, and its number."""

    n: int
    rows: Positions
    ids: Positions


Number: TypeAlias = Callable[[int, Positions], Positions]  # (n, keys) → the number of each n-gram, −1 for none


class Grams:
    """The most frequent n-grams of rows, as columns: the shorter ones first, those of one length in order.

    lengths        the shortest and the longest n-gram
    max_features   how many n-grams are kept
    whole          whether a row that is shorter than the shortest n-gram is an n-gram itself
    """

    def __init__(self, lengths: tuple[int, int], max_features: int, *, whole: bool = False) -> None:
        self.lengths, self.max_features, self.whole = lengths, max_features, whole

    def fit_count(self, rows: Ragged, size: int, weights: Floats | None = None) -> Any:
        """Choose the n-grams, and count them: (m, columns). Symbols are 0 … size − 1; a row counts `weights` times."""
        found = [self._counted(rows, one) for one in self._learned(rows, size)]
        weights = np.ones(len(rows)) if weights is None else weights
        often = [np.bincount(one.ids, weights[one.rows], len(self.keys_[one.n - 1])) for one in found]
        self._set_columns(np.concatenate(often))
        return self._table(found, len(rows))

    def count(self, rows: Ragged) -> Any:
        """How often each known n-gram stands in each row: (m, columns). A symbol of −1 is in none."""
        found = [self._counted(rows, one) for one in self._walk(rows, self._look_up)]
        return self._table(found, len(rows))

    def restore(self, grams: Ragged, size: int) -> Self:
        """Know these n-grams, one a row, in the order of their columns."""
        found = self._learned(grams, size)
        self.columns_ = [np.full(len(keys), -1) for keys in self.keys_]
        for one in found:
            ends_here = grams.lengths[one.rows] == one.n
            self.columns_[one.n - 1][one.ids[ends_here]] = one.rows[ends_here]
        return self

    def grams(self) -> Ragged:
        """The symbols of each column."""
        ids = [np.flatnonzero(columns >= 0) for columns in self.columns_]
        symbols = [self._symbols(n, known).ravel() for n, known in enumerate(ids, start=1)]
        lengths = np.repeat(np.arange(1, len(ids) + 1), [len(known) for known in ids])
        order = np.concatenate([columns[known] for columns, known in zip(self.columns_, ids, strict=True)])
        return Ragged.of_lengths(np.concatenate(symbols), lengths).take(np.argsort(order))

    def _learned(self, rows: Ragged, size: int) -> list[Found]:
        """All n-grams of the rows. They are numbered in the order of their symbols."""
        self.size_ = size
        self.keys_: list[Positions] = []
        return list(self._walk(rows, self._learn))

    def _walk(self, rows: Ragged, number: Number) -> Iterator[Found]:
        """The n-grams of the rows, from the single symbols to the longest ones."""
        row = rows.rows
        left = rows.ends[1:][row] - np.arange(len(row))  # symbols from here to the end of the row
        places, ids = np.arange(len(row)), np.zeros(len(row), np.int64)
        for n in range(1, self.lengths[1] + 1):
            longer = left[places] >= n
            places = places[longer]
            ids = number(n, ids[longer] * (self.size_ + 1) + rows.items[places + n - 1] + 1)
            places, ids = places[ids >= 0], ids[ids >= 0]
            yield Found(n, row[places], ids)

    def _learn(self, n: int, keys: Positions) -> Positions:  # noqa: ARG002  as `_look_up`
        known, ids = np.unique(keys, return_inverse=True)
        self.keys_.append(known)
        return ids

    def _look_up(self, n: int, keys: Positions) -> Positions:
        known = self.keys_[n - 1]
        if not len(known):
            return np.full(len(keys), -1)
        asked, where = np.unique(keys, return_inverse=True)  # in order, which is several times as fast to find
        ids = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        return np.where(known[ids] == asked, ids, -1)[where]

    def _counted(self, rows: Ragged, found: Found) -> Found:
        """Those n-grams that may be columns: long enough ones, and whole rows where these count."""
        if found.n >= self.lengths[0]:
            return found
        whole = (rows.lengths[found.rows] == found.n) & self.whole
        return Found(found.n, found.rows[whole], found.ids[whole])

    def _set_columns(self, often: Floats) -> None:
        """Give the most frequent n-grams a column; of those that are as frequent, the first ones."""
        kept = np.flatnonzero(often)
        if len(kept) > self.max_features:
            kept = np.sort(kept[np.argsort(-often[kept], kind="stable")[: self.max_features]])
        columns = np.full(len(often), -1)
        columns[kept] = np.arange(len(kept))
        self.columns_ = np.split(columns, np.cumsum([len(keys) for keys in self.keys_])[:-1])

    def _table(self, found: Sequence[Found], m: int) -> Any:
        """(m, columns): how often each n-gram with a column was found in each row."""
        rows = np.concatenate([one.rows for one in found])
        columns = np.concatenate([self.columns_[one.n - 1][one.ids] for one in found])
        rows, columns = rows[columns >= 0], columns[columns >= 0]
        width = sum(int((numbered >= 0).sum()) for numbered in self.columns_)
        places = (rows.astype(np.int32), columns.astype(np.int32))
        return sp.coo_array((np.ones(len(rows)), places), shape=(m, width)).tocsr()

    def _symbols(self, n: int, ids: Positions) -> Positions:
        """(count, n): the symbols of n-grams of one length."""
        if n == 0:
            return np.empty((len(ids), 0), np.int64)
        before, last = np.divmod(self.keys_[n - 1][ids], self.size_ + 1)
        return np.column_stack([self._symbols(n - 1, before), last - 1])
