"""Pairs of labelers: by hand, row by row, and copies that give themselves away."""

import numpy as np
import pytest
from hypothesis import given

from shortlist import Analysis, Votes, simulate
from shortlist.labelmodel import Parameters
from tests.analysis.worked import brute_pairs, newspaper, quietly_fitted
from tests.votes.drawing import votes as any_votes


def test_the_newspaper():
    table = Analysis(newspaper()).pairs()
    assert table.rows() == [
        ("goal", "abroad", 3 / 6, 1 / 6, 0.0),
        ("goal", "money", 1 / 6, 1 / 6, 0.0),
        ("abroad", "money", 1 / 6, 1 / 6, 0.0),
    ]


@given(any_votes(max_rows=20))
def test_as_if_row_by_row(votes):
    if not len(votes) or not votes.names:
        return
    table, m = Analysis(votes).pairs(), len(votes)
    for line, (both, disjoint, same) in zip(table.iter_rows(named=True), brute_pairs(votes).values(), strict=True):
        assert (line["overlap"], line["conflict"], line["same"]) == (both / m, disjoint / m, same / m)


@pytest.fixture(scope="module")
def with_copy():
    """Five independent labelers, and a sixth that repeats the first with other words, one row in ten apart."""
    says = [["a", "b", "c"], ["a", {"b", "c"}], [{"a", "b"}, "c"], ["b", {"a", "c"}], ["a", "b", "c"]]
    truth = Parameters(np.full((5, 3), 0.75), np.full(5, 0.8), np.full(3, 1 / 3))
    votes = simulate(truth, says, 6000, space=["a", "b", "c"], seed=1).votes
    rng = np.random.default_rng(2)
    first = votes.codes[:, 0]
    copy = np.where(rng.random(len(votes)) < 0.9, np.array([0, 2, 3, 1])[first], rng.integers(0, 4, len(votes)))
    return Votes.beside([votes, Votes(copy[:, None], [["c", "a", "b"]], ["a", "b", "c"], ["copy"])])


def test_a_near_copy_stands_out(with_copy):
    table = Analysis(with_copy, quietly_fitted(with_copy)).pairs().sort("correlation", descending=True)
    assert set(table.row(0)[:2]) == {"labeler_1", "copy"}
    assert table["correlation"][0] > 0.6
    others = table.filter((table["labeler"] != "copy") & (table["other"] != "copy"))
    assert others["correlation"].max() < 0.25


def test_independent_labelers_are_uncorrelated_given_the_class(with_copy):
    votes = with_copy[:, :5]
    assert Analysis(votes, quietly_fitted(votes)).pairs()["correlation"].max() < 0.1


def test_an_exact_copy_has_correlation_one():
    rng = np.random.default_rng(0)
    column = rng.integers(0, 3, 400)
    other, third = rng.integers(0, 3, 400), rng.integers(0, 3, 400)
    votes = Votes(np.column_stack([column, column, other, third]), [["a", "b"]] * 4, ["a", "b"])
    table = Analysis(votes, quietly_fitted(votes)).pairs()
    assert table["correlation"][0] == pytest.approx(1.0, abs=1e-6)


def test_labelers_that_never_vote_have_no_correlation():
    votes = Votes([[1, 0], [2, 0], [1, 0], [2, 0]] * 10, [["a", "b"], ["a", "b"]], ["a", "b"])
    assert Analysis(votes, quietly_fitted(votes)).pairs()["correlation"].to_list() == [None]


def test_labeler_order_does_not_matter(with_copy):
    model = quietly_fitted(with_copy)
    one = Analysis(with_copy, model).pairs()
    other = Analysis(with_copy[:, ::-1], model).pairs()
    key = {frozenset((line["labeler"], line["other"])): line["correlation"] for line in one.iter_rows(named=True)}
    for line in other.iter_rows(named=True):
        assert line["correlation"] == pytest.approx(key[frozenset((line["labeler"], line["other"]))], abs=1e-5)
