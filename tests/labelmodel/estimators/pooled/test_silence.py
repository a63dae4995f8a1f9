"""That rules do not vote is evidence, if labelers that weigh every class are then better predicted."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from shortlist import LabelModel, MajorityVote, Votes
from shortlist.labelmodel.e_step import posteriors
from shortlist.labelmodel.estimators.pooled import pooled as module

TWO = ["spam", "ham"]
pytestmark = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def people_and_rules(seed, rules=10, people=6, m=2000):
    """30 % spam; rules vote on half of it and a fifth of the rest, people on 80 % of the rows, and 85 % are right."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(m) >= 0.3).astype(int)
    votes = rng.random((m, rules)) < np.where(truth == 0, 0.5, 0.2)[:, None]
    said = 1 + np.where(rng.random((m, people)) < 0.85, truth[:, None], 1 - truth[:, None])
    said = np.where(rng.random((m, people)) < 0.8, said, 0)
    return Votes(np.hstack([votes, said]), [["spam"]] * rules + [TWO] * people, TWO), truth


def right(model, votes, truth):
    return float((model.predict_proba(votes).argmax(axis=1) == truth).mean())


@pytest.mark.parametrize("seed", range(3))
def test_rules_about_one_class_do_not_outvote_people(seed):
    """They did: 69 to 78 % were right, where people alone have 97."""
    votes, truth = people_and_rules(seed)
    model = LabelModel().fit(votes)
    people = votes[:, np.arange(10, 16)]
    assert right(model, votes, truth) > right(LabelModel().fit(people), people, truth) - 0.01
    assert right(model, votes, truth) > right(MajorityVote().fit(votes), votes, truth) + 0.1
    assert model.estimate_.labeler_accuracy[10:] == pytest.approx(0.85, abs=0.05)


def test_a_rule_that_abstains_speaks_against_its_class_and_the_moves_add_up():
    votes, _ = people_and_rules(0)
    model = LabelModel().fit(votes)
    said = [[1] * 2 + [0] * 8 + [1, 2, 0, 0, 0, 0]]
    why = model.explain(Votes(said, votes.codomains, TWO, votes.names), 0, of="spam", against="ham")
    moves = list(why.moves.values())
    assert all(move > 0 for move in moves[:2])
    assert all(move < 0 for move in moves[2:10])
    beliefs = model.predict_proba(Votes(said, votes.codomains, TWO, votes.names))[0]
    assert why.log_odds == pytest.approx(np.log(beliefs[0] / beliefs[1]))


def test_of_many_that_abstain_some_are_named_and_the_lines_add_up():
    votes, _ = people_and_rules(0)
    why = LabelModel().fit(votes).explain(Votes([[1] * 2 + [0] * 8 + [1, 2, 0, 0, 0, 0]], votes.codomains, TWO), 0)
    lines = why.lines()
    assert sum(said == "abstained" for _, said, _ in lines) == 4  # three, and the five others together
    assert str(why).count("5 others: abstained") == 1
    assert why.balance + sum(move for _, _, move in lines) == pytest.approx(why.log_odds)


def test_rules_alone_say_nothing_by_abstaining():
    votes, _ = people_and_rules(0)
    rules = votes[:, np.arange(10)]
    model = LabelModel().fit(rules[rules.covered])
    assert model.parameters_.silence == 0
    assert not model.emission_.abstain.any()


def test_held_out_people_say_whether_abstaining_is_evidence(monkeypatch):
    votes, _ = people_and_rules(0)
    assert LabelModel().fit(votes).parameters_.silence > 0.99  # some row may have votes of rules only
    for without, silent in ((-0.59, 0), (-0.61, 1)):  # against −0.6 with it
        scores = iter([-0.6, without])
        monkeypatch.setattr(module, "predicted", lambda *_, scores=scores: next(scores))
        assert LabelModel().fit(votes).parameters_.silence == pytest.approx(silent, abs=0.01)
    one_rule = votes[:, np.arange(9, 16)]
    assert LabelModel().fit(one_rule).parameters_.silence > 0.99  # nobody is asked


