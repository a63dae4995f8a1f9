"""What the model could be told besides votes: gold rows, and how frequent classes are."""

import re

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.reporting.advising import better_fit
from shortlist.reporting.advising.better_fit import contradicted
from shortlist.reporting.advising.prospects import named_shares
from shortlist.reporting.advising.to_do import ENOUGH, advise
from shortlist.reporting.advising.trials import Trial, Trials
from shortlist.reporting.overview import Overview
from tests.analysis.worked import quietly_fitted
from tests.reporting.advising.test_to_do import advice_of, kinds
from tests.reporting.showing import drawn, overview_of


def doubted(m=600, seed=0, good="b"):
    """Two labelers that say one class each, the first right 95 % of the time, the second 60 %. Where both vote, a tie:
    the label is the class that comes first, a."""
    rng = np.random.default_rng(seed)
    truth, first = rng.integers(0, 2, m), "ab".index(good)
    fires = [rng.random(m) < np.where(truth == j, 0.6, else_) for j, else_ in ((first, 0.04), (1 - first, 0.45))]
    votes = Votes(np.column_stack(fires).astype(int), [[good], ["ba"[first]]], ["a", "b"], ["good", "bad"])
    return votes, ["ab"[j] for j in truth]


def test_gold_rows_that_contradict_the_model_are_to_fit_it():
    votes, truth = doubted()
    model, gold = quietly_fitted(votes), dict(enumerate(truth[:200]))
    overview = overview_of(votes, model, gold=gold)
    assert set(contradicted(overview)) & {"good", "bad"}
    (found,) = [one for one in advise(overview) if one.kind == "use gold"]
    assert found.code == "LabelModel().fit(votes, gold)"
    assert found.measured
    told = re.search(r"Right on ([\d.]+)% → ([\d.]+)% of (\d+) gold rows with a vote", found.why)
    assert float(told[2]) > float(told[1])
    assert int(told[3]) == votes.covered[:200].sum()
    assert "use gold" not in kinds(advice_of(votes, model, gold=truth))  # all are known: they are there to score
    fits = Overview(overview.analysis, gold_fits=True)
    assert "use gold" not in kinds(advise(fits))
    assert "use gold" not in kinds(advice_of(votes, model, gold=dict(enumerate(truth[: ENOUGH - 1]))))


def test_gold_rows_that_set_no_row_right_are_not_to_fit_the_model():
    """It was advised at 86.7 % → 86.7 %: beliefs were likelier, and no label changed."""
    told = 0
    for seed in range(6):
        votes, truth = doubted(seed=seed, good="a")
        overview = overview_of(votes, quietly_fitted(votes), gold=dict(enumerate(truth[:60])))
        trial = Trials(overview.analysis).knowing()
        told += trial.likelier is not None and not trial.better
        assert ("use gold" in kinds(advise(overview))) <= trial.better
    assert told


def test_gold_rows_that_make_labels_worse_are_to_be_taken_out_of_the_fit(monkeypatch):
    votes, truth = doubted()
    gold = dict(enumerate(truth[:200]))
    fits = Overview(overview_of(votes, quietly_fitted(votes), gold=gold).analysis, gold_fits=True)
    assert "no gold" not in kinds(advise(fits))  # here they help
    monkeypatch.setattr(Trials, "forgetting", lambda self: Trial(30.0, 40, 0.7, 0.8, 120, True))
    (found,) = [one for one in advise(fits) if one.kind == "no gold"]
    assert "Right on 70.0% with them, 80.0% without, of 120 gold rows with a vote" in found.why
    assert found.code == "LabelModel().fit(votes)"
    assert "no gold" not in kinds(advice_of(votes, quietly_fitted(votes), gold=gold))  # they are not in the fit


