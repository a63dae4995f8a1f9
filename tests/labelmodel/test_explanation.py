import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shortlist import LabelModel, Votes, simulate
from shortlist.errors import UnknownClass
from shortlist.labelmodel import Parameters
from tests.labelmodel.reference import likelihood, some_votes

VOTES = Votes(
    [[1, 1, 0], [2, 2, 1], [1, 2, 2], [2, 1, 1], [0, 0, 2]] * 20,
    [["sports", {"business", "world"}], [{"sports", "world"}, "business"], ["business", {"sports", "world"}]],
    ["business", "sports", "world"],
    ["goal", "abroad", "money"],
)


@settings(max_examples=40, deadline=None)
@given(some_votes(), st.sampled_from(["labeler", "class"]), st.data())
@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_moves_add_up_to_the_log_odds(votes, propensity, data):
    model = likelihood(propensity=propensity, balance="learn", max_iter=20).fit(votes)
    a = data.draw(st.integers(0, len(votes) - 1))
    of, against = data.draw(st.permutations(list(votes.space)))[:2]
    beliefs = model.predict_proba(votes)[a]
    odds = np.log(beliefs[votes.space.position(of)]) - np.log(beliefs[votes.space.position(against)])
    why = model.explain(votes, a, of=of, against=against)
    assert why.log_odds == pytest.approx(odds, abs=1e-6)
    assert why.log_odds == why.balance + sum(why.moves.values())
    assert list(why.moves) == list(votes.names)


def test_by_itself_it_sets_the_first_against_the_second():
    model = LabelModel().fit(VOTES)
    why = model.explain(VOTES, 0)
    order = model.classes_[np.argsort(-model.predict_proba(VOTES[:1])[0])]
    assert (why.of, why.against) == (order[0], order[1])
    shrinkage = "toward counting (low trust in the fit)"
    assert why.said == {"goal": "sports", "abroad": "{sports, world}", "shrinkage": shrinkage}
    assert f"shrinkage: {shrinkage}" in str(why)
    plain = LabelModel(estimator="likelihood").fit(VOTES).explain(VOTES, 0)
    assert plain.said == {"goal": "sports", "abroad": "{sports, world}"}
    assert why.moves["money"] == pytest.approx(0)  # it abstained, and says nothing by that
    assert str(why).splitlines()[0].startswith(f"{why.of} against {why.against}")
    assert "goal: sports" in str(why)
    assert "money" not in str(why)
    with pytest.raises(UnknownClass, match="sport"):
        model.explain(VOTES, 0, of="sport")


def test_where_abstaining_tells_something_it_is_told():
    truth = Parameters(np.full((3, 2), 0.9), np.array([[0.9, 0.2], [0.8, 0.3], [0.5, 0.5]]), np.full(2, 0.5))
    votes = simulate(truth, [["x", "y"]] * 3, 5000, space=["x", "y"], seed=0).votes
    model = likelihood(propensity="class").fit(votes)
    silent = Votes([[0, 0, 0]], votes.codomains, votes.space, votes.names)
    why = model.explain(silent, 0)
    assert why.of == "y"  # x would have made the first two vote
    assert why.moves["labeler_1"] > 1
    assert "labeler_1: abstained" in str(why)
