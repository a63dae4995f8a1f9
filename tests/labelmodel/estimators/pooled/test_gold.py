"""Rows of known class settle what a labeler is worth."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.gold import GoldVotes
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Layout
from tests.labelmodel.estimators.pooled.parts import parts

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def gold_votes(votes, gold):
    layout = Layout.of(votes.codomains, votes.space)
    return GoldVotes.of(Evidence.gather(votes, gold), layout)


def test_votes_on_known_rows_by_hand():
    votes = Votes([[1, 1], [1, 0], [2, 1], [0, 1]], [["x", "y"], [{"x", "z"}]], ["x", "y", "z"])
    found = gold_votes(votes, ["x", "y", "y", None])
    assert found.rows.tolist() == [1, 2, 0]
    assert found.votes.tolist() == [[1, 2, 0], [1, 1, 0]]
    assert found.right.tolist() == [[1, 1, 0], [1, 0, 0]]
    before = np.array([[0.8] * 3, [0.5] * 3])
    assert found.accuracy(before, 10.0) == pytest.approx(np.array([[9 / 11, 9 / 12, 0.8], [6 / 11, 5 / 11, 0.5]]))


def test_how_often_a_rule_votes_on_known_rows_by_hand():
    """A rule for x votes on two rows of four, in truth on half of all x and y; another labeler names all classes."""
    votes = Votes([[1, 1], [1, 2], [0, 1], [0, 2]], [["x"], ["x", "y"]], ["x", "y"])
    says, _, _ = parts(votes)
    gold, equal = gold_votes(votes, ["x", "y", "x", "y"]), np.array([0.5, 0.5])
    found = gold.lift(np.array([[4.0, 1.0], [1.0, 1.0]]), says, equal, 3.0)
    expected = 2 * 0.5 * np.array([4.0, 1.0]) / 2.5  # two rows of each class, of which it votes on half
    assert found[0] == pytest.approx(np.array([4.0, 1.0]) * (3 + 1) / (3 + expected))
    assert found[1].tolist() == [1, 1]  # it names all classes, and tells nothing by voting


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
