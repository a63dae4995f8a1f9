"""Sets of rows as bits, against sets of rows as sets."""

import numpy as np
import pytest
from hypothesis import given

from shortlist.analysis.bits import Bits, count, pack, union, unpack
from shortlist.votes import Votes
from tests.analysis.worked import newspaper
from tests.votes.drawing import votes as any_votes


def test_packing_by_hand():
    codes = np.array([[1], [0], [2], [1]], np.uint8)
    assert pack(codes, (2,)).tolist() == [[0b1001], [0b0100]]


@pytest.mark.parametrize("m", [1, 63, 64, 65, 200])
def test_what_is_packed_is_unpacked(m):
    marks = np.random.default_rng(m).random(m) < 0.4
    rows = pack(marks[:, None].astype(np.uint8), (1,))
    assert (unpack(rows[0], m) == marks).all()
    assert count(rows).tolist() == [marks.sum()]


def test_the_newspaper():
    bits = Bits(newspaper())
    assert [bits.indices(row).tolist() for row in bits.voted] == [[0, 1, 2], [0, 1, 2, 3], [2, 4]]
    assert bits.indices(bits.overlapping).tolist() == [0, 1, 2]
    assert [bits.indices(row).tolist() for row in bits.against] == [[1, 2], [1, 2], [2]]
    assert bits.indices(union(bits.against)).tolist() == [1, 2]


def test_together_by_hand():
    # goal: sports, dummy-like second; abroad: {sports, world}, business; money: business, second
    together = Bits(newspaper()).together
    assert together[0].tolist() == [3, 0, 2, 1, 1, 0]
    assert (together == together.T).all()


@given(any_votes(max_rows=40))
def test_together_counts_every_pair_of_votes(votes):
    if not len(votes) or not votes.names:
        return
    bits = Bits(votes)
    one_hot = np.column_stack(
        [votes.codes[:, i] == c for i, size in enumerate(votes.sizes) for c in range(1, size + 1)]
        or [np.zeros((len(votes), 0))]
    ).astype(int)
    assert (bits.together == one_hot.T @ one_hot).all()


def test_more_rows_than_a_block_holds():
    m = 64 * 2_048 + 100
    codes = np.random.default_rng(0).integers(0, 3, (m, 2)).astype(np.uint8)
    votes = Votes(codes, [["a", "b"], ["a", "b"]], ["a", "b"])
    expected = [[int(((codes[:, 0] == c) & (codes[:, 1] == d)).sum()) for d in (1, 2)] for c in (1, 2)]
    assert Bits(votes).together[:2, 2:].tolist() == expected


def test_a_labeler_without_shortlists_is_an_empty_set():
    votes = Votes([[1, 0]], [["a"], []], ["a", "b"])
    bits = Bits(votes)
    assert count(bits.voted).tolist() == [1, 0]
    assert count(bits.against).tolist() == [0, 0]
