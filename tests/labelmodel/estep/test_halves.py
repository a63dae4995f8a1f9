import numpy as np
from hypothesis import given

from shortlist.labelmodel.estep import halves as module
from shortlist.labelmodel.estep.halves import Halves, entropy, halfway
from shortlist.labelmodel.formulae.layout import Layout
from tests.labelmodel.reference import some_votes


def layout(*sizes, k=3):
    return Layout(sizes, np.ones((sum(sizes), k), np.bool_))


@given(some_votes())
def test_both_halves_together_are_the_pattern(votes):
    if votes.shape[1] < 2 or not len(votes):
        return
    halves = Halves.of(votes.codes, Layout.of(votes.codomains, votes.space))
    assert 0 < halves.cut < votes.shape[1]
    together = np.concatenate([halves.wide[halves.c], halves.tall[halves.r]], axis=1)
    assert np.array_equal(together, votes.codes)
    for part in (halves.tall, halves.wide):
        assert len(np.unique(part, axis=0)) == len(part)


def test_the_cut_is_where_both_sides_say_as_much():
    rng = np.random.default_rng(0)
    busy, quiet = rng.integers(0, 4, (5000, 2)), (rng.random((5000, 6)) < 0.02).astype(np.int64)
    assert halfway(np.hstack([busy, quiet]).astype(np.uint8), layout(3, 3, *[1] * 6)) == 1
    assert halfway(np.hstack([quiet, busy]).astype(np.uint8), layout(*[1] * 6, 3, 3)) == 7
    assert entropy(np.array([2, 0, 2])) == 1
    assert halfway(np.zeros((3, 2), np.uint8), layout(1, 1)) == 1  # nobody ever votes: anywhere will do


def test_sub_patterns_are_encoded_by_hand():
    halves = Halves.of(np.array([[1, 0], [1, 2], [0, 2]], np.uint8), layout(1, 2))
    assert halves.tall.tolist() == [[0], [2]]
    assert halves.wide.tolist() == [[0], [1]]
    # labeler 2 abstains; says 2; labeler 1 abstains; says 1
    assert halves.encoded(layout(1, 2)).tolist() == [[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]


def test_halves_pay_when_most_pairs_occur(monkeypatch):
    rng = np.random.default_rng(0)
    shape = layout(3, 3, 3, 3)
    codes = rng.integers(0, 4, (400, 4)).astype(np.uint8)
    assert Halves.of(codes, shape).pay_off(shape)  # at most 16 × 16 pairs
    monkeypatch.setattr(module, "SPARSE", 0.1)
    assert not Halves.of(codes, shape).pay_off(shape)
