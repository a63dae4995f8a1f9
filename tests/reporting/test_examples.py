"""Examples are rows of the bucket they stand for."""

import numpy as np
import pytest

from shortlist.reporting.examples import BUCKETS, EACH, conflicts, spread_out, suggested
from tests.analysis.worked import GOLD, newspaper, oracle
from tests.reporting.showing import drawn, hostile, overview_of


def test_the_newspaper():
    overview = overview_of(newspaper(), oracle(), gold=GOLD)
    first = conflicts(overview, [f"text {a}" for a in range(6)])[0]
    goal, abroad = first.sides
    assert (goal.labeler, goal.says, abroad.labeler, abroad.says, first.rows) == (
        "goal",
        "sports",
        "abroad",
        "business",
        1,
    )
    assert (goal.believed, abroad.believed, first.neither) == pytest.approx((0.6, 0.4, 0.0))
    assert (goal.gold, abroad.gold) == (1.0, 0.0)
    (example,) = first.examples
    assert (example.row, example.gold, example.specimen.text) == (1, "sports", "text 1")
    assert example.guesses == (("sports", 0.6), ("business", 0.4))


def test_without_rows_or_model():
    found = conflicts(overview_of(newspaper()), None)
    assert found[0].examples[0].specimen is None
    assert found[0].sides[0].believed is None
    assert suggested(overview_of(newspaper()), None) == []


def test_no_more_than_can_be_looked_at():
    votes = drawn(2000).votes
    found = conflicts(overview_of(votes), None)
    assert len(found) <= BUCKETS
    assert all(len(bucket.examples) <= EACH for bucket in found)
    for bucket in found:
        for example in bucket.examples:
            said = votes.said(example.row)
            for side in bucket.sides:
                assert votes.space.show(said[side.labeler]) == side.says


def test_spread_out():
    assert spread_out(np.arange(100)) == [0, 33, 66, 99]
    assert spread_out(np.array([5, 7])) == [5, 7]


def test_suggestions_carry_their_rows():
    votes, model, rows, _ = hostile()
    found = suggested(overview_of(votes, model), rows)
    assert len(found) == 12
    assert found[0].example.specimen.fields[0][1].startswith(f"row {found[0].example.row} ")
    assert found[0].gain >= found[-1].gain
