"""Rows of known class settle what a labeler is worth."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def world(seed=0, m=4000):
    """Three labelers that name classes, and two rules of one answer, of which one is right 4 times of 10."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, m)
    naming = [1 + np.where(rng.random(m) < a, truth, rng.integers(0, 3, m)) for a in (0.7, 0.6, 0.2)]
    good = rng.random(m) < np.array([0.4, 0.02, 0.02])[truth]
    bad = rng.random(m) < np.array([0.1, 0.2, 0.1])[truth]
    votes = Votes(np.column_stack([*naming, good, bad]), [list("abc")] * 3 + [["a"], ["b"]], list("abc"))
    return votes, np.array(list("abc"))[truth]


@quiet
@pytest.mark.parametrize("i", range(5))
def test_with_eighty_of_its_votes_known_the_estimate_is_what_they_say(i):
    votes, truth = world()
    rows = np.flatnonzero(votes.codes[:, i])[:80]
    model = LabelModel().fit(votes, {int(a): truth[a] for a in rows})
    says = votes.codomains[i].shortlists
    seen = np.mean([truth[a] in says[votes.codes[a, i] - 1] for a in rows])
    assert model.estimate_.labeler_accuracy[i] == pytest.approx(seen, abs=0.05)
    low, high = model.estimate_.labeler_interval(0.9)
    assert low[i] < seen < high[i]
    assert high[i] - low[i] < 0.3  # known, one answer or many


@quiet
def test_gold_rows_do_not_make_beliefs_worse():
    gains = []
    for seed in range(8):
        votes, truth = world(seed, 2000)
        rest = np.arange(500, 2000)
        plain = LabelModel().fit(votes).predict_proba(votes)
        told = LabelModel().fit(votes, dict(enumerate(truth[:500]))).predict_proba(votes)
        right = votes.space.positions(truth)
        gains.append(np.log(told[rest, right[rest]] / plain[rest, right[rest]]).mean())
    assert np.mean(gains) > 0


@quiet
def test_gold_rows_without_a_vote_say_nothing():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2000)
    about = np.repeat([0, 1], 4)
    codes = (rng.random((2000, 8)) < np.where(truth[:, None] == about, 0.3, 0.1)).astype(int)
    votes = Votes(codes, [["ab"[j]] for j in about], ["a", "b"])
    silent = np.flatnonzero(~votes.covered)[:100]
    assert len(silent) == 100
    plain, told = (LabelModel().fit(votes, gold) for gold in (None, dict.fromkeys(silent.tolist(), "a")))
    assert told.predict_proba(votes) == pytest.approx(plain.predict_proba(votes), abs=1e-9)


@quiet
def test_gold_rows_show_that_one_labeler_is_better_than_many_that_err_together():
    """Six labelers, right 5 times of 10, copy one another's errors. One that is right 9 times is outvoted by them."""
    rng = np.random.default_rng(0)
    truth, decoy = rng.integers(0, 5, (2, 3000))
    shared = np.where(rng.random(3000) < 0.5, truth, decoy)
    copies = [np.where(rng.random(3000) < 0.9, shared, rng.integers(0, 5, 3000)) for _ in range(6)]
    best = np.where(rng.random(3000) < 0.9, truth, rng.integers(0, 5, 3000))
    votes = Votes(1 + np.column_stack([*copies, best]), [list("abcde")] * 7, list("abcde"))
    plain, told = (LabelModel().fit(votes, gold) for gold in (None, {a: "abcde"[truth[a]] for a in range(150)}))
    rest = slice(150, 3000)
    right, better = ((m.predict_proba(votes).argmax(axis=1) == truth)[rest].mean() for m in (plain, told))
    assert right < 0.7
    assert better > 0.85
    apart = int(np.flatnonzero(votes.codes[:, 0] != votes.codes[:, 6])[0])
    why = told.explain(votes, apart)
    assert why.log_odds == pytest.approx(why.balance + sum(why.moves.values()))
    names, (copied, good) = list("abcde"), votes.codes[apart, [0, 6]] - 1
    moves = told.explain(votes, apart, of=names[good], against=names[copied]).moves
    assert moves[votes.names[6]] > -moves[votes.names[0]] > 0
