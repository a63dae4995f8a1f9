"""Bits: the rows on which each shortlist was voted, one bit a row: "how many rows have both" is exact and quick."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Mask, Positions
from shortlist.labelmodel.layout import Layout
from shortlist.votes import Votes

Words = npt.NDArray[np.uint64]


class Bits:
    """Sets of rows: of each shortlist, of each labeler, and of each labeler that contradicts another."""

    def __init__(self, votes: Votes) -> None:
        self.m = len(votes)
        self.layout = Layout.of(votes.codomains, votes.space)
        self.rows = pack(votes.codes, self.layout.sizes)  # (S, words)

    @cached_property
    def voted(self) -> Words:
        """(n, words): the rows each labeler votes on."""
        return self._per_labeler(self.rows)

    @cached_property
    def overlapping(self) -> Words:
        """(words,): rows with two votes or more."""
        one, two = np.zeros((2, self.rows.shape[1]), np.uint64)
        for rows in self.voted:
            two |= one & rows
            one |= rows
        return two

    @cached_property
    def against(self) -> Words:
        """(n, words): rows where the labeler's shortlist is disjoint with that of some other labeler."""
        masks, which = np.unique(self.layout.member, axis=0, return_inverse=True)
        which = which.ravel()
        said = np.stack([union(self.rows[which == u]) for u in range(len(masks))]) if len(masks) else self.rows
        disjoint = ~(masks.astype(np.int64) @ masks.T.astype(np.int64)).astype(bool)
        others = np.stack([union(said[row]) for row in disjoint]) if len(masks) else said
        return self._per_labeler(self.rows & others[which])

    @cached_property
    def together(self) -> Positions:
        """(S, S): number of rows with both shortlists."""
        S, words = self.rows.shape
        counts = np.zeros((S, S), np.int64)
        size = 2_048  # words that are compared at a time: what stays in the cache
        for start in range(0, words, size):
            block = np.ascontiguousarray(self.rows[:, start : start + size])
            for s in range(S):
                counts[s, s:] += count(block[s:] & block[s])
        return counts + np.triu(counts, 1).T

    @cached_property
    def disjoint(self) -> Mask:
        """(S, S): shortlists without a class in common."""
        member = self.layout.member.astype(np.int64)
        empty: Mask = member @ member.T == 0
        return empty

    def pairs(self, weights: npt.NDArray[Any] | None = None) -> Positions:
        """(n, n): `together`, of all shortlists or of those marked (S, S), added up by labeler."""
        return self._squared(self.together if weights is None else self.together * weights)

    def kinds(self, marked: Mask) -> Positions:
        """(n, n): number of different pairs of shortlists, of those marked (S, S), that were voted together."""
        return self._squared((self.together > 0) & marked)

    def _squared(self, table: npt.NDArray[Any]) -> Positions:
        by_row = self.layout.per_labeler(table.astype(np.float64))
        return self.layout.per_labeler(by_row.T).T.astype(np.int64)

    def indices(self, words: Words) -> Positions:
        """The rows of a set, in order."""
        return np.flatnonzero(unpack(words, self.m))

    def table(self, words: Words) -> Mask:
        """Sets (r, words) as (m, r) booleans."""
        table = np.empty((self.m, len(words)), np.bool_, order="F")
        for column, row in zip(table.T, words, strict=True):
            column[:] = unpack(row, self.m)
        return table

    def _per_labeler(self, rows: Words) -> Words:
        parts = [union(part) for part in split(rows, self.layout)]
        return np.stack(parts) if parts else np.zeros((0, rows.shape[1]), np.uint64)


def pack(codes: npt.NDArray[Any], sizes: tuple[int, ...]) -> Words:
    """(S, words): the rows of each shortlist."""
    words = -(-len(codes) // 64)
    packed = np.zeros((sum(sizes), words * 8), np.uint8)
    rows = iter(packed)
    for column, size in zip(codes.T, sizes, strict=True):
        column = np.ascontiguousarray(column)
        for code in range(1, size + 1):
            bits = np.packbits(column == code, bitorder="little")
            next(rows)[: len(bits)] = bits
    return packed.view(np.uint64)


def unpack(words: Words, m: int) -> Mask:
    """(m,): which rows are in a set."""
    return np.unpackbits(words.view(np.uint8), count=m, bitorder="little").view(np.bool_)


def count(words: Words) -> Positions:
    """Number of rows in each set, along the last axis."""
    total: Positions = np.bitwise_count(words).sum(axis=-1, dtype=np.int64)
    return total


def union(rows: Words) -> Words:
    """The rows that are in any of the sets."""
    joined: Words = np.bitwise_or.reduce(rows, axis=0)
    return joined


def split(rows: npt.NDArray[Any], layout: Layout) -> Iterator[npt.NDArray[Any]]:
    """The part (size, …) of each labeler of something that has one row a shortlist."""
    return (rows[start : start + size] for start, size in zip(layout.starts, layout.sizes, strict=True))
