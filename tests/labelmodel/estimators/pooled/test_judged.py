"""Votes judged by the rest of their rows: against loops that do what the docstring says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shortlist import Votes
from shortlist.labelmodel.estimators.pooled import sample as sample_module
from shortlist.labelmodel.estimators.pooled.judged import SURENESS, Judge
from tests.labelmodel.estimators.pooled.parts import parts
from tests.labelmodel.reference import some_votes


def softmax(x):
    p = np.exp(x - x.max())
    return p / p.sum()


def by_loops(says, rows, table, propensity):
    """counts (S, k), votes that tell (n, k) and rows they could have been on (n, k), one vote at a time.

    Who does not vote speaks, too, as far as the table says: take `silent` for all, and it out where there is a vote.
    """
    layout, k = says.layout, says.layout.k
    counts, told, could = np.zeros((len(layout.member), k)), np.zeros((layout.n, k)), np.zeros((layout.n, k))
    dense = rows.hot.toarray() > 0
    for voted, weight, gold in zip(dense, rows.weights, rows.gold, strict=True):
        votes = np.flatnonzero(voted)
        known = np.eye(k)[gold] if gold >= 0 else None
        silent = np.setdiff1d(np.arange(layout.n), layout.owner[votes])
        of_silence = table.abstain[silent].sum(axis=0)
        everybody = known if gold >= 0 else softmax(table.votes[votes].sum(axis=0) + of_silence)
        could += weight * everybody
        if len(votes) > sample_module.MANY:
            counts[votes] += weight * everybody
            told[layout.owner[votes]] += weight * everybody
            continue
        for t in votes:
            i, others = layout.owner[t], [s for s in votes if s != t]
            rest = known if gold >= 0 else softmax(table.votes[others].sum(axis=0) + of_silence)
            joined = bool(others) or gold >= 0
            sure = ((rest**2).sum() - 1 / k) / (1 - 1 / k)
            amount = weight * joined * max(sure, 0) ** (SURENESS / max(len(votes) - 1, 1))
            counts[t] += amount * (rest / len(votes) + everybody * (1 - 1 / len(votes)))
            if says.telling[i]:
                share = rest * propensity[i]
                told[i] += weight * joined * share / share.sum()
                could[i] += weight * (joined * rest - everybody)
    return counts, told, np.maximum(could, 0)


@settings(max_examples=60)
@given(some_votes(), st.integers(1, 60), st.booleans(), st.booleans(), st.booleans())
def test_sparse_products_are_loops(votes, buffer, dense, known, silence):
    gold = {0: votes.space[0], len(votes) - 1: votes.space[1]} if known else None
    says, rows, table = parts(votes, gold)
    propensity = np.random.default_rng(0).uniform(0.1, 0.9, says.named.shape)
    if silence:
        table = replace(table, abstain=np.log1p(-propensity) * says.telling[:, None])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample_module, "BUFFER", buffer)
        patch.setattr(sample_module, "MANY", 3)
        patch.setattr(sample_module, "DENSE", 1000 if dense else 0)
        judged = Judge.of(rows, says, 1)(table, propensity)
        counts, told, could = by_loops(says, rows, table, propensity)
    telling = says.telling
    assert judged.votes == pytest.approx(counts, abs=1e-9)
    assert judged.telling[telling] == pytest.approx(told[telling], abs=1e-9)
    assert judged.rows[telling] == pytest.approx(could[telling], abs=1e-9)


def test_threads_change_nothing(monkeypatch):
    votes = Votes(np.random.default_rng(0).integers(0, 3, (3000, 8)), [["x", "y"]] * 8, ["x", "y"])
    says, rows, table = parts(votes)
    monkeypatch.setattr(sample_module, "BUFFER", 1000)
    assert len(rows.blocks()) > 10
    one, two = (Judge.of(rows, says, threads)(table, np.ones((8, 2))) for threads in (1, 2))
    assert np.array_equal(one.votes, two.votes)


def test_every_vote_counts_once_when_all_count():
    votes = Votes([[1, 1, 2], [1, 0, 0], [0, 2, 2], [2, 2, 1]], [["x", "y"]] * 3, ["x", "y"])
    says, rows, table = parts(votes)
    for own_vote in (False, True):
        judged = Judge.of(rows, says, 1).of_all(own_vote=own_vote)(table, np.ones((3, 2)))
        assert judged.votes.sum(axis=1) == pytest.approx([2, 1, 1, 2, 1, 2])
    with_own, without = (
        Judge.of(rows, says, 1).of_all(own_vote=own)(table, np.ones((3, 2))).votes for own in (True, False)
    )
    right = says.layout.member
    assert (with_own * right).sum() > (without * right).sum()  # a vote confirms itself
