"""What to label next: the gain by hand, and by trying every label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import Analysis
from shortlist.analysis.suggestions import expected_rise
from shortlist.errors import BadFit
from tests.analysis.worked import newspaper, oracle


def test_the_rise_by_hand():
    # b = (.5, .5), κ = 1: either label makes it (.75, .25); from .5 to .75
    assert expected_rise(np.array([[0.5, 0.5]]), 1.0) == pytest.approx([0.25])
    assert expected_rise(np.array([[1.0, 0.0]]), 1.0) == pytest.approx([0.0])
    # b = (.9, .1), κ = 1: .9 · .95 + .1 · .55 − .9
    assert expected_rise(np.array([[0.9, 0.1]]), 1.0) == pytest.approx([0.01])
    # b = (.9, .1), κ = 9: no single label changes the guess
    assert expected_rise(np.array([[0.9, 0.1]]), 9.0) == pytest.approx([0.0], abs=1e-12)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=5), st.floats(0.1, 20))
def test_the_rise_by_trying_every_label(parts, trust):
    b = np.array(parts) / sum(parts)
    after = [np.max((trust * b + np.eye(len(b))[y]) / (trust + 1)) for y in range(len(b))]
    assert expected_rise(b[None], trust)[0] == pytest.approx(b @ after - b.max(), abs=1e-12)
    assert expected_rise(b[None], trust)[0] > -1e-12


def test_the_newspaper():
    votes = newspaper()[[0, 1, 2, 2, 3, 4, 5]]
    table = Analysis(votes, oracle()).suggest()
    # row 2 and the next have the same votes and beliefs (.5, .5): 2 · .25; then (.25, .25, .5): .1875
    assert table["row"].to_list()[:2] == [2, 6]
    assert table["rows"].to_list()[:2] == [2, 1]
    assert table["gain"].to_list()[:2] == pytest.approx([0.5, 0.1875])
    assert table.row(0, named=True)["said"] == "goal: sports; abroad: {sports, world}; money: business"
    assert (table["class"][1], table["or"][1], table["or_belief"][1]) == ("world", "business", 0.25)
    assert table["gain"].is_sorted(descending=True)


def test_rows_that_are_labelled_are_not_suggested():
    votes = newspaper()[[2, 2, 5]]
    table = Analysis(votes, oracle(), gold={0: "sports"}).suggest()
    assert sorted(table["row"].to_list()) == [1, 2]
    assert table["rows"].to_list() == [1, 1]


def test_nothing_is_left_to_label():
    votes = newspaper()
    table = Analysis(votes, oracle(), gold=["world"] * 6).suggest()
    assert table.is_empty()
    assert table["class"].dtype == Analysis(votes, oracle()).suggest()["class"].dtype


def test_bad_input():
    analysis = Analysis(newspaper(), oracle())
    with pytest.raises(BadFit, match="0"):
        analysis.suggest(0)
    with pytest.raises(BadFit, match="model"):
        Analysis(newspaper()).suggest()