@pytest.mark.parametrize("seed", range(3))
def test_one_model_beside_rules_that_vote_together_and_a_frequent_class(seed):
    """Six classes, one of them half of the rows. Three rules for each find the same word of it on 60 % of its rows.

    That rules abstain was evidence for rare classes: 64 % were right, where counting has 87.
    """
    rng = np.random.default_rng(seed)
    m, k, names = 4000, 6, list("abcdef")
    truth = rng.choice(k, m, p=[0.5, 0.3, 0.08, 0.06, 0.04, 0.02])
    word = rng.random((m, k)) < np.where(truth[:, None] == np.arange(k), 0.6, 0.03)
    rules = np.repeat(word, 3, axis=1) & (rng.random((m, 3 * k)) < 0.9)
    model = 1 + np.where(rng.random(m) < 0.75, truth, rng.integers(0, k, m))
    votes = Votes(np.column_stack([rules, model]), [*np.repeat(names, 3)[:, None].tolist(), names], names)
    assert right(LabelModel().fit(votes), votes, truth) > right(MajorityVote().fit(votes), votes, truth) - 0.04


@pytest.mark.parametrize("seed", range(3))
def test_who_never_weighs_a_class_does_not_judge_abstaining(seed):
    """One labeler always votes, and all its answers hold the rarest class. The others are rules that vote together.

    It was the judge of abstaining: 57 to 59 % were right, where counting has 77.
    """
    rng = np.random.default_rng(seed)
    m, names = 4000, ["easy", "hard", "spam"]
    truth = rng.choice(3, m, p=[0.65, 0.04, 0.31])
    word = rng.random((m, 2)) < np.array([[0.75, 0.1], [0.03, 0.85], [0.1, 0.45]])[truth]
    rules = np.repeat(word, 3, axis=1) & (rng.random((m, 6)) < 0.9)
    spam = rng.random((m, 2)) < np.array([0.02, 0.07, 0.25])[truth, None]
    hard = rng.random(m) < np.array([0.04, 0.79, 0.06])[truth]
    always = 1 + (rng.random(m) < np.array([0.99, 0.34, 0.48])[truth])
    says = [["easy"]] * 3 + [[{"spam", "hard"}]] * 3 + [["spam"]] * 2 + [["hard"], [{"spam", "hard"}, {"easy", "hard"}]]
    votes = Votes(np.column_stack([rules, spam, hard, always]), says, names)
    model = LabelModel().fit(votes)
    assert model.parameters_.silence == 0
    assert right(model, votes, truth) > right(MajorityVote().fit(votes), votes, truth) - 0.06


def test_a_table_of_votes_alone_has_the_same_beliefs():
    votes, _ = people_and_rules(0, m=50)
    model = LabelModel().fit(votes)
    layout, table = model.estimate_.layout, model.emission_
    assert table.abstain.any()  # otherwise nothing is tested
    alone = table.of_votes_alone(layout, np.ones(layout.n, bool))
    assert not alone.abstain.any()
    whole = (replace(each, exponent=np.ones(layout.n)) for each in (table, alone))
    one, other = posteriors(votes.codes, layout, *whole)
    assert one == pytest.approx(other)


def test_without_a_labeler_its_abstaining_tells_nothing():
    votes, _ = people_and_rules(0)
    estimate = LabelModel().fit(votes).estimate_
    other = votes.codes.copy()
    other[:, 0] = 1 - other[:, 0]  # whatever the first rule does
    assert estimate.beliefs_without(votes.codes, 0) == pytest.approx(estimate.beliefs_without(other, 0))
    assert np.abs(estimate.beliefs(votes.codes) - estimate.beliefs(other)).max() > 0.01


def test_rules_are_judged_on_rows_with_many_votes():
    """30 rules a class: the first two vote on 90 % of their class and 10 % of the others, the rest on 50 and 40 %."""
    rng = np.random.default_rng(0)
    truth, about = rng.integers(0, 3, 3000), np.repeat(range(3), 30)
    good = np.tile(np.arange(30) < 2, 3)
    here, else_ = np.where(good, 0.9, 0.5), np.where(good, 0.1, 0.4)
    codes = rng.random((3000, 90)) < np.where(truth[:, None] == about, here, else_)
    votes = Votes(codes.astype(int), [["abc"[j]] for j in about], list("abc"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert right(LabelModel().fit(votes), votes, truth) > 0.92
        assert right(MajorityVote().fit(votes), votes, truth) < 0.85
