"""How often labelers vote on rows of each class, as the others judge."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.judged import Judge, Judged
from shortlist.labelmodel.estimators.pooled.propensity import class_propensities, lifts, prior_lifts, ratios
from shortlist.labelmodel.likelihood import Emission
from tests.labelmodel.estimators.pooled.parts import parts

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def naming_and_rule():
    """One labeler says x or y; the rule of the second, {x, y}, goes with x more often than with y."""
    codes = [[1, 1]] * 60 + [[2, 1]] * 20 + [[1, 0]] * 40 + [[2, 0]] * 80
    return parts(Votes(codes, [["x", "y", "z"], [{"x", "y"}]], ["x", "y", "z"]))


def test_lifts_by_hand():
    says, _, _ = naming_and_rule()
    rows, told = np.array([[1.0] * 3, [100.0, 100, 2]]), np.array([[0.0] * 3, [60.0, 20, 0.8]])
    judged = Judged(np.zeros((5, 3)), told, rows, np.zeros(3))
    free = lifts(judged, says, 0.8, 1e-9)  # no prior to speak of: rates are what was seen
    assert free[1] / free[1, 0] == pytest.approx((told / rows)[1] / (told / rows)[1, 0])
    stiff = lifts(judged, says, 0.8, 1e12)
    assert stiff[1] / stiff[1, 2] == pytest.approx([3.25, 3.25, 1])  # 1 + 1.5 ÷ (two of three classes)
    assert lifts(judged, says, 0.8, 1.0)[0].tolist() == [1, 1, 1]  # it names every class, and tells nothing by voting


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("accuracy", [0.6, 0.8])
def test_a_rule_is_right_more_often_than_by_chance_by_as_much_for_any_number_of_classes(k, accuracy):
    """Knowing 2 a0 − 1 of its rows, and guessing the others: among k equal classes, that is right so often."""
    classes = [f"c{j}" for j in range(k)]
    says, _, _ = parts(Votes([[1, 1], [0, 1]], [["c0"], classes], classes))
    ratio = ratios(says, accuracy)[0, 0]
    knows = 2 * accuracy - 1
    assert ratio / (ratio + k - 1) == pytest.approx(knows + (1 - knows) / k)
    assert ratios(says, 0.4)[0, 0] == 1  # worse than guessing: voting tells nothing


@quiet
def test_others_find_how_much_more_often_a_rule_votes_on_a_class_though_they_are_unsure():
    """EM takes the others' doubt into account: a third as often is found although their beliefs are soft."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    soft = 1 + np.where(rng.random(100_000) < 0.7, truth, 1 - truth)  # right 7 times of 10
    rule = rng.random(100_000) < np.array([0.3, 0.1])[truth]
    says, rows, _ = parts(Votes(np.column_stack([soft, rule]), [["a", "b"], ["a"]], ["a", "b"]))
    votes = np.log([[0.7, 0.3], [0.3, 0.7], [0.2, 0.2], [0.2, 0.2]])
    table = Emission(votes, np.zeros((2, 2)), np.log([0.5, 0.5]), np.ones(2))
    judge, propensity = Judge.of(rows, says, 1), np.full((2, 2), 0.2)
    for _ in range(200):
        lift = lifts(judge(table, propensity), says, 0.5, 1e-9)
        propensity = class_propensities(says, lift, np.full(2, 0.5))
    assert propensity[1] == pytest.approx([0.3, 0.1], abs=0.01)


@quiet
def test_others_say_which_of_its_classes_a_rule_means():
    """A rule says {a, b} and fires on a nine times as often as on b: rows with its vote alone are taken for a."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 6000)
    naming = np.where(rng.random(6000) < 0.5, np.where(rng.random(6000) < 0.9, truth, rng.integers(0, 3, 6000)) + 1, 0)
    rule = rng.random(6000) < np.array([0.45, 0.05, 0.01])[truth]
    votes = Votes(np.column_stack([naming, rule]), [list("abc"), [{"a", "b"}]], list("abc"))
    model = LabelModel().fit(votes)
    alone = model.predict_proba(Votes([[0, 1]], votes.codomains, votes.space, votes.names))[0]
    assert alone[0] > 2 * alone[1]
    assert alone[2] < 0.2
    nobody = model.predict_proba(Votes([[0, 0]], votes.codomains, votes.space, votes.names))[0]
    assert nobody == pytest.approx(1 / 3)


def test_class_propensities_have_the_observed_mean():
    codes = [[1, 1, 1, 1]] + [[0, 1, 0, 1]] * 3 + [[0, 0, 0, 1]] * 6
    says, _, _ = parts(Votes(codes, [["x"], ["x", "y", "z"], ["y", "z"], ["x"]], ["x", "y", "z"]))
    balance = np.array([0.5, 0.3, 0.2])
    beta = class_propensities(says, prior_lifts(says, 0.8), balance)
    assert beta @ balance == pytest.approx([0.1, 0.4, 0.1, 1.0])
    assert beta[0, 0] / beta[0, 1] == pytest.approx(5.5)  # 1 + 1.5 ÷ (one of three classes)
    assert beta[1] == pytest.approx(0.4)  # it names every class
    assert (beta[3] == 1).all()  # it always votes
