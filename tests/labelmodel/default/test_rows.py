"""Sums over votes: against loops that do what the docstring says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shortlist import Votes
from shortlist.labelmodel import Pooled, Problem
from shortlist.labelmodel.default import rows as module
from shortlist.labelmodel.default.pooled import Fitting
from shortlist.labelmodel.default.rows import SURENESS, judge
from shortlist.labelmodel.e_step import Expectation
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Panel
from tests.labelmodel.reference import some_votes


def fitting(votes, gold=None):
    evidence, panel = Evidence.gather(votes, gold), Panel.of(votes)
    return Fitting(Pooled(), Problem(panel=panel, evidence=evidence, expectation=Expectation(evidence, panel.layout)))


def prior(fit):
    """Table before any vote is seen."""
    return fit.table(replace(fit.parameters(fit.prior_accuracy, fit.prior_lift, fit.equal), silence=0.0))


def softmax(x):
    p = np.exp(x - x.max())
    return p / p.sum()


def by_loops(fit, table, lift):
    """(counts (S, k), votes of rules (n, k), rows they could have been on (n, k)), one vote at a time."""
    layout, k, rows = fit.layout, fit.layout.k, fit.rows
    counts, rules, could = np.zeros((len(layout.member), k)), np.zeros((layout.n, k)), np.zeros((layout.n, k))
    for voted, weight, gold in zip(rows.hot.toarray() > 0, rows.weights, rows.gold, strict=True):
        votes = np.flatnonzero(voted)
        known = np.eye(k)[gold] if gold >= 0 else None
        silent = np.setdiff1d(np.arange(layout.n), layout.owner[votes])
        of_silence = table.abstain[silent].sum(axis=0) + table.balance
        everybody = known if gold >= 0 else softmax(table.votes[votes].sum(axis=0) + of_silence)
        could += weight * everybody
        for t in votes:
            i, others = layout.owner[t], [s for s in votes if s != t]
            rest = known if gold >= 0 else softmax(table.votes[others].sum(axis=0) + of_silence)
            joined = bool(others) or gold >= 0
            sure = max(((rest**2).sum() - 1 / k) / (1 - 1 / k), 0)
            amount = weight * joined * sure ** (SURENESS / max(len(votes) - 1, 1))
            counts[t] += amount * (rest / len(votes) + everybody * (1 - 1 / len(votes)))
            if fit.answers.rules[i]:
                rules[i] += weight * joined * rest * lift[i] / (rest * lift[i]).sum()
                could[i] += weight * (joined * rest - everybody)
    return counts, rules, np.maximum(could, 0)


@settings(max_examples=60)
@given(some_votes(), st.integers(1, 60), st.booleans(), st.booleans())
def test_sparse_products_are_loops(votes, block, known, silence):
    fit = fitting(votes, {0: votes.space[0], len(votes) - 1: votes.space[1]} if known else None)
    rng = np.random.default_rng(0)
    lift, table = rng.uniform(0.1, 0.9, fit.prior_lift.shape), prior(fit)
    if silence:
        table = replace(table, abstain=np.log1p(-lift) * fit.answers.rules[:, None])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        judged = judge(fit.rows.blocks(), table, lift, fit.answers.rules)
    counts, rules, could = by_loops(fit, table, lift)
    mine = fit.answers.rules
    assert judged.votes == pytest.approx(counts, abs=1e-9)
    if mine.any():
        assert judged.rules[mine] == pytest.approx(rules[mine], abs=1e-9)
        assert judged.rows[mine] == pytest.approx(could[mine], abs=1e-9)


def test_every_vote_counts_once_when_all_count():
    fit = fitting(Votes([[1, 1, 2], [1, 0, 2], [0, 2, 2], [2, 2, 1]], [["x", "y"]] * 3, ["x", "y"]))
    table, none = prior(fit), np.zeros(3, bool)
    judged = [judge(fit.blocks, table, fit.prior_lift, none, own=own, power=0.0).votes for own in (0.0, 1.0)]
    for each in judged:
        assert each.sum(axis=1) == pytest.approx([2, 1, 1, 2, 1, 3])
    right = fit.layout.member
    assert (judged[0] * right).sum() > (judged[1] * right).sum()  # a vote confirms itself


def test_the_power_that_predicts_held_out_votes_by_hand():
    """Two labelers that name one of two classes: from the vote of one follows what the other says."""
    fit = fitting(Votes([[1, 1]] * 4 + [[1, 2], [2, 1]] * 3 + [[2, 2]] * 4, [["x", "y"]] * 2, ["x", "y"]))
    powers = np.exp(-0.2 * np.arange(18))
    same = 0.8**powers / (0.8**powers + 0.2**powers)  # P(class of the other's vote), to the power
    agree, differ = np.log(same * 0.8 + (1 - same) * 0.2), np.log(same * 0.2 + (1 - same) * 0.8)
    best = powers[np.argmax(8 * agree + 6 * differ)]
    assert 0.1 < best < 1
    assert fit.rows.predicting(prior(fit)) == pytest.approx(best)


def test_rows_with_one_vote_predict_nothing():
    fit = fitting(Votes([[1, 0], [0, 2], [2, 0]], [["x", "y"]] * 2, ["x", "y"]))
    assert fit.rows.predicting(prior(fit)) == 1


def test_agreement_above_chance_by_hand():
    """Fit and prior name the same class on 70 of 100 rows; by chance they would on .7 · .5 + .3 · .5 = half of them."""
    votes = Votes(
        [[1, 1, 1]] * 45 + [[1, 1, 2]] * 25 + [[2, 2, 1]] * 5 + [[2, 2, 2]] * 25, [["x", "y"]] * 3, ["x", "y"]
    )
    fit = fitting(votes)

    def table(of_third):
        """The first labeler decides, or the third."""
        scores = np.zeros((6, 2))
        scores[[4, 5] if of_third else [0, 1]] = [[0, -1], [-1, 0]]
        return replace(prior(fit), votes=scores)

    assert fit.agreement(table(False), table(False)) == 1
    assert fit.agreement(table(False), table(True)) == pytest.approx((0.7 - 0.5) / 0.5)
    turned = replace(table(True), votes=table(True).votes[:, ::-1])
    assert fit.agreement(table(True), turned) == 0
