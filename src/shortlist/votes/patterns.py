"""Patterns: rows with equal votes are one row with a count.

The codes of a row are packed into as few bits as they need. Up to 64 bits, a row is one integer. Then rows are
counted by sorting integers of the smallest type that holds them, or in a table where few values are possible. That is
far faster than `np.unique(axis=0)`. Beyond 64 bits, the words of a row are mixed into one 64-bit hash, and the
outcome is checked against the rows themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.unsignedinteger[Any]]
Words = npt.NDArray[np.unsignedinteger[Any]]


class Patterns(NamedTuple):
    """Unique rows of codes (u, n), how often each occurs (u,), and which one each row is (m,)."""

    codes: Codes
    counts: npt.NDArray[np.int64]
    inverse: npt.NDArray[np.int64]


def find_patterns(codes: Codes, sizes: Sequence[int]) -> Patterns:
    """The unique rows of `codes`, where column i holds codes 0 .. sizes[i]."""
    bits = widths(sizes)
    words = pack(codes, sizes)
    if len(words) > 1:
        first, inverse, counts = _unique_words(words)
        return Patterns(np.asfortranarray(codes[first]), counts.astype(np.int64), inverse.astype(np.int64))
    if sum(bits) <= 16:  # few words are possible: a table of all is faster than sorting
        unique, inverse, counts = _by_table(words[0], sum(bits))
    else:
        unique, inverse, counts = np.unique(words[0], return_inverse=True, return_counts=True)
    return Patterns(unpack(unique, bits, codes.dtype), counts.astype(np.int64), inverse.astype(np.int64, copy=False))


def count_patterns(codes: Codes, sizes: Sequence[int]) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Unique rows and counts only: cheaper, since nothing needs to point back at the rows."""
    bits = widths(sizes)
    if sum(bits) > 64:
        patterns = find_patterns(codes, sizes)
        return patterns.codes, patterns.counts
    packed, counts = np.unique(pack(codes, sizes)[0], return_counts=True)
    return unpack(packed, bits, codes.dtype), counts.astype(np.int64)


def widths(sizes: Sequence[int]) -> list[int]:
    """Number of bits each column needs for codes 0 .. size."""
    return [max(1, int(size).bit_length()) for size in sizes]


def pack(codes: Codes, sizes: Sequence[int]) -> list[Words]:
    """The rows of codes as words, as few as will hold them in 64 bits each, each of the smallest type that will do."""
    words, group, used = [], 0, 0
    bits = widths(sizes)
    for i, width in enumerate(bits):
        if used + width > 64:
            words.append(_word(codes.T[group:i], bits[group:i]))
            group, used = i, 0
        used += width
    return [*words, _word(codes.T[group:], bits[group:])] if bits else [np.zeros(len(codes), np.uint8)]


def _word(columns: Codes, bits: Sequence[int]) -> Words:
    """Columns side by side in one word, the first one lowest: both halves, each in as small a type, then joined."""
    if len(columns) == 1:
        only: Words = columns[0].astype(holding(bits[0]), copy=False)
        return only
    half = len(columns) // 2
    word = _word(columns[half:], bits[half:]).astype(holding(sum(bits)))
    word <<= word.dtype.type(sum(bits[:half]))
    word |= _word(columns[:half], bits[:half])
    return word


def unpack(packed: Words, bits: Sequence[int], dtype: npt.DTypeLike) -> Codes:
    """The codes (u, n) that one word per row was packed from."""
    codes = np.empty((len(packed), len(bits)), dtype, order="F")
    if bits:
        _part(packed, bits, codes.T)
    return codes


def _part(packed: Words, bits: Sequence[int], columns: Codes) -> None:
    """Write the columns of words into place: as `_word`, the other way round."""
    if len(bits) == 1:
        columns[0] = packed
        return
    half = len(bits) // 2
    low = sum(bits[:half])
    kind = packed.dtype.type
    _part((packed & kind((1 << low) - 1)).astype(holding(low)), bits[:half], columns[:half])
    _part((packed >> kind(low)).astype(holding(sum(bits[half:]))), bits[half:], columns[half:])


def holding(bits: int) -> type[np.unsignedinteger[Any]]:
    """The smallest unsigned type with so many bits."""
    if bits > 32:
        return np.uint64
    return np.uint32 if bits > 16 else np.uint16 if bits > 8 else np.uint8


def _by_table(word: Words, bits: int) -> tuple[Words, npt.NDArray[Any], npt.NDArray[Any]]:
    """Unique words, inverse and counts, where a table of all words there could be is short."""
    at = word.astype(np.int64)
    counts = np.bincount(at, minlength=1 << bits)
    unique = np.flatnonzero(counts)
    place = np.zeros(len(counts), np.int64)
    place[unique] = np.arange(len(unique))
    return unique.astype(word.dtype), place.take(at, mode="clip"), counts[unique]


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
        state = state * np.uint64(0x9E3779B97F4A7C15) + word.astype(np.uint64)
        state ^= state >> np.uint64(30)
        state *= np.uint64(0xBF58476D1CE4E5B9)
        state ^= state >> np.uint64(27)
        state *= np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return state