def mostly_ham(m=2000, *, seed=0):
    """Six labelers that vote on half of the rows and are right on 70 %; one row in ten is spam. And the classes."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(m) < 0.1).astype(int)
    said = 1 + np.where(rng.random((m, 6)) < 0.7, truth[:, None], 1 - truth[:, None])
    said[rng.random((m, 6)) < 0.5] = 0
    return Votes(said, [["ham", "spam"]] * 6, ["ham", "spam"]), np.array(["ham", "spam"])[truth]


def balance_advice(votes, model, **known):
    return [one for one in advice_of(votes, model, **known) if one.kind == "balance"]


def test_the_balance_is_asked_for_where_labels_depend_on_it():
    votes, truth = mostly_ham()
    model = quietly_fitted(votes)
    (one,) = balance_advice(votes, model)
    share = (votes.codes == 1).sum() / (votes.codes > 0).sum()
    assert f"ham has {share:.0%} of the votes" in one.why
    assert f"the model takes {model.class_balance_[0]:.0%} of the rows" in one.why
    assert one.gain is None
    given = eval(one.code, {"model": LabelModel()})
    assert given.balance["ham"] == pytest.approx(share, abs=0.001)
    right = [(each.fit(votes).predict(votes) == truth)[votes.covered].sum() for each in (LabelModel(), given)]
    assert right[1] > right[0] + 100
    (measured,) = balance_advice(votes, model, gold=list(truth))
    assert measured.measured
    assert measured.gain == pytest.approx(right[1] - right[0], abs=3)  # the line has three digits


def test_the_balance_is_not_asked_for_where_it_is_known_or_changes_little():
    votes, truth = mostly_ham()
    assert not balance_advice(votes, LabelModel(balance={"ham": 0.9, "spam": 0.1}).fit(votes))
    assert not balance_advice(votes, LabelModel(balance="uniform").fit(votes))
    knowing = overview_of(votes, quietly_fitted(votes), gold=list(truth))
    knowing.gold_fits = True
    assert "balance" not in kinds(advise(knowing))
    equal, _ = drawn()
    assert not balance_advice(equal, quietly_fitted(equal))


def test_the_line_keeps_the_other_options_of_the_model():
    votes, _ = mostly_ham()
    (one,) = balance_advice(votes, quietly_fitted(votes, estimator="likelihood"))
    assert eval(one.code, {"model": LabelModel(estimator="likelihood")}).estimator == "likelihood"


@pytest.mark.parametrize(("constant", "value"), [("CHANGED", 0.2), ("APART", 0.3)])
def test_how_much_must_depend_on_the_balance(monkeypatch, constant, value):
    """Shares are 9 points apart, and 8 % of the labels change."""
    votes, _ = mostly_ham()
    assert balance_advice(votes, quietly_fitted(votes))
    monkeypatch.setattr(better_fit, constant, value)
    assert not balance_advice(votes, quietly_fitted(votes))


def rules(spam, m=2000, *, seed=0):
    """Six rules for spam, and two for ham."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(m) < spam).astype(int)
    hits = [rng.random(m) < np.where(truth == j, 0.4, 0.05) for j in (1, 1, 1, 1, 1, 1, 0, 0)]
    said = [["spam"]] * 6 + [["ham"]] * 2
    return Votes(np.column_stack(hits).astype(int), said, ["ham", "spam"]), truth


def test_rules_do_not_show_how_frequent_classes_are_so_no_shares_are_advised():
    """Shares of their votes were: 55 % spam, where 10 % is true, and labels were worse for it."""
    votes, truth = rules(0.1)
    assert named_shares(votes) is None
    model = quietly_fitted(votes)
    (one,) = balance_advice(votes, model)
    assert "Rules do not show it" in one.why
    assert one.code == '# model.set_params(balance={"ham": ..., ...}), with a share for each class'
    assert one.gain is None
    known = [quietly_fitted(votes, **options) for options in ({}, {"balance": {"ham": 0.9, "spam": 0.1}})]
    right = [(each.predict_proba(votes).argmax(axis=1) == truth)[votes.covered].mean() for each in known]
    assert right[1] > right[0] + 0.1  # so it is worth asking for


def test_shares_of_votes_by_hand():
    """A vote for two classes is half a vote for each, every class has one vote more, and rules do not count."""
    says = [[{"a", "b"}, "c"], ["a", "b", "c"], ["a"], [{"a", "b"}, {"a", "c"}]]
    votes = Votes([[1, 1, 1, 1], [1, 3, 1, 1], [0, 3, 1, 2]], says, ["a", "b", "c"])
    assert named_shares(votes) == {"a": pytest.approx(3 / 8), "b": pytest.approx(2 / 8), "c": pytest.approx(3 / 8)}
