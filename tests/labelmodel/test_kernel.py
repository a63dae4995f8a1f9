import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.engines import Local, Threads
from shortlist.labelmodel.kernel import Kernel, in_order, threads_engine
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission, Parameters, emission, log_joint, log_marginal, posterior
from shortlist.labelmodel.m_step import Counts
from tests.labelmodel.reference import some_parameters, some_votes


def problem(votes, parameters):
    layout = Layout.of(votes.codomains, votes.space)
    return layout, emission(Parameters(*parameters), layout)


def counts_by_definition(codes, beliefs, weights, layout):
    counts = np.zeros(layout.member.shape)
    for row, belief, weight in zip(codes, beliefs, weights, strict=True):
        for i, code in enumerate(row):
            if code:
                counts[layout.starts[i] + code - 1] += weight * belief
    return counts


@given(st.data())
def test_the_kernel_is_the_e_step_written_out(data):
    votes = data.draw(some_votes())
    layout, table = problem(votes, data.draw(some_parameters(votes)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    table = Emission(table.votes, table.abstain, table.balance, rng.uniform(0.3, 1, layout.n))
    weights = rng.uniform(0.1, 5, len(votes))
    joint = log_joint(votes.codes, table, layout)
    beliefs = posterior(joint)
    counts = Kernel(votes.codes, weights, layout)(table)
    assert counts.votes == pytest.approx(counts_by_definition(votes.codes, beliefs, weights, layout), abs=1e-9)
    assert counts.mass == pytest.approx(weights @ beliefs)
    assert counts.log_likelihood == pytest.approx(weights @ log_marginal(joint))
    assert Kernel(votes.codes, weights, layout).posterior(table) == pytest.approx(beliefs, abs=1e-12)


@pytest.fixture
def many():
    rng = np.random.default_rng(0)
    layout = Layout((2, 3, 4, 2), rng.random((11, 5)) < 0.5)
    codes = np.column_stack([rng.integers(0, size + 1, 40_000) for size in layout.sizes]).astype(np.uint8)
    table = Emission(
        rng.normal(-2, 1, (11, 5)), rng.normal(-1, 1, (4, 5)), np.log(rng.dirichlet(np.ones(5))), np.ones(4)
    )
    return codes, rng.uniform(0, 3, 40_000), layout, table


def test_threads_and_blocks_change_nothing(many, monkeypatch):
    codes, weights, layout, table = many
    one = Kernel(codes, weights, layout, threads=1)
    for threads in (2, 3, 7):
        several = Kernel(codes, weights, layout, threads=threads)
        for precision in (np.float32, np.float64):
            a, b = one(table, precision), several(table, precision)
            assert np.array_equal(a.votes, b.votes)
            assert np.array_equal(a.mass, b.mass)
            assert a.log_likelihood == b.log_likelihood
        assert np.array_equal(one.posterior(table), several.posterior(table))
    monkeypatch.setattr(Kernel, "block_rows", 300)
    small = Kernel(codes, weights, layout)
    assert len(small.blocks) == 134
    assert small(table).votes == pytest.approx(one(table).votes, rel=1e-12)


def test_float32_keeps_six_digits(many):
    codes, weights, layout, table = many
    rows = Kernel(codes, weights, layout)
    coarse, fine = rows(table, np.float32), rows(table)
    assert coarse.votes == pytest.approx(fine.votes, rel=2e-5)
    assert coarse.log_likelihood == pytest.approx(fine.log_likelihood, rel=1e-6)


def test_chunks_add_up(many):
    codes, weights, layout, table = many
    whole = Kernel(codes, weights, layout)(table)
    parts = [Kernel(codes[a : a + 9000], weights[a : a + 9000], layout)(table) for a in range(0, 40_000, 9000)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total.votes == pytest.approx(whole.votes)
    assert total.log_likelihood == pytest.approx(whole.log_likelihood)


def test_the_callers_arrays_come_back_unchanged(many):
    codes, weights, layout, table = many
    before = codes.copy(), weights.copy(), table.votes.copy()
    rows = Kernel(codes, weights, layout)
    rows(table)
    rows.posterior(table)
    assert np.array_equal(codes, before[0])
    assert np.array_equal(weights, before[1])
    assert np.array_equal(table.votes, before[2])


def test_no_rows_count_nothing(many):
    _, _, layout, table = many
    counts = Kernel(np.zeros((0, 4), np.uint8), np.zeros(0), layout)(table)
    assert counts.votes.sum() == counts.mass.sum() == counts.log_likelihood == 0
    assert Kernel(np.zeros((0, 4), np.uint8), np.zeros(0), layout).posterior(table).shape == (0, 5)


@given(st.data())
def test_known_rows_count_as_they_are(data):
    votes = data.draw(some_votes())
    layout, table = problem(votes, data.draw(some_parameters(votes)))
    gold = np.array([data.draw(st.integers(0, layout.k - 1)) for _ in range(len(votes))])
    weights = np.arange(1.0, len(votes) + 1)
    counts = Counts.of(votes.codes, gold, weights, layout).scored(table, layout)
    sure = np.eye(layout.k)[gold]
    assert counts.votes == pytest.approx(counts_by_definition(votes.codes, sure, weights, layout))
    expected = weights @ log_joint(votes.codes, table, layout)[np.arange(len(votes)), gold]
    assert counts.log_likelihood == pytest.approx(expected)


def test_overwhelming_evidence_neither_overflows_nor_vanishes(many):
    codes, weights, layout, table = many
    loud = Emission(table.votes * 300, table.abstain * 300, table.balance, table.exponent)
    for precision in (np.float32, np.float64):
        counts = Kernel(codes, weights, layout)(loud, precision)
        assert np.isfinite(counts.votes).all()
        assert counts.mass.sum() == pytest.approx(weights.sum(), rel=1e-5)
        assert counts.log_likelihood == pytest.approx(weights @ log_marginal(log_joint(codes, loud, layout)), rel=1e-5)


def tenfold(block):
    return 10 * block


@pytest.mark.parametrize("engine", [Threads(1), Threads(3), Local(2)])
@pytest.mark.parametrize("blocks", [0, 1, 2, 7, 50])
def test_every_block_is_worked_on_once_and_in_order(engine, blocks):
    if type(engine) is Local and blocks not in (0, 7):
        return  # processes are slow to ask
    assert list(in_order(engine, tenfold, range(blocks))) == [10 * block for block in range(blocks)]


def test_threads_are_those_asked_for_or_all_cores():
    assert threads_engine(3).workers == 3
    assert threads_engine(np.int64(2)).workers == 2
    assert threads_engine(None).workers >= 1


def test_votes_that_are_all_but_impossible():
    """Sixty labelers, half of them sure of one class and half of the other, at the limits of what is legal."""
    layout = Layout((2,) * 60, np.array([[True, False], [False, True]] * 60))
    codes = np.array([[1] * 30 + [2] * 30, [1] * 60, [2] * 60, [0] * 60], np.uint8)
    table = emission(Parameters(np.full((60, 2), 1 - 1e-9), np.full(60, 0.5), np.array([0.5, 0.5])), layout)
    counts = Kernel(codes, np.ones(4), layout)(table)
    assert counts.mass == pytest.approx([2, 2])
    assert np.isfinite(counts.log_likelihood)
