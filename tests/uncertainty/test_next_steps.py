"""Next steps: worth of a panel with known copies, gains with known truth."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.errors import BadRows
from shortlist.uncertainty import next_steps
from shortlist.uncertainty.next_steps import Gain, effective_number, hits_of


def panel(m, accuracies, seed, copies=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, m)
    codes = np.stack([np.where(rng.random(m) < a, truth, 1 - truth) + 1 for a in accuracies], axis=1)
    codes = np.hstack([codes, *[codes[:, :1]] * copies])
    return Votes(codes, [["a", "b"]] * codes.shape[1], ["a", "b"]), truth


def test_independent_labelers_are_worth_their_number_and_copies_nothing():
    rng = np.random.default_rng(0)
    hits = (rng.random((20_000, 4)) < 0.7).astype(float)
    assert effective_number(hits) == pytest.approx(4, abs=0.15)
    assert effective_number(np.repeat(hits[:, :1], 5, axis=1)) == pytest.approx(1, abs=1e-6)


def test_worth_by_hand():
    """Three labelers, two of them copies: correlations 1, 0, 0, on average 1/3: 3 / (1 + 2/3) = 1.8."""
    hits = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]], float)
    assert effective_number(hits) == pytest.approx(1.8)


def test_hits_by_hand():
    votes = Votes([[1, 0], [2, 1]], [["a", {"b", "c"}], ["c"]], ["a", "b", "c"])
    hits = hits_of(votes, np.array([1, 2]))
    assert hits[0, 0] == 0
    assert np.isnan(hits[0, 1])
    assert hits[1].tolist() == [1, 1]


def test_labelers_that_say_nothing_are_worth_nothing():
    votes = Votes(np.zeros((40, 2), int), [[], []], ["a", "b"])
    steps = next_steps(votes, np.full((40, 2), 0.5), dict.fromkeys(range(40), "a"))
    assert np.isnan(hits_of(votes, np.zeros(40, int))).all()
    assert (steps.labelers, steps.judged) == (2, True)


def test_gold_rows_tell_a_good_panel_from_one_that_needs_labelers():
    """Three labelers of 70 %: one more would bring some points. Nine: little. 400 gold rows tell."""
    gains = []
    for n in (3, 15):
        votes, truth = panel(3_000, [0.7] * n, n)
        beliefs = LabelModel().fit(votes).predict_proba(votes)
        made = next_steps(votes, beliefs, {a: votes.space[truth[a]] for a in range(400)})
        gains.append(next(step for step in made.steps if "labeler" in step.name))
        assert made.labelers == n
        assert n * 0.6 < made.worth <= n
    assert gains[0].gain > gains[1].gain + 0.005
    assert all(0 < step.error < 0.015 for step in gains)


def test_models_and_rules_are_judged_apart():
    """Rules that vote on a tenth of the rows bring less than models that vote on all of them."""
    votes, truth = panel(3_000, [0.75] * 7, 3)
    codes = np.array(votes.codes)
    codes[:, :4][np.random.default_rng(0).random((3_000, 4)) < 0.9] = 0
    mixed = Votes(codes, votes.codomains, votes.space, votes.names)
    beliefs = LabelModel().fit(mixed).predict_proba(mixed)
    steps = next_steps(mixed, beliefs, {a: votes.space[truth[a]] for a in range(400)}).steps
    gains = {step.name: step.gain for step in steps if "more" in step.name}
    assert set(gains) == {"one more rule of the average kind", "one more model like these"}
    assert gains["one more model like these"] > gains["one more rule of the average kind"] + 0.01


def test_steps_are_ordered_and_say_what_they_are():
    votes, _truth = panel(500, [0.8] * 4, 0, copies=2)
    beliefs = LabelModel().fit(votes).predict_proba(votes)
    made = next_steps(votes, beliefs)
    assert [step.gain for step in made.steps] == sorted((step.gain for step in made.steps), reverse=True)
    assert "6 labelers are worth at most" in str(made)
    assert made.worth < 5.5
    assert set(made.by_class) == {"a", "b"}
    with pytest.raises(BadRows, match="votes about 500"):
        next_steps(votes, beliefs[:10])


def test_a_gain_of_nothing_has_no_minus():
    assert str(Gain("one more", -0.001, 0.01, 100)) == "one more: +0 rows right (± 1)"
    assert str(Gain("one more", -0.02, 0.01, 100)) == "one more: -2 rows right (± 1)"
