"""What a change to the labelers would do, tried out."""

import numpy as np
import pytest

from shortlist import Analysis, Votes
from shortlist.reporting.trials import (
    FEW,
    TRIAL_ROWS,
    Average,
    Trials,
    chosen_rows,
    contradicting,
    evenly_spaced,
    mixed_pairs,
    uncovered_gain,
    value_of_a_vote,
)
from tests.analysis.worked import quietly_fitted
from tests.reporting.showing import drawn


def misled(m=900, seed=0):
    """Labelers of which two repeat each other about nothing, the truth, and a model that believes these two."""
    votes, truth = drawn(m)
    rng = np.random.default_rng(seed)
    rumour = rng.integers(1, 4, m)
    echo = np.where(rng.random(m) < 0.15, rng.integers(1, 4, m), rumour)
    twins = Votes(np.stack([rumour, echo], axis=1), [list(votes.space)] * 2, votes.space, ["rumour", "echo"])
    votes = Votes.beside([votes, twins])
    return votes, list(truth), fitted(votes)


def fitted(votes):
    return quietly_fitted(votes, estimator="likelihood")


def without(votes, name):
    return votes[:, [other for other in votes.names if other != name]]


def test_a_labeler_left_out_is_scored_as_a_fit_without_it():
    votes, truth, model = misled()
    trial = Trials(Analysis(votes, model, gold=truth)).without("echo")
    rest = without(votes, "echo")
    before, after = (model.predict(votes) == truth).mean(), (fitted(rest).predict(rest) == truth).mean()
    assert trial.gain == pytest.approx(900 * (after - before))
    assert trial.gain > 200
    assert trial.sure
    assert trial.measured


def test_a_useless_change_is_not_sure():
    votes, truth = drawn(300)
    dice = Votes(np.random.default_rng(1).integers(0, 2, (300, 1)), [["business"]], votes.space, ["dice"])
    votes = Votes.beside([votes, dice])
    assert not Trials(Analysis(votes, quietly_fitted(votes), gold=list(truth))).without("dice").sure


def test_rows_without_a_vote_are_not_set_right():
    """Where a change makes another class the most frequent one, rows without a vote have no label, before and after."""
    codes = np.array([[1, 0, 1]] * 60 + [[0, 2, 0]] * 50 + [[0, 0, 0]] * 90)
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"], ["one", "two", "three"])
    gold = ["a"] * 60 + ["b"] * 50 + ["a"] * 90  # the most frequent class, which is no label where nobody votes
    trials = Trials(Analysis(votes, quietly_fitted(votes), gold=gold))
    assert trials.without("two").gain == -50  # their only vote is gone, and with it a label that was right
    assert trials.without("one").gain == 0


def test_without_gold_rows_it_is_counted_what_changes_and_no_gain_is_told():
    """The gain was judged by the beliefs of the new fit: by them every change is a gain."""
    votes, truth, model = misled(400)
    trial = Trials(Analysis(votes, model)).without("echo")
    rest = without(votes, "echo")
    before, after = model.predict_proba(votes).argmax(axis=1), fitted(rest).predict_proba(rest).argmax(axis=1)
    assert trial.gain is None
    assert not trial.measured
    assert not trial.better
    assert trial.changed == (after != before).sum() > 0
    few = dict(list(enumerate(truth))[: FEW - 1])
    assert not Trials(Analysis(votes, model, gold=few)).without("echo").measured


def test_the_contrary_is_said_where_a_labeler_abstained():
    votes = Votes([[1, 0], [0, 2], [1, 1]], [["a"], ["a", {"b", "c"}]], ["a", "b", "c"], ["film", "both"])
    changed = contradicting(votes, ["film"])
    assert [changed.shortlist(row, "film") for row in range(3)] == [{"a"}, {"b", "c"}, {"a"}]
    assert changed.codomains[0].dummies == frozenset()
    assert np.array_equal(changed.codes[:, 1], votes.codes[:, 1])


