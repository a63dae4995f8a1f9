import warnings
from dataclasses import replace

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled import temperature as module
from shortlist.labelmodel.estimators.pooled.temperature import (
    TEMPERATURES,
    HeldOut,
    design_effect,
    held_out_temperature,
    predicted,
)
from tests.labelmodel.estimators.pooled.parts import parts


def test_held_out_labelers_by_hand():
    """Two labelers that name one of two classes: from the vote of one follows what the other will say."""
    _, rows, table = parts(Votes([[1, 1], [1, 2], [2, 1], [2, 2]], [["x", "y"]] * 2, ["x", "y"]))
    same = [0.8**g / (0.8**g + 0.2**g) for g in TEMPERATURES]  # P(class of the other's vote), tempered
    says = [np.log([p * 0.8 + (1 - p) * 0.2, p * 0.2 + (1 - p) * 0.8]) for p in same]
    counted = [(agree + differ) / 2 for agree, differ in says]
    held = HeldOut(rows, table)
    assert [held.score(g) for g in TEMPERATURES] == pytest.approx(counted, abs=1e-9)
    assert held_out_temperature(rows, table) == TEMPERATURES[np.argmax(counted)]


def test_held_out_votes_of_one_labeler_by_hand():
    """A rule for x votes on two of four rows, a person on all. Of a rule that abstains, 1 − β_j remains."""
    _, rows, table = parts(Votes([[1, 1], [1, 2], [0, 1], [0, 2]], [["x"], ["x", "y"]], ["x", "y"]))
    rule, silent, person = np.exp(table.votes[0]), np.array([0.4, 0.7]), np.array([[0.8, 0.2], [0.2, 0.8]])
    believed = rule / rule.sum()  # where the rule votes: rows where it does not have one vote, and tell nothing
    found = predicted(rows, table, np.array([False, True]))
    assert found == pytest.approx(np.log(believed @ person.T).mean())
    listening = replace(table, abstain=np.log([silent, [1, 1]]))
    assert predicted(rows, listening, np.array([False, True])) == pytest.approx(found)  # nobody abstains there


def test_rows_with_one_vote_tell_nothing():
    _, rows, table = parts(Votes([[1, 0], [0, 2], [2, 0]], [["x", "y"]] * 2, ["x", "y"]))
    assert held_out_temperature(rows, table) == 1


@pytest.mark.parametrize("best", [0, 1, 3, 4, 7, 10, 15, 18, 19])
@pytest.mark.parametrize("at_one", [-30.0, 0.0, 30.0])
def test_the_best_of_all_is_found_wherever_it_is(best, at_one, monkeypatch):
    """Scores that rise to the best one and fall again; g = 1 may have one of its own, higher or lower."""
    scores = -np.abs(np.arange(len(TEMPERATURES)) - best).astype(float)
    scores[0] += at_one
    _, rows, table = parts(Votes([[1, 1]], [["x", "y"]] * 2, ["x", "y"]))
    monkeypatch.setattr(HeldOut, "score", lambda held, g: scores[int(np.argmin(np.abs(TEMPERATURES - g)))])
    assert held_out_temperature(rows, table) == TEMPERATURES[np.argmax(scores)]


def effect(votes: Votes) -> float:
    says, rows, table = parts(votes)
    return design_effect(rows, table, says.telling)


def two_sided(answers: np.ndarray) -> Votes:
    return Votes(answers, [["x", "y"]] * answers.shape[1], ["x", "y"])


def test_the_design_effect_by_hand():
    """Three labelers, each worth log 4 for its class. Believed is what two of them say.

    On the rows of a class each labeler says so on 3 of 4, so e_i is 1 or −1 times log(4)/2, with variance 3/4 of that
    squared. Rows are all right (Σ e_i = 3) or one is wrong (1): a mean of 3/2 and a variance of 3/4, of 9/4 if apart.
    """
    rows = [[1, 1, 1], [1, 1, 2], [1, 2, 1], [2, 1, 1]]
    assert effect(two_sided(np.array([*rows, *(3 - np.array(rows))]))) == pytest.approx((3 / 4) / (9 / 4))


def test_camps_of_labelers_have_a_design_effect():
    """Two camps of three labelers that nearly always say the same, and one that knows the class better."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 4000)
    right = rng.random((4000, 3)) < [0.7, 0.7, 0.95]
    one, other, better = (1 + np.where(right, truth[:, None], 1 - truth[:, None])).T
    assert effect(two_sided(np.column_stack([*[one] * 3, *[other] * 3, better]))) > 1.5
    assert effect(two_sided(np.column_stack([one, other, better]))) <= 1


def test_labelers_that_never_differ_show_no_design_effect():
    """What nearly all say is taken for the class: on its rows nothing varies. Nobody can tell that from votes."""
    said = np.array([[1] * 4, [2] * 4] * 20)
    assert effect(two_sided(said)) == 1


def rules_of_words(words: int, rules: int) -> Votes:
    """So many words of each of two classes, with so many rules each, that miss a word one time in ten."""
    rng = np.random.default_rng(1)
    truth, about = rng.integers(0, 2, 5000), np.repeat([0, 1], words)
    found = np.repeat(rng.random((5000, 2 * words)) < np.where(truth[:, None] == about, 0.3, 0.05), rules, axis=1)
    says = [["xy"[j]] for j in np.repeat(about, rules)]
    return Votes((found & (rng.random(found.shape) < 0.9)).astype(int), says, ["x", "y"])


def test_rules_that_vote_together_have_a_design_effect():
    assert effect(rules_of_words(words=18, rules=1)) < 1
    assert effect(rules_of_words(words=6, rules=3)) > 1.5


def test_rules_that_vote_together_do_not_make_beliefs_overconfident():
    """They have one answer each, so held-out labelers have nothing to say about them."""
    votes = rules_of_words(words=6, rules=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LabelModel().fit(votes)
    assert module.held_out_temperature(*parts(votes)[1:]) == 1
    assert model.estimate_.temperature < 0.75


def test_the_lower_temperature_counts(monkeypatch):
    says, rows, table = parts(two_sided(np.array([[1, 1], [1, 2], [2, 1], [2, 2]])))
    for held, effect_, g in ((0.5, 1.0, 0.5), (1.0, 4.0, 0.25), (0.5, 4.0, 0.25), (0.9, 0.5, 0.9)):
        monkeypatch.setattr(module, "held_out_temperature", lambda *_, held=held: held)
        monkeypatch.setattr(module, "design_effect", lambda *_, effect_=effect_: effect_)
        assert module.temperature(rows, table, says.telling) == g


def test_no_rows_have_no_design_effect():
    says, rows, table = parts(Votes([[0, 0]], [["x", "y"]] * 2, ["x", "y"]))
    assert design_effect(rows, table, says.telling) == 1
