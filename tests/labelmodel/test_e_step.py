import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.labelmodel.e_step import Factored, SplitPatterns, _halfway, quick_kernel
from shortlist.labelmodel.kernel import Kernel
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission, Parameters, emission
from tests.labelmodel.reference import some_parameters, some_votes


def both(codes, weights, layout, threads=1):
    """The same rows in both forms."""
    made = Factored(codes, weights, layout, SplitPatterns.of(codes, layout), threads=threads)
    return made, Kernel(codes, weights, layout, threads=1)


def same(a, b, rel=1e-9):
    assert a.votes == pytest.approx(b.votes, rel=rel, abs=1e-9)
    assert a.mass == pytest.approx(b.mass, rel=rel, abs=1e-9)
    assert a.log_likelihood == pytest.approx(b.log_likelihood, rel=1e-12, abs=1e-9)


@given(st.data())
def test_factored_is_the_kernel(data):
    """Any votes, rows in any order and some of them equal, any weights, tempered evidence."""
    votes = data.draw(some_votes().filter(lambda votes: votes.shape[1] > 1 and len(votes)))
    layout = Layout.of(votes.codomains, votes.space)
    table = emission(Parameters(*data.draw(some_parameters(votes))), layout)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    table = Emission(table.votes, table.abstain, table.balance, rng.uniform(0.3, 1, layout.n))
    weights = data.draw(st.sampled_from([np.ones(len(votes)), rng.uniform(0.1, 5, len(votes))]))
    made, kernel = both(votes.codes, weights, layout)
    same(made(table), kernel(table))
    assert made.vote_counts == pytest.approx(kernel.vote_counts)


@pytest.fixture
def many():
    rng = np.random.default_rng(0)
    layout = Layout((2, 3, 4, 2), rng.random((11, 5)) < 0.5)
    codes = np.column_stack([rng.integers(0, size + 1, 3_000) for size in layout.sizes]).astype(np.uint8)
    table = Emission(
        rng.normal(-2, 1, (11, 5)), rng.normal(-1, 1, (4, 5)), np.log(rng.dirichlet(np.ones(5))), np.ones(4)
    )
    return codes, rng.integers(1, 3, 3_000).astype(float), layout, table


def test_threads_and_blocks_change_nothing(many, monkeypatch):
    codes, weights, layout, table = many
    whole, kernel = both(codes, weights, layout)
    assert len(whole.blocks) == 1
    monkeypatch.setattr(Factored, "cells", 12)
    one, _ = both(codes, weights, layout)
    assert len(one.blocks) > 8  # from here on, threads are started
    same(one(table), whole(table))
    for threads in (2, 3, 7):
        a, b = both(codes, weights, layout, threads)[0](table), one(table)
        assert np.array_equal(a.votes, b.votes)
        assert a.log_likelihood == b.log_likelihood
    same(one(table), kernel(table))


@pytest.mark.parametrize("loud", [1, 12, 60, 300, 3000])
def test_overwhelming_evidence_neither_overflows_nor_vanishes(many, loud):
    """SplitPatterns that contradict each other by far more than a float can hold: the step is made in log space."""
    codes, weights, layout, table = many
    shouted = Emission(table.votes * loud, table.abstain * loud, table.balance, table.exponent)
    made, kernel = both(codes, weights, layout)
    same(made(shouted), kernel(shouted))
    assert ("rows" in made.__dict__) == (loud >= 300)  # the kernel is made when it is needed, not before
    same(made(table), kernel(table))  # and then back to products


def test_votes_that_are_all_but_impossible():
    """Sixty labelers, half of them sure of one class and half of the other, at the limits of what is legal."""
    layout = Layout((2,) * 60, np.array([[True, False], [False, True]] * 60))
    codes = np.array([[1] * 30 + [2] * 30, [1] * 60, [2] * 60, [0] * 60], np.uint8)
    table = emission(Parameters(np.full((60, 2), 1 - 1e-9), np.full(60, 0.5), np.array([0.5, 0.5])), layout)
    made, kernel = both(codes, np.ones(4), layout)
    found = made(table)
    same(found, kernel(table))
    assert found.mass == pytest.approx([2, 2])
    assert np.isfinite(found.log_likelihood)


def test_products_before_logarithms_are_the_logarithms(many):
    codes, _, layout, table = many
    weights = np.ones(len(codes))
    weights[::5] = np.linspace(0.2, 9, len(weights[::5]))
    made, kernel = both(codes, weights, layout)
    value = made(table).log_likelihood
    assert value == pytest.approx(kernel(table).log_likelihood, rel=1e-13)


def test_the_kernel_is_factored_where_that_is_less_work(many, monkeypatch):
    codes, weights, layout, _ = many
    options = {"device": "cpu", "threads": 1}
    assert isinstance(quick_kernel(codes, weights, layout, **options), Factored)
    assert isinstance(quick_kernel(codes[:0], weights[:0], layout, **options), Kernel)
    alone = Layout((2,), layout.member[:2])
    assert isinstance(quick_kernel(codes[:, :1], weights, alone, **options), Kernel)
    monkeypatch.setattr(SplitPatterns, "pay_off", lambda *_: False)
    assert isinstance(quick_kernel(codes, weights, layout, **options), Kernel)


def test_the_callers_arrays_come_back_unchanged(many):
    codes, weights, layout, table = many
    before = codes.copy(), weights.copy(), table.votes.copy()
    both(codes, weights, layout)[0](table)
    assert np.array_equal(codes, before[0])
    assert np.array_equal(weights, before[1])
    assert np.array_equal(table.votes, before[2])


def layout(*sizes, k=3):
    return Layout(sizes, np.ones((sum(sizes), k), np.bool_))


@given(some_votes())
def test_both_halves_together_are_the_pattern(votes):
    if votes.shape[1] < 2 or not len(votes):
        return
    halves = SplitPatterns.of(votes.codes, Layout.of(votes.codomains, votes.space))
    assert 0 < halves.cut < votes.shape[1]
    together = np.concatenate([halves.wide[halves.c], halves.tall[halves.r]], axis=1)
    assert np.array_equal(together, votes.codes)
    for part in (halves.tall, halves.wide):
        assert len(np.unique(part, axis=0)) == len(part)


def test_the_cut_is_where_both_sides_say_as_much():
    rng = np.random.default_rng(0)
    busy, quiet = rng.integers(0, 4, (5000, 2)), (rng.random((5000, 6)) < 0.02).astype(np.int64)
    assert _halfway(np.hstack([busy, quiet]).astype(np.uint8)) == 1
    assert _halfway(np.hstack([quiet, busy]).astype(np.uint8)) == 7
    assert _halfway(np.zeros((3, 2), np.uint8)) == 1  # nobody ever votes: anywhere will do


def test_sub_patterns_are_encoded_by_hand():
    halves = SplitPatterns.of(np.array([[1, 0], [1, 2], [0, 2]], np.uint8), layout(1, 2))
    assert halves.tall.tolist() == [[0], [2]]
    assert halves.wide.tolist() == [[0], [1]]
    # labeler 2 abstains; says 2; labeler 1 abstains; says 1
    assert halves.encoded(layout(1, 2)).tolist() == [[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]


def test_halves_pay_when_most_pairs_occur():
    rng = np.random.default_rng(0)
    shape = layout(3, 3, 3, 3)
    codes = rng.integers(0, 4, (400, 4)).astype(np.uint8)
    assert SplitPatterns.of(codes, shape).pay_off(shape)  # at most 16 × 16 pairs
    assert not SplitPatterns.of(codes, shape).pay_off(shape, sparse=0.1)
