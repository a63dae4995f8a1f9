"""Patterns: rows with equal votes are one row with a count.

The codes of a row are packed into as few bits as they need. Up to 64 bits, a row is one integer and the rows
are counted by sorting integers, some thirty times faster than `np.unique(axis=0)`. Beyond, the words of a row
are mixed into one 64-bit hash, and the outcome is checked against the rows themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.unsignedinteger[Any]]
Words = npt.NDArray[np.uint64]

_MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # the constants of splitmix64


class Patterns(NamedTuple):
    """Unique rows of codes (u, n), how often each occurs (u,), and which one each row is (m,)."""

    codes: Codes
    counts: npt.NDArray[np.int64]
    inverse: npt.NDArray[np.int64]


def find_patterns(codes: Codes, sizes: Sequence[int]) -> Patterns:
    """The unique rows of `codes`, where column i holds codes 0 .. sizes[i]."""
    words = pack(codes, sizes)
    if len(words) == 1:
        _, first, inverse, counts = np.unique(words[0], return_index=True, return_inverse=True, return_counts=True)
    else:
        first, inverse, counts = _unique_words(words)
    return Patterns(np.asfortranarray(codes[first]), counts.astype(np.int64), inverse.astype(np.int64))


def count_patterns(codes: Codes, sizes: Sequence[int]) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Unique rows and counts only: cheaper, since nothing needs to point back at the rows."""
    bits = widths(sizes)
    if sum(bits) > 64:
        patterns = find_patterns(codes, sizes)
        return patterns.codes, patterns.counts
    packed, counts = np.unique(pack(codes, sizes)[0], return_counts=True)
    return unpack(packed, bits, codes.dtype), counts.astype(np.int64)


def widths(sizes: Sequence[int]) -> list[int]:
    """How many bits each column needs for codes 0 .. size."""
    return [max(1, int(size).bit_length()) for size in sizes]


def pack(codes: Codes, sizes: Sequence[int]) -> list[Words]:
    """The rows of codes as 64-bit words, as few as will hold them."""
    words: list[Words] = [np.zeros(len(codes), np.uint64)]
    used = 0
    for column, bits in zip(codes.T, widths(sizes), strict=True):
        if used + bits > 64:
            words.append(np.zeros(len(codes), np.uint64))
            used = 0
        words[-1] |= column.astype(np.uint64) << np.uint64(used)
        used += bits
    return words


def unpack(packed: Words, bits: Sequence[int], dtype: npt.DTypeLike) -> Codes:
    """The codes (u, n) that one word per row was packed from."""
    codes = np.empty((len(packed), len(bits)), dtype, order="F")
    shift = 0
    for i, width in enumerate(bits):
        codes[:, i] = (packed >> np.uint64(shift)) & np.uint64((1 << width) - 1)
        shift += width
    return codes


def _unique_words(words: list[Words]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """First row, inverse and counts of the unique rows of several words each."""
    _, first, inverse, counts = np.unique(_hash(words), return_index=True, return_inverse=True, return_counts=True)
    if all(np.array_equal(word[first][inverse], word) for word in words):
        return first, inverse, counts
    return _unique_words_slowly(words)  # two different rows share a hash: about once in 2^64 / rows^2


def _unique_words_slowly(words: list[Words]) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    _, first, inverse, counts = np.unique(
        np.column_stack(words), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    return first, inverse.ravel(), counts


def _hash(words: list[Words]) -> Words:
    """splitmix64 over the words of each row."""
    state = np.zeros(len(words[0]), np.uint64)
    for word in words:
        state = state * np.uint64(_MIX[0]) + word
        state ^= state >> np.uint64(30)
        state *= np.uint64(_MIX[1])
        state ^= state >> np.uint64(27)
        state *= np.uint64(_MIX[2])
        state ^= state >> np.uint64(31)
    return state
