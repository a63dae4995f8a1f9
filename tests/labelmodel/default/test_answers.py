"""What labelers say, and what that alone tells about them."""

import numpy as np
import pytest

from shortlist import LabelModel, MajorityVote, Votes
from shortlist.labelmodel.default.answers import SLIGHT, Answers
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Panel
from shortlist.labelmodel.m_step import vote_counts
from shortlist.votes import Codomain

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def answers(votes):
    evidence, panel = Evidence.gather(votes), Panel.of(votes)
    counts = vote_counts(evidence.votes.codes.T, evidence.weights, panel.layout)
    return Answers.of(panel, counts, evidence.total)


def test_who_names_what_by_hand():
    """A rule for x; one that says x or {x, y}; a person; and one that votes on every row, always with x."""
    codes = [[1, 1, 1, 1], [0, 2, 2, 1], [1, 0, 3, 1], [0, 0, 2, 1]] * 25
    says = [["x"], ["x", {"x", "y"}], ["x", "y", "z"], ["x"]]
    here = answers(Votes(codes, says, ["x", "y", "z"]))
    assert here.named.tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 0]]
    assert here.always.tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert here.rules.tolist() == [True, True, False, False]  # who votes everywhere tells nothing by voting
    assert here.weighs.tolist() == here.singles.tolist() == [False, False, True, False]
    assert here.propensity.tolist() == [0.5, 0.5, 1, 1]
    # a rule knows 60 % of its votes: ρ = 1 + .6 / (.4 · share of the classes that it names)
    assert here.lift(0.8) == pytest.approx(np.array([[5.5, 1, 1], [3.25, 3.25, 1], [1, 1, 1], [1, 1, 1]]))


def test_class_propensities_have_the_observed_mean():
    here = answers(Votes([[1, 1], [0, 2], [1, 1], [0, 2]] * 10, [["x"], ["x", "y"]], ["x", "y", "z"]))
    balance, lift = np.array([0.5, 0.3, 0.2]), np.array([[3.0, 1, 2], [1, 1, 1]])
    found = here.class_propensity(lift, balance)
    assert found @ balance == pytest.approx(here.propensity)
    assert found[0] / found[0, 1] == pytest.approx([3, 1, 2])
    assert found[1].tolist() == [1, 1, 1]
    assert here.class_propensity(np.array([[9.0, 0.1, 0.1], [1, 1, 1]]), balance)[0, 0] == 1 - SLIGHT


def test_a_person_who_shortlists_may_say_any_set():
    space = Votes([[1]], [["x"]], ["x", "y", "z"]).space
    person = Codomain.declare([{"x", "y"}, "y"], space, inferred=True, open=True)
    others = [["x", "y", "z"]] * 2
    codes = [[1, 1, 1], [1, 2, 2], [2, 3, 3], [2, 2, 2]] * 25
    assert answers(Votes(codes, [person, *others], space)).named[0].all()  # in a crowd, somebody with several answers
    alone = Codomain.declare(["x", "y"], space)
    assert not answers(Votes(np.array(codes)[:, :1], [alone], space)).named[0].all()  # z was never named


@quiet
def test_a_worker_who_answered_three_times_is_no_authority():
    """Four good workers, and one who said x three times: a fourth x of that one does not overrule the others."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    good = 1 + np.where(rng.random((400, 4)) < 0.85, truth[:, None], 1 - truth[:, None])
    few = np.zeros((400, 1), int)
    few[:3] = 1
    space = Votes(good, [["x", "y"]] * 4, ["x", "y"]).space
    told = [Codomain.declare(["x", "y"], space)] * 4
    votes = Votes(np.hstack([good, few]), [*told, Codomain.declare(["x"], space, inferred=True)], space)
    model = LabelModel().fit(votes)
    against = Votes([[2, 2, 0, 0, 1]], votes.codomains, space, votes.names)
    assert model.predict(against).tolist() == ["y"]


# -- what is plausible after nearly all rows were answered ------------------------------------------------------


def test_plausible_accuracies_by_hand():
    """It says x on 6 of 100 rows and y or z on the others; so do two more, about y and z."""
    codes = np.full((100, 3), 2)
    codes[np.arange(18), np.repeat(range(3), 6)] = 1
    votes = Votes(codes, [["x", {"y", "z"}], ["y", {"x", "z"}], ["z", {"x", "y"}]], ["x", "y", "z"])
    least, most = answers(votes).plausible
    # a third of the rows are of x, or two thirds of that: of these it finds at most .06 / (2/9)
    assert most[0] == pytest.approx([4.5 * 0.06, 0.999, 0.999])
    assert least[0] == pytest.approx([0.06, 0.94, 0.94])  # as by chance


def test_who_abstains_on_some_rows_may_have_any_accuracy_above_chance():
    least, most = answers(Votes(np.repeat([1, 2, 0], [8, 72, 20])[:, None], [["x", {"y", "z"}]], list("xyz"))).plausible
    assert least[0] == pytest.approx([0.1, 0.9, 0.9])
    assert (most == 0.999).all()


@quiet
@pytest.mark.parametrize("rules", [(4, 4, 4), (8, 4, 4), (2, 2, 2)])
def test_a_rule_that_names_its_class_seldom_does_not_rule_it_out(rules):
    """Rules find 8 % of the rows of a class and 1 % of the others, and say "not this class" on all other rows."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth, classes, about = rng.integers(0, 3, 1500), ["a", "b", "c"], np.repeat(range(3), rules)
        matches = np.column_stack([rng.random(1500) < np.where(truth == j, 0.08, 0.01) for j in about])
        says = [[classes[j], {*classes} - {classes[j]}] for j in about]
        votes = Votes(np.where(matches, 1, 2), says, classes)
        right, counted = (
            (model.fit(votes).predict_proba(votes).argmax(axis=1) == truth)[matches.any(axis=1)].mean()
            for model in (LabelModel(), MajorityVote())
        )
        assert right > counted - 0.02