def test_of_many_rows_some_are_chosen_half_of_them_with_a_known_class():
    codes = np.random.default_rng(0).integers(0, 3, (3 * TRIAL_ROWS, 3))
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"])
    gold = dict.fromkeys(range(0, len(votes), 2), "a")
    rows = chosen_rows(Analysis(votes, gold=gold))
    assert len(rows) == len(set(rows.tolist())) == TRIAL_ROWS
    assert (rows % 2 == 0).sum() == TRIAL_ROWS // 2
    assert len(chosen_rows(Analysis(votes))) == TRIAL_ROWS


def test_rows_are_chosen_from_the_first_to_the_last():
    assert evenly_spaced(np.arange(10), 4).tolist() == [0, 3, 6, 9]
    assert evenly_spaced(np.arange(3), 4).tolist() == [0, 1, 2]


def test_the_value_of_a_vote_by_hand():
    beliefs = np.array([[0.5, 0.5], [0.9, 0.1], [0.7, 0.3], [0.3, 0.3]])
    assert value_of_a_vote(beliefs, 0.8) == pytest.approx([0.3, 0.0, 0.1, 0.18])
    assert value_of_a_vote(beliefs, 1.0) == pytest.approx(beliefs.min(axis=1))  # an oracle mends every mistake
    assert value_of_a_vote(beliefs, 0.5) == pytest.approx([0, 0, 0, 0])  # a coin mends none


def test_the_average_labeler_counts_votes_and_knows_gold_first():
    votes = Votes([[1, 0], [1, 0], [1, 1], [2, 0]], [["a", "b"], ["a"]], ["a", "b"])
    average = Average.of(Analysis(votes, gold=["a", "b", "b", "b"]).labelers())
    assert average.coverage == pytest.approx((1 + 0.25) / 2)
    assert average.accuracy == pytest.approx((2 + 0) / 5)


def test_classes_that_no_labeler_tells_apart_gain_most():
    votes = Votes([[1, 1, 1], [2, 2, 2]] * 50, [["a", {"b", "c"}]] * 3, ["a", "b", "c"])
    analysis = Analysis(votes, quietly_fitted(votes))
    first, *others = mixed_pairs(analysis, Average(0.5, 0.8))
    assert {first.one, first.other} == {"b", "c"}
    assert first.gain == pytest.approx(0.5 * 0.3 * 50, rel=0.1)  # on half of the 50 rows, by .3 each
    assert first.gain > 5 * max(pair.gain for pair in others)


def test_gold_rows_that_show_no_mistake_promise_nothing():
    votes, _ = drawn(600)
    model = quietly_fitted(votes)
    believed = mixed_pairs(Analysis(votes, model), Average(0.5, 0.9))
    agreeing = Analysis(votes, model, gold=list(model.predict(votes)))
    assert believed[0].gain > 1
    assert max(pair.gain for pair in mixed_pairs(agreeing, Average(0.5, 0.9))) == 0
    assert mixed_pairs(agreeing, Average(0.5, 0.9))[0].counted


def test_gold_rows_without_a_vote_are_not_mixed_up():
    codes = np.array([[1, 1, 1]] * 30 + [[2, 2, 2]] * 30 + [[0, 0, 0]] * 60)
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"])
    model = quietly_fitted(votes)
    (pair,) = mixed_pairs(Analysis(votes, model, gold=["a"] * 30 + ["b"] * 90), Average(0.5, 0.9))
    assert pair.counted
    assert (pair.error, pair.gain) == (0, 0)
    (few,) = mixed_pairs(Analysis(votes, model, gold=dict.fromkeys(range(50, 120), "b")), Average(0.5, 0.9))
    assert not few.counted  # ten gold rows with a vote count nothing


def test_rows_without_a_vote():
    codes = np.array([[1, 1, 1]] * 60 + [[0, 0, 0]] * 40)
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"])
    gain = uncovered_gain(Analysis(votes, quietly_fitted(votes, balance="uniform")), Average(0.5, 0.9))
    assert gain == pytest.approx(40 * 0.5 * 0.4)
