"""The table of rows."""

import math

import numpy as np
import pytest
from hypothesis import given

from shortlist import Analysis, Votes
from tests.analysis.worked import BELIEFS, GOLD, newspaper, oracle, shortlists_of
from tests.votes.drawing import votes as any_votes


def test_the_newspaper():
    table = Analysis(newspaper(ids=list("uvwxyz")), oracle(), gold=GOLD).rows()
    assert table.columns == ["row", "id", "class", "belief", "margin", "entropy", "votes", "conflict", "gold"]
    assert table["id"].to_list() == list("uvwxyz")
    assert table["class"].to_list() == ["sports", "sports", "business", "world", "business", "world"]
    assert table["belief"].to_list() == [1, 0.6, 0.5, 0.8, 0.8, 0.5]
    assert table["margin"].to_list() == pytest.approx([1, 0.2, 0, 0.6, 0.6, 0.25])
    assert table["entropy"][2] == pytest.approx(math.log(2))
    assert table["entropy"][0] == 0
    assert table["votes"].to_list() == [2, 2, 3, 1, 1, 0]
    assert table["conflict"].to_list() == [[], ["goal", "abroad"], ["goal", "abroad", "money"], [], [], []]
    assert table["gold"].to_list() == GOLD


def test_unknown_gold_is_null():
    table = Analysis(newspaper(), gold={0: "sports"}).rows()
    assert table["gold"].to_list() == ["sports", None, None, None, None, None]


@given(any_votes(max_rows=20, with_ids=False))
def test_the_conflicts_of_each_row(votes):
    if not len(votes) or not votes.names:
        return
    expected = [
        [votes.names[i] for i, s in enumerate(row) if s and any(t and not s & t for t in row)]
        for row in shortlists_of(votes)
    ]
    assert Analysis(votes).rows()["conflict"].to_list() == expected


def test_rows_that_repeat_are_all_there():
    """Beliefs are worked out once for rows with the same votes, and handed to each of them."""
    votes = newspaper()
    order = [5, 0, 0, 2, 1, 2, 4, 3, 5]
    table = Analysis(votes[order], oracle()).rows()
    assert table["belief"].to_list() == [max(BELIEFS[a]) for a in order]
    assert table["conflict"].to_list() == [Analysis(votes).rows()["conflict"].to_list()[a] for a in order]


def test_many_different_rows_are_not_searched_for_patterns():
    rng = np.random.default_rng(0)
    votes = Votes(rng.integers(0, 4, (30_000, 12)), [["a", "b", "c"]] * 12, ["a", "b", "c"])
    from tests.analysis.worked import quietly_fitted

    model = quietly_fitted(votes[:500])
    analysis = Analysis(votes, model)
    assert analysis.distinct.patterns is None
    assert analysis.beliefs == pytest.approx(model.predict_proba(votes))
