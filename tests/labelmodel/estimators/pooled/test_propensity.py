"""How often labelers vote on rows of each class, as the others judge."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.propensity import Judgement, class_propensities
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def test_a_labeler_is_judged_by_the_others_by_hand():
    """One labeler says x or y; the rule of the second, {x, y}, goes with x more often than with y."""
    codes = [[1, 1]] * 60 + [[2, 1]] * 20 + [[1, 0]] * 40 + [[2, 0]] * 80
    votes = Votes(codes, [["x", "y"], [{"x", "y"}]], ["x", "y", "z"])
    layout = Layout.of(votes.codomains, votes.space)
    naming = [[0.98, 0.01, 0.01], [0.01, 0.98, 0.01], [0.01, 0.01, 0.98]]  # the third is a dummy
    table = Emission(np.log([*naming, *[[1 / 3] * 3] * 2]), np.zeros((2, 3)), np.log(np.full(3, 1 / 3)), np.ones(2))
    second, alike = np.array([False, True]), np.eye(2, dtype=bool)
    judged = Judgement.of(Evidence.gather(votes), table, layout, second, np.full((2, 3), 0.4), alike)
    rows = 100 * np.array([0.98 + 0.01, 0.01 + 0.98, 0.02])
    voted = np.array([60 * 0.98 + 20 * 0.01, 60 * 0.01 + 20 * 0.98, 80 * 0.01])  # alike on all classes by now
    assert judged.rows[0].tolist() == [0, 0, 0]
    assert judged.rows[1] == pytest.approx(rows)
    assert judged.voted[1] == pytest.approx(voted)
    named = np.array([[True, True, False], [True, True, False]])
    lift = judged.lift(named, 4.0, 1e-9, 1e-9)  # no prior to speak of: rates are what was seen
    assert lift[1] / lift[1, 0] == pytest.approx((voted / rows) / (voted / rows)[0])
    stiff = judged.lift(named, 4.0, 1e12, 1e12)
    assert stiff[1] / stiff[1, 2] == pytest.approx([4, 4, 1])
    assert lift[0].tolist() == [4, 4, 1]  # nobody judged the first
    # Once it is known to vote on x only, all 80 rows that it votes on were of class x
    only_x = Judgement.of(Evidence.gather(votes), table, layout, second, np.array([[0.4] * 3, [0.4, 0, 0]]), alike)
    assert only_x.voted[1] == pytest.approx([80, 0, 0])
    # As a copy of the first it has nobody to judge it
    copies = Judgement.of(Evidence.gather(votes), table, layout, second, np.full((2, 3), 0.4), np.ones((2, 2), bool))
    assert not copies.rows[1].any()
    assert not copies.voted[1].any()


@quiet
def test_others_find_how_much_more_often_a_rule_votes_on_a_class_though_they_are_unsure():
    """EM takes the others' doubt into account: a third as often is found although their beliefs are soft."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    soft = 1 + np.where(rng.random(100_000) < 0.7, truth, 1 - truth)  # right 7 times of 10
    rule = rng.random(100_000) < np.array([0.3, 0.1])[truth]
    votes = Votes(np.column_stack([soft, rule]), [["a", "b"], ["a"]], ["a", "b"])
    layout = Layout.of(votes.codomains, votes.space)
    table = Emission(
        np.log([[0.7, 0.3], [0.3, 0.7], [0.2, 0.2], [0.2, 0.2]]), np.zeros((2, 2)), np.log([0.5, 0.5]), np.ones(2)
    )
    propensity, named = np.full((2, 2), 0.2), np.array([[True, True], [True, False]])
    for _ in range(200):
        said = Judgement.of(
            Evidence.gather(votes), table, layout, np.array([False, True]), propensity, np.eye(2, dtype=bool)
        )
        propensity = class_propensities(
            np.array([1.0, rule.mean()]), said.lift(named, 1.0, 1e-9, 1e-9), named, np.full(2, 0.5)
        )
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
    named = np.array([[True, False, False], [True, True, True], [False, True, True], [True, False, False]])
    balance = np.array([0.5, 0.3, 0.2])
    rate = np.array([0.2, 0.4, 0.1, 1.0])
    beta = class_propensities(rate, np.where(named, 4.0, 1.0), named, balance)
    assert beta @ balance == pytest.approx(rate)
    assert beta[0, 0] / beta[0, 1] == pytest.approx(4)
    assert (beta[1] == 0.4).all()
    assert (beta[3] == 1).all()
    assert (class_propensities(np.array([0.9]), np.where(named[:1], 4.0, 1.0), named[:1], balance) < 1).all()
