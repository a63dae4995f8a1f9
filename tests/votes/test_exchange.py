"""The doors of Votes from and to Snorkel."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist.errors import BadVotes
from shortlist.labelspace import LabelSpace, Not
from shortlist.votes import Votes
from tests.votes.drawing import label_matrices, spaces

ABC = LabelSpace(["a", "b", "c"])
SPAM = LabelSpace(["HAM", "SPAM"])


# -- Snorkel ------------------------------------------------------------------------------------------------


def test_snorkel_by_hand():
    L = np.array([[-1, 1, 0], [1, -1, 0], [1, 0, -1]])
    votes = Votes.from_snorkel(L, ["HAM", "SPAM"], ["link", "short", "plz"], ids=[7, 8, 9])
    assert votes.said(1) == {"link": ("SPAM",), "plz": ("HAM",)}
    assert votes.codomains[0].show(SPAM) == "SPAM | dummy HAM (inferred)"
    assert votes.codomains[1].show(SPAM) == "HAM | SPAM (inferred)"
    assert votes.ids.tolist() == [7, 8, 9]
    everything = Votes.from_snorkel(L, SPAM, says="all")
    assert everything.codomains[0].show(SPAM) == "HAM | SPAM"
    assert everything.codes.tolist() == (L + 1).tolist()
    assert L.tolist() == [[-1, 1, 0], [1, -1, 0], [1, 0, -1]]


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_the_columns_of_a_table_are_the_names_of_labelers(table):
    votes = Votes.from_snorkel(table({"link": [1, -1], "short": [0, 1]}), SPAM)
    assert votes.said(0) == {"link": ("SPAM",), "short": ("HAM",)}
    assert Votes.from_snorkel(table({"link": [1]}), SPAM, ["other"]).names == ("other",)
    assert Votes.from_snorkel(pd.DataFrame([[1, 0]]), SPAM).names == Votes.from_snorkel([[1, 0]], SPAM).names


def test_snorkel_matrices_of_different_rows_can_be_put_together():
    """A rule that is seen to say one class in train and another in test is one labeler that says both."""
    train, test = (Votes.from_snorkel([[j]], ABC) for j in (2, 0))
    assert Votes.concat([train, test]).to_snorkel().tolist() == [[2], [0]]


def test_a_labeling_function_that_never_votes():
    votes = Votes.from_snorkel([[-1], [-1]], ABC)
    assert votes.coverage.tolist() == [0.0]
    assert votes.to_snorkel().tolist() == [[-1], [-1]]


@pytest.mark.parametrize(
    ("L", "facts"),
    [
        ([[0, 1], [0, 3]], ["−1 (abstain) to 2", "row 1 has 3 in column 1"]),
        ([[-2]], ["row 0 has -2 in column 0"]),
        ([[0.0]], ["float64"]),
        ([[np.nan]], ["float64", "−1 for what is missing"]),
        ([[0, 1], [0]], ["rows of different lengths"]),
        ([0, 1], ["shape (2,)"]),
        ([["a"]], ["<U1"]),
    ],
)
def test_bad_label_matrices(L, facts):
    with pytest.raises(BadVotes) as caught:
        Votes.from_snorkel(L, ABC)
    assert all(fact in str(caught.value) for fact in facts), caught.value


def test_longer_shortlists_cannot_be_said_in_single_classes():
    votes = Votes([[1, 1]], [["a"], [Not("a")]], ABC, ["one", "two"])
    with pytest.raises(BadVotes, match=r"'two' says \{b, c\}.*only_single"):
        votes.to_snorkel()
    assert votes.only_single().to_snorkel().tolist() == [[0]]
    never = Votes([[1, 0]], [["a"], [Not("a")]], ABC)
    assert never.to_snorkel().tolist() == [[0, -1]]  # what was never voted hinders nobody


@given(st.data())
def test_snorkel_and_back(data):
    space = data.draw(spaces)
    L = data.draw(label_matrices(space))
    says = data.draw(st.sampled_from(["seen", "all"]))
    votes = Votes.from_snorkel(L, space, says=says)
    np.testing.assert_array_equal(votes.to_snorkel(), L)
    assert Votes.from_snorkel(votes.to_snorkel(), space, says=says) == votes
    for a, row in enumerate(L):
        assert votes.said(a) == {f"labeler_{i + 1}": (space[j],) for i, j in enumerate(row) if j >= 0}


def test_an_option_that_does_not_exist():
    with pytest.raises(BadVotes, match="'sene'"):
        Votes.from_snorkel([[0]], ["a", "b"], says="sene")
