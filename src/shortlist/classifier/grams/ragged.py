"""Ragged: rows of different lengths in one flat array, as the words of texts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from shortlist.arrays import Positions


@dataclass(frozen=True)
class Ragged:
    """Rows of whole numbers, one after another: row a is `items[ends[a] : ends[a + 1]]`."""

    items: Positions  # (N,)
    ends: Positions  # (m + 1,), the first of them 0

    @classmethod
    def of_lengths(cls, items: Positions, lengths: Sequence[int] | Positions) -> Self:
        return cls(items, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))

    def __len__(self) -> int:
        return len(self.ends) - 1

    @property
    def lengths(self) -> Positions:
        """(m,): how many items each row has."""
        found: Positions = np.diff(self.ends)
        return found

    @property
    def rows(self) -> Positions:
        """(N,): the row of each item."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, picked: Positions) -> Ragged:
        """The picked rows in that order, a row as often as it is picked."""
        taken = Ragged.of_lengths(self.items[:0], self.lengths[picked])
        places = np.arange(taken.ends[-1]) + np.repeat(self.ends[picked] - taken.ends[:-1], taken.lengths)
        return Ragged(self.items[places], taken.ends)

    def joined(self, groups: Ragged) -> Ragged:
        """A row for each of the groups: the rows that it names, one after another."""
        taken = self.take(groups.items)
        return Ragged(taken.items, taken.ends[groups.ends])
