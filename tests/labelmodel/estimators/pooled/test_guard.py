"""Temperature and trust."""

import warnings

import numpy as np
import pytest

from shortlist import LabelModel, MajorityVote, Votes, simulate
from shortlist.beliefs import leading
from shortlist.errors import LittleTrust
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.estimators.pooled.guard import agreement, pool, trust_from_gold, vote_share
from shortlist.labelmodel.estimators.pooled.sample import Sample
from shortlist.labelmodel.layout import Layout


def test_agreement_shares_ties():
    one = np.array([[0.5, 0.5, 0], [1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])
    other = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0], [0.5, 0.5, 0]])
    # a tie is contradicted by none of its classes; of two ties, half in common is half agreed
    assert agreement(one, other, np.array([1.0, 2.0, 1.0, 3.0])) == pytest.approx((1 + 2 * 1 + 0 + 3 / 2) / 7)
    assert agreement(one, other, np.zeros(4)) == 1


def test_gold_rows_say_how_far_to_trust_the_fit():
    fit, prior, counted = np.array([[0.9, 0.1]]), np.array([[0.4, 0.6]]), np.array([[0.5, 0.5]])
    assert trust_from_gold(0.6, fit, prior, counted, np.array([[40.0, 0.0]])) > 0.8  # the fit is right every time
    assert trust_from_gold(0.6, fit, prior, counted, np.array([[0.0, 40.0]])) < 0.3
    assert trust_from_gold(0.6, fit, prior, counted, np.array([[1e-9, 0.0]])) == pytest.approx(0.6, abs=0.03)


def test_pooling_by_hand():
    layout = Layout((2,), np.array([[1, 1, 0], [0, 0, 1]], bool))
    counted = vote_share(np.array([[1], [0]]), layout)
    assert counted == pytest.approx(np.array([[5 / 12, 5 / 12, 2 / 12], [1 / 3] * 3]))
    fit, prior = np.array([[0.8, 0.1, 0.1]]), np.array([[0.2, 0.2, 0.6]])
    middle = np.sqrt(fit * prior)
    assert pool(fit, prior, counted[:1], 0.5) == pytest.approx(0.5 * middle / middle.sum() + 0.5 * counted[:1])
    assert pool(fit, prior, counted[:1], 1.0) == pytest.approx(fit)


def mislabeled(wrong: int):
    """Nine good labelers over five classes, of which some declare their classes in another order."""
    names = list("abcde")
    truth = Parameters(np.full((9, 5), 0.85), np.full(9, 0.7), np.full(5, 0.2))
    votes, classes = simulate(truth, [names] * 9, 4000, space=names, seed=1)
    turned = [np.roll(names, 1 + i % 4).tolist() if i < wrong else names for i in range(9)]
    return Votes(votes.codes, turned, names), classes


@pytest.mark.parametrize("balance", [{"a": 0.9, "b": 0.1}, "uniform", None])
def test_rows_without_a_vote_have_the_balance_that_was_given(balance):
    """Two rules for a, and three people who are often wrong: the fit is not trusted fully."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    people = 1 + np.where(rng.random((500, 3)) < 0.65, truth[:, None], 1 - truth[:, None])
    rules = (rng.random((500, 2)) < np.where(truth == 0, 0.5, 0.3)[:, None]).astype(int)
    votes = Votes(np.hstack([rules, people]), [["a"], ["a"], *[["a", "b"]] * 3], ["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LabelModel(balance=balance).fit(votes)
    assert model.estimate_.trust < 0.97  # otherwise nothing is tested
    silent = Votes([[0] * 5], votes.codomains, votes.space, votes.names)
    expected = [0.9, 0.1] if isinstance(balance, dict) else [0.5, 0.5]
    assert model.predict_proba(silent)[0] == pytest.approx(expected)


def test_trust_falls_when_most_tables_are_wrong():
    right, _ = mislabeled(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good = LabelModel().fit(right)
    assert good.estimate_.trust > 0.9
    wrong, _ = mislabeled(8)
    with pytest.warns(LittleTrust, match="fall back toward counting"):
        bad = LabelModel().fit(wrong)
    assert bad.estimate_.trust < 0.6
    assert np.abs(bad.predict_proba(wrong) - MajorityVote().fit(wrong).predict_proba(wrong)).mean() < 0.15


def test_evidence_is_discounted_where_rows_are_hard_for_all_at_once():
    names = list("abc")
    good, bad = (Parameters(np.full((10, 3), a), np.full(10, 0.8), np.full(3, 1 / 3)) for a in (0.8, 0.4))
    easy = simulate(good, [names] * 10, 2000, space=names, seed=0).votes
    hard = simulate(bad, [names] * 10, 2000, space=names, seed=1).votes
    assert LabelModel().fit(easy).estimate_.temperature > 0.6
    assert LabelModel().fit([easy, hard]).estimate_.temperature < 0.6


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_a_balance_does_not_make_a_fit_more_trusted():
    """Under a balance, fit and prior both name the frequent class: that they agree then says little."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 3000)
    accuracies = (0.6, 0.5, 0.3, 0.2, 0.1)
    codes = [1 + np.where(rng.random(3000) < a, truth, rng.integers(0, 3, 3000)) for a in accuracies]
    votes = Votes(np.column_stack(codes), [["x", "y", "z"]] * 5, ["x", "y", "z"])
    equal, skewed = (LabelModel(balance=b).fit(votes).estimate_.trust for b in ("uniform", [0.998, 0.001, 0.001]))
    assert equal < 1
    assert skewed <= equal


