"""What a labeler may say: what it declared; where that is inferred, few votes are little evidence."""

import numpy as np
import pytest

from shortlist import LabelModel, MajorityVote, Votes
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.votes import Codomain
from tests.labelmodel.estimators.pooled.parts import parts

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def test_shares_by_hand():
    """The first was heard 30 times, the second 3 times; what all say is worth five votes to each."""
    codes = [[1, 1]] * 2 + [[2, 1]] + [[1, 0]] * 18 + [[2, 0]] * 9
    says, _, _ = parts(Votes(codes, [["x", "y"]] * 2, ["x", "y"]))
    popular = 23 / 33  # 20 of the first and 3 of the second say x
    assert says.chance[0] == pytest.approx([(20 + 5 * popular) / 35, (10 + 5 * (1 - popular)) / 35])
    assert says.chance[1] == pytest.approx([(3 + 5 * popular) / 8, 5 * (1 - popular) / 8])
    assert says.named.all()
    assert says.free.all()
    assert not says.telling.any()


def test_a_rule_is_what_it_declares():
    says, _, _ = parts(Votes([[1, 1], [1, 0], [1, 2], [0, 2]], [["x"], ["x", "y", "z"]], ["x", "y", "z"]))
    assert says.named.tolist() == [[True, False, False], [True, True, True]]
    assert says.no_right.tolist() == [[False, True, True], [False] * 3]
    assert says.no_wrong.tolist() == [[True, False, False], [False] * 3]
    assert says.telling.tolist() == [True, False]
    assert says.weighing.tolist() == [False, True]


def test_a_class_that_all_answers_hold_is_not_weighed():
    """So a labeler that names every class, and z with every answer, does not tell how frequent z is."""
    codes = [[1, 1, 0], [2, 2, 1], [1, 2, 0], [2, 3, 1]]
    says, _, _ = parts(Votes(codes, [[{"x", "z"}, {"y", "z"}], ["x", "y", "z"], ["x"]], ["x", "y", "z"]))
    assert says.named.all(axis=1).tolist() == [True, True, False]
    assert says.weighing.tolist() == [False, True, False]


def heard(times):
    """A labeler of which nothing is known but that it said x so many times, among people who say x or y."""
    people = [["x", "y"]] * 2
    codes = np.ones((60, 3), int)
    codes[:, :2] = 1 + np.arange(60)[:, None] % 2
    codes[times:, 2] = 0
    space = Votes(codes[:, :2], people, ["x", "y"]).space
    told = [Codomain.declare(s, space) for s in people]
    return Votes(codes, [*told, Codomain.declare(["x"], space, inferred=True)], space)


def test_three_votes_make_no_rule():
    for times, rule in ((3, False), (30, True)):
        says, _, _ = parts(heard(times))
        assert says.named[2].tolist() == [True, not rule]
        assert says.telling[2] == rule
        assert says.free[2].any() != rule


def test_a_person_who_shortlists_may_say_any_set():
    space = Votes([[1]], [["x"]], ["x", "y", "z"]).space
    person = Codomain.declare([{"x", "y"}], space, inferred=True, open=True)
    says, _, _ = parts(Votes([[1, 1]] * 50 + [[1, 2]] * 50, [person, ["x", "z"]], space))
    assert says.named[0].all()
    assert says.chance[0, 2] == pytest.approx(5 / 105 * 50 / 200)  # as often as all say z
    assert says.free[0].all()


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
    says, _, _ = parts(votes)
    x = (6 + 5 / 3) / 105  # what all say is worth five votes: x is in a third of the answers
    assert says.chance[0] == pytest.approx([x, 1 - x, 1 - x])
    least, most = says.plausible
    # a third of the rows are of x, as the votes have it, or two thirds of that: of these it finds at most x / (2/9)
    assert most[0] == pytest.approx([4.5 * x, 0.99, 0.99])
    # on the other two thirds of the rows it says x at most x / (2/3) times; on rows of x it may always say the other
    assert least[0] == pytest.approx([0.01, 1 - 1.5 * x, 1 - 1.5 * x])


def test_who_abstains_on_some_rows_may_have_any_accuracy():
    votes = Votes(np.repeat([1, 2, 0], [6, 83, 11])[:, None], [["x", {"y", "z"}]], ["x", "y", "z"])
    least, most = parts(votes)[0].plausible
    assert (least == 0).all()
    assert (most == 1).all()


def two_answers(seed, rules, m=1500):
    """Rules that find 8 % of the rows of a class and 1 % of the others, and on all other rows say that it is not it."""
    rng = np.random.default_rng(seed)
    truth, classes = rng.integers(0, 3, m), ["a", "b", "c"]
    about = np.repeat(range(3), rules)
    found = [rng.random(m) < np.where(truth == j, 0.08, 0.01) for j in about]
    codes = np.where(np.column_stack(found), 1, 2)
    return Votes(codes, [[classes[j], {*classes} - {classes[j]}] for j in about], classes), truth


@quiet
@pytest.mark.parametrize("rules", [(4, 4, 4), (8, 4, 4), (2, 2, 2)])
def test_a_rule_that_names_its_class_seldom_does_not_rule_it_out(rules):
    """On rows that a rule had found, labels were 28 to 41 % right, where counting has 57 to 82."""
    for seed in range(3):
        votes, truth = two_answers(seed, rules)
        found = (votes.codes == 1).any(axis=1)
        right, counted = (
            (model.fit(votes).predict_proba(votes).argmax(axis=1) == truth)[found].mean()
            for model in (LabelModel(), MajorityVote())
        )
        assert right > counted - 0.02


@pytest.mark.parametrize(("balance", "accuracy"), [((0.97, 0.03), 0.9), ((0.97, 0.03), 0.97), ((0.9, 0.07, 0.03), 0.9)])
def test_labelers_that_agree_on_a_rare_class_have_not_missed_it(balance, accuracy, monkeypatch):
    """A bound that took classes for equal made five labelers of 90 % right on 92.3 % of the rows, not on 96.7."""
    rng = np.random.default_rng(0)
    k = len(balance)
    truth = rng.choice(k, 1000, p=balance)
    names = [np.where(rng.random(1000) < accuracy, truth, (truth + rng.integers(1, k, 1000)) % k) for _ in range(5)]
    votes = Votes(1 + np.column_stack(names), [["a", "b", "c"][:k]] * 5, ["a", "b", "c"][:k])
    with_bounds = LabelModel().fit(votes).predict_proba(votes)
    monkeypatch.setattr(Says, "plausible", (0.0, 1.0))
    without = LabelModel().fit(votes).predict_proba(votes)
    assert np.abs(with_bounds - without).mean() < 0.01
