"""What a labeler may say: what it declared; where that is inferred, few votes are little evidence."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
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
