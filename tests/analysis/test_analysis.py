"""What an Analysis is made of, and what it refuses."""

import numpy as np
import pytest

from shortlist import Analysis, LabelModel, Votes
from shortlist.errors import BadFit, BadVotes, NotFitted, UnknownClass
from tests.analysis.worked import GOLD, newspaper, oracle, quietly_fitted


def test_tables_are_asked_for_in_any_order_and_change_nothing():
    votes = newspaper()
    model = quietly_fitted(votes)
    before = model.accuracy_.copy()
    one, other = Analysis(votes, model, gold=GOLD), Analysis(votes, model, gold=GOLD)
    names = ["labelers", "shortlists", "accuracies", "pairs", "classes", "rows", "buckets", "suggest"]
    first = {name: getattr(one, name)() for name in names}
    second = {name: getattr(other, name)() for name in reversed(names)}
    for name in names:
        assert first[name].equals(second[name]), name
    assert (model.accuracy_ == before).all()


def test_tables_become_pandas():
    assert Analysis(newspaper()).labelers().to_pandas()["votes"].tolist() == [3, 4, 2]


def test_it_refuses_what_it_cannot_read():
    with pytest.raises(BadVotes, match="list"):
        Analysis([[1, 0]])
    with pytest.raises(BadVotes, match="0 rows"):
        Analysis(newspaper()[:0])
    with pytest.raises(BadFit, match="str"):
        Analysis(newspaper(), "model")
    with pytest.raises(BadFit, match="6 rows"):
        Analysis(newspaper(), gold=["sports"])
    with pytest.raises(UnknownClass, match="sprots"):
        Analysis(newspaper(), gold=["sprots"] * 6)
    with pytest.raises(BadFit, match="leave gold out"):
        Analysis(newspaper(), gold=[None] * 6)


def test_a_model_that_is_not_fitted_says_so():
    with pytest.raises(NotFitted, match="fit"):
        Analysis(newspaper(), LabelModel()).labelers()


def test_a_model_of_other_labelers_says_so():
    votes = newspaper()
    with pytest.raises(BadVotes, match="money"):
        Analysis(votes[:, :2], quietly_fitted(votes)).rows()


def test_beliefs_without_a_model():
    with pytest.raises(BadFit, match="model"):
        _ = Analysis(newspaper()).beliefs


def test_one_labeler_and_one_row():
    votes = Votes([[1]], [["a", "b"]], ["a", "b"])
    model = quietly_fitted(votes)
    analysis = Analysis(votes, model)
    assert analysis.pairs().is_empty()
    assert analysis.buckets().is_empty()
    assert analysis.labelers()["overlap"].to_list() == [0]
    assert analysis.classes().height == 1
    assert analysis.rows()["conflict"].to_list() == [[]]
    assert Analysis(newspaper(), oracle()).suggest(1).height == 1


def test_rows_without_a_vote_are_neither_right_nor_wrong():
    """They have no label, but the guess from the class balance was scored."""
    votes = Votes([[1], [1], [2], [0], [0]], [["a", "b"]], ["a", "b"])
    gold = ["a", "b", "b", "a", None]
    analysis = Analysis(votes, quietly_fitted(votes), gold=gold)
    assert analysis.known_rows == 4
    assert analysis.scored.tolist() == [True, True, True, False, False]
    assert analysis.right_on_gold == analysis.counting_on_gold == pytest.approx(2 / 3)
    assert "right on 66.7% of the 3 with a vote" in repr(analysis)
    silent = Analysis(votes, quietly_fitted(votes), gold={3: "a"})
    assert np.isnan(silent.right_on_gold)
    assert "right on" not in repr(silent)