def rules_of_words(seed: int, m: int = 900):
    """Three equal classes of five words. A row has one word of its class and, one time in four, any word besides.

    Three rules know some words of a class, one more a word of the third, and one tells the second from the others.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, m)
    words = np.zeros((m, 15), bool)
    words[np.arange(m), 5 * truth + rng.integers(0, 5, m)] = True
    words[np.arange(m), rng.integers(0, 15, m)] |= rng.random(m) < 0.25
    known = [[0, 1, 2], [5, 6], [10, 11], [12]]
    codes = [words[:, which].any(axis=1).astype(int) for which in known]
    codes.append(np.where(words[:, [3, 4, 14]].any(axis=1), 1, np.where(words[:, 9], 2, 0)))
    says = [["a"], ["b"], ["c"], ["c"], [{"a", "c"}, "b"]]
    return Votes(np.stack(codes, axis=1), says, ["a", "b", "c"]), truth


def share_right(model, votes, truth):
    """Of rows with a vote; a tie is right by its share."""
    first = leading(model.predict_proba(votes))[votes.covered]
    rows = np.arange(len(first))
    return float((first / first.sum(axis=1, keepdims=True))[rows, truth[votes.covered]].mean())


def test_a_balance_that_was_counted_does_not_outweigh_votes_that_are_discounted(monkeypatch):
    """With g = 0.3, a lone vote for a rarer class lost to the balance: 35 to 58 % right where counting has 80."""
    monkeypatch.setattr(Sample, "share_with", lambda rows, labelers: 1.0)  # the balance is counted by rules, too
    lowest = 1.0
    for seed in range(6):
        votes, truth = rules_of_words(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LabelModel().fit(votes)
        assert share_right(model, votes, truth) > share_right(MajorityVote().fit(votes), votes, truth) - 0.06
        lowest = min(lowest, model.estimate_.temperature)
    assert lowest < 0.5  # otherwise nothing was tested


def test_the_prior_keeps_a_balance_that_was_counted_in_full(monkeypatch):
    monkeypatch.setattr(Sample, "share_with", lambda rows, labelers: 1.0)  # the balance is counted by rules, too
    votes, _ = rules_of_words(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LabelModel().fit(votes)
    guard = model.estimate_.guard
    assert guard.temperature < 0.9  # otherwise nothing was tested
    assert np.exp(guard.prior.balance) == pytest.approx(model.class_balance_)
    assert np.exp(guard.fitted.balance / guard.temperature) == pytest.approx(model.class_balance_)


def test_a_balance_that_gold_rows_set_is_not_discounted():
    votes, truth = rules_of_words(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LabelModel().fit(votes, {a: "abc"[truth[a]] for a in range(100)})
    assert model.estimate_.temperature < 0.9  # otherwise nothing was tested
    assert np.exp(model.estimate_.guard.fitted.balance) == pytest.approx(model.class_balance_)


def test_a_balance_that_is_given_is_not_discounted():
    votes, _ = rules_of_words(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        guard = LabelModel(balance={"a": 0.2, "b": 0.3, "c": 0.5}).fit(votes).estimate_.guard
    assert guard.temperature < 0.9  # otherwise nothing was tested
    assert np.exp(guard.fitted.balance) == pytest.approx([0.2, 0.3, 0.5])
