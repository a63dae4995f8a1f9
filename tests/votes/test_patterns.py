"""Patterns: unique rows, counts and inverse, against np.unique and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from shortlist.votes import Votes, patterns
from shortlist.votes.patterns import count_patterns, find_patterns, pack, unpack, widths


@st.composite
def tables(draw, max_columns=40, sizes=(0, 1, 2, 3, 7, 8, 255, 256, 40_000)):
    """(codes, sizes): few or many bits a row, with many equal rows."""
    top = draw(st.lists(st.sampled_from(sizes), max_size=max_columns))
    base = draw(hnp.arrays(np.int64, (draw(st.integers(1, 6)), len(top)), elements=st.integers(0, 2**31)))
    base = base % (np.array(top, np.int64) + 1)
    rows = draw(st.lists(st.integers(0, len(base) - 1), max_size=30))
    return np.asfortranarray(base[rows].astype(np.uint16)), top


def check(codes, found):
    rebuilt = found.codes[found.inverse]
    np.testing.assert_array_equal(rebuilt, codes)
    assert found.counts.sum() == len(codes)
    assert found.counts.min(initial=1) >= 1
    assert found.codes.dtype == codes.dtype
    np.testing.assert_array_equal(np.bincount(found.inverse, minlength=len(found.counts)), found.counts)
    expected, counts = np.unique(codes, axis=0, return_counts=True)
    order = np.lexsort(found.codes.T[::-1]) if codes.shape[1] else np.arange(len(found.codes))
    np.testing.assert_array_equal(found.codes[order], expected)
    np.testing.assert_array_equal(found.counts[order], counts)


def test_by_hand():
    codes = np.array([[1, 0], [2, 1], [1, 0], [0, 0], [1, 0]], np.uint8)
    found = find_patterns(codes, [2, 1])
    assert found.codes.tolist() == [[0, 0], [1, 0], [2, 1]]
    assert found.counts.tolist() == [1, 3, 1]
    assert found.inverse.tolist() == [1, 2, 1, 0, 1]


def test_of_votes():
    votes = Votes([[1, 0], [1, 0], [0, 2]], [["a"], ["a", "b"]], ["a", "b"])
    found = votes.patterns()
    assert found.codes[found.inverse].tolist() == votes.codes.tolist()
    assert sorted(found.counts.tolist()) == [1, 2]
    unique, counts = votes.pattern_counts()
    assert dict(zip(map(tuple, unique.tolist()), counts.tolist(), strict=True)) == {(1, 0): 2, (0, 2): 1}


@given(tables())
def test_the_laws_of_patterns(table):
    codes, sizes = table
    check(codes, find_patterns(codes, sizes))


@given(tables())
def test_counting_alone_agrees(table):
    codes, sizes = table
    found = find_patterns(codes, sizes)
    unique, counts = count_patterns(codes, sizes)
    np.testing.assert_array_equal(unique, found.codes)
    np.testing.assert_array_equal(counts, found.counts)
    assert unique.dtype == codes.dtype


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table, random):
    codes, sizes = table
    shuffled = list(range(len(codes)))
    random.shuffle(shuffled)
    found, again = find_patterns(codes, sizes), find_patterns(np.asfortranarray(codes[shuffled]), sizes)
    np.testing.assert_array_equal(found.codes, again.codes)
    np.testing.assert_array_equal(found.counts, again.counts)
    np.testing.assert_array_equal(found.inverse[shuffled], again.inverse)


@given(tables(max_columns=12, sizes=(0, 1, 2, 3, 7, 8, 30)))
def test_packing_into_one_word_is_undone_by_unpacking(table):
    codes, sizes = table
    words = pack(codes, sizes)
    assert len(words) == 1
    np.testing.assert_array_equal(unpack(words[0], widths(sizes), codes.dtype), codes)


@pytest.mark.parametrize(("columns", "words"), [(1, 1), (32, 1), (33, 2), (64, 2), (65, 3)])
def test_as_few_words_as_will_hold_a_row(columns, words):
    codes = np.full((2, columns), 3, np.uint8)
    assert len(pack(codes, [3] * columns)) == words
    assert widths([0, 1, 2, 3, 4, 255, 256]) == [1, 1, 2, 2, 3, 8, 9]


def test_the_last_bit_of_a_word_counts():
    """64 labelers of one bit fill a word; rows that differ in the last of them only are two patterns."""
    codes = np.zeros((3, 64), np.uint8)
    codes[1, 63] = 1
    found = find_patterns(codes, [1] * 64)
    check(codes, found)
    assert len(found.counts) == 2


def test_a_column_never_straddles_two_words():
    """63 columns of one bit and one of two make 65 bits; the high bit of the last column must not fall off."""
    codes = np.zeros((2, 64), np.uint8)
    codes[:, 63] = [1, 3]
    sizes = [1] * 63 + [3]
    assert len(pack(codes, sizes)) == 2
    assert len(find_patterns(codes, sizes).counts) == 2


def test_many_rows_of_several_words():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 4, (500, 100), np.uint8)
    codes = base[rng.integers(0, 500, 20_000)]
    found = find_patterns(codes, [3] * 100)
    check(codes, found)
    assert len(found.counts) == 500


@settings(max_examples=50)
@given(tables(sizes=(255, 256)), st.sampled_from([0, 1]))
def test_rows_that_share_a_hash_are_kept_apart(table, bits):
    """A hash of no or one bit makes different rows collide; the outcome must not notice."""
    codes, sizes = table
    called = []

    def bad_hash(words):
        called.append(len(words))
        return words[0] & np.uint64(bits)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "_hash", bad_hash)
        found = find_patterns(codes, sizes)
    assert bool(called) == (sum(widths(sizes)) > 64)
    check(codes, found)


def test_a_forced_collision_by_hand(monkeypatch):
    monkeypatch.setattr(patterns, "_hash", lambda words: np.zeros(len(words[0]), np.uint64))
    codes = np.array([[1] * 70, [2] * 70, [1] * 70, [1] * 69 + [2]], np.uint8)
    found = find_patterns(codes, [3] * 70)
    check(codes, found)
    assert sorted(found.counts.tolist()) == [1, 1, 2]


@pytest.mark.parametrize(("m", "n"), [(0, 0), (0, 3), (4, 0), (0, 70)])
def test_empty_tables(m, n):
    codes = np.zeros((m, n), np.uint8)
    found = find_patterns(codes, [3] * n)
    assert found.codes.shape == (min(m, 1), n)
    assert found.counts.tolist() == [m] * min(m, 1)
    assert found.inverse.shape == (m,)
    assert count_patterns(codes, [3] * n)[0].shape == (min(m, 1), n)


def test_the_codes_given_are_not_changed():
    codes = np.array([[1, 0], [2, 1]], np.uint8)
    before = codes.copy()
    find_patterns(codes, [2, 1])
    count_patterns(codes, [2, 1])
    np.testing.assert_array_equal(codes, before)
