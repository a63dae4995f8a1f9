"""Simulated worlds in which an earlier default, or an obvious model, went wrong."""

import numpy as np
import pytest

from shortlist import LabelModel, MajorityVote, Votes

TWO = ["spam", "ham"]
pytestmark = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def right(model, votes, truth):
    return float((model.predict_proba(votes).argmax(axis=1) == truth).mean())


# -- people beside rules about one class ----------------------------------------------------------------------


def people_and_rules(seed, rules=10, people=6, m=2000):
    """30 % spam; rules vote on half of it and a fifth of the rest, people on 80 % of the rows, and 85 % are right."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(m) >= 0.3).astype(int)
    votes = rng.random((m, rules)) < np.where(truth == 0, 0.5, 0.2)[:, None]
    said = 1 + np.where(rng.random((m, people)) < 0.85, truth[:, None], 1 - truth[:, None])
    said = np.where(rng.random((m, people)) < 0.8, said, 0)
    return Votes(np.hstack([votes, said]), [["spam"]] * rules + [TWO] * people, TWO), truth


@pytest.mark.parametrize("seed", range(3))
def test_rules_about_one_class_do_not_outvote_people(seed):
    votes, truth = people_and_rules(seed)
    model = LabelModel().fit(votes)
    people = votes[:, np.arange(10, 16)]
    assert right(model, votes, truth) > right(LabelModel().fit(people), people, truth) - 0.01
    assert right(model, votes, truth) > right(MajorityVote().fit(votes), votes, truth) + 0.1
    assert model.estimate_.labeler_accuracy[10:] == pytest.approx(0.85, abs=0.05)


def test_a_rule_that_abstains_speaks_against_its_class():
    votes, _ = people_and_rules(0)
    model = LabelModel().fit(votes)
    row = Votes([[1] * 2 + [0] * 8 + [1, 2, 0, 0, 0, 0]], votes.codomains, TWO, votes.names)
    why = model.explain(row, 0, of="spam", against="ham")
    moves = list(why.moves.values())
    assert all(move > 0 for move in moves[:2])
    assert all(move < 0 for move in moves[2:10])
    lines = why.lines()
    assert sum(said == "abstained" for _, said, _ in lines) == 4  # three, and the five others together
    assert why.balance + sum(move for _, _, move in lines) == pytest.approx(why.log_odds)


def test_rules_alone_say_nothing_by_abstaining():
    votes, _ = people_and_rules(0)
    rules = votes[:, np.arange(10)]
    model = LabelModel().fit(rules[rules.covered])
    assert model.parameters_.silence == 0
    assert not model.emission_.abstain.any()


# -- unequal classes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frequent", [0.5, 0.8, 0.95])
def test_models_that_name_every_class_show_how_frequent_it_is(frequent):
    """Ten are right on 55 to 75 % of the rows. If classes are taken for equal, counting is better."""
    rng = np.random.default_rng(0)
    truth = (rng.random(4000) > frequent).astype(int)
    said = 1 + np.where(rng.random((4000, 10)) < np.linspace(0.55, 0.75, 10), truth[:, None], 1 - truth[:, None])
    votes = Votes(said, [["a", "b"]] * 10, ["a", "b"])
    model = LabelModel().fit(votes)
    assert right(model, votes, truth) > right(MajorityVote().fit(votes), votes, truth)
    assert 0.5 + 0.6 * (frequent - 0.5) - 0.03 < model.class_balance_[0] < frequent + 0.02


def test_some_votes_missing_change_little():
    rng = np.random.default_rng(0)
    truth = (rng.random(4000) < 0.05).astype(int)
    said = 1 + np.where(rng.random((4000, 10)) < 0.65, truth[:, None], 1 - truth[:, None])
    missing = np.where(rng.random(said.shape) < 0.01, 0, said)
    score = []
    for codes in (said, missing):
        votes = Votes(codes, [["a", "b"]] * 10, ["a", "b"])
        score.append(right(LabelModel().fit(votes), votes, truth))
    assert min(score) > 0.9
    assert score[1] == pytest.approx(score[0], abs=0.02)


def test_rules_with_one_answer_do_not_tell_how_frequent_classes_are():
    rng = np.random.default_rng(0)
    truth, about = (rng.random(2000) > 0.8).astype(int), np.array([0] * 6 + [1] * 2)
    codes = (rng.random((2000, 8)) < np.where(truth[:, None] == about, 0.4, 0.05)).astype(int)
    assert LabelModel().fit(Votes(codes, [["ab"[j]] for j in about], ["a", "b"])).class_balance_.tolist() == [0.5, 0.5]


def test_a_given_balance_holds_for_rows_without_a_vote():
    votes = Votes([[0, 0, 0], [1, 1, 1], [2, 2, 1]] * 10, [TWO] * 3, TWO)
    model = LabelModel(balance={"spam": 0.1, "ham": 0.9}).fit(votes)
    assert model.predict_proba(votes)[0] == pytest.approx([0.1, 0.9])


# -- labelers that err together --------------------------------------------------------------------------------


def test_evidence_is_discounted_where_rows_are_hard_for_all_at_once():
    """Fifteen models are 95 % right on easy rows and at random on hard ones: unanimity means less than it seems."""
    rng = np.random.default_rng(0)
    truth, camp = rng.integers(0, 2, 3000), rng.integers(0, 2, (3000, 3))
    group = np.arange(15) % 3
    wrong = (rng.random(3000) < 0.4)[:, None] & (camp[:, group] == 1)
    said = 1 + np.where(
        wrong, 1 - truth[:, None], np.where(rng.random((3000, 15)) < 0.95, truth[:, None], 1 - truth[:, None])
    )
    votes = Votes(said, [TWO] * 15, TWO)
    model = LabelModel().fit(votes)
    assert model.estimate_.temperature < 0.5
    beliefs = model.predict_proba(votes)
    nll = -np.log(beliefs[np.arange(3000), truth]).mean()
    assert (
        nll
        < 0.8
        * -np.log(LabelModel(estimator="likelihood").fit(votes).predict_proba(votes)[np.arange(3000), truth]).mean()
    )


# -- copies ----------------------------------------------------------------------------------------------------


def test_a_labeler_that_says_nothing_new_is_counted_and_nobody_else_suffers():
    """One always says spam on every row: it says nothing about any row, and changes no label."""
    votes, truth = people_and_rules(1, rules=0)
    always = Votes(np.hstack([votes.codes, np.ones((2000, 1), int)]), [TWO] * 6 + [["spam"]], TWO)
    assert right(LabelModel().fit(always), always, truth) > right(LabelModel().fit(votes), votes, truth) - 0.01
