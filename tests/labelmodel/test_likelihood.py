import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import LabelSpace, Votes
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import (
    Emission,
    Parameters,
    emission,
    frequency_split,
    log_joint,
    log_marginal,
    posterior,
)
from shortlist.votes import Codomain
from tests.labelmodel.reference import conditional, joint, some_parameters, some_votes


def table_of(votes, accuracy, propensity, balance, split=None):
    layout = Layout.of(votes.codomains, votes.space)
    return emission(Parameters(accuracy, propensity, balance, split), layout), layout


def test_the_known_answer_of_the_style_page():
    """Labeler 1 (.9) says sports, labeler 2 (.8) says {sports, world}, labeler 3 abstains."""
    votes = Votes(
        [[1, 1, 0]],
        [["sports", {"business", "world"}], [{"sports", "world"}, "business"], ["business", {"sports", "world"}]],
        ["business", "sports", "world"],
    )
    accuracy = np.array([[0.9] * 3, [0.8] * 3, [0.6] * 3])
    table, layout = table_of(votes, accuracy, np.full(3, 0.5), np.full(3, 1 / 3))
    beliefs = posterior(log_joint(votes.codes, table, layout))
    by_hand = np.array([0.1 * 0.2, 0.9 * 0.8, 0.1 * 0.8])
    assert beliefs[0] == pytest.approx(by_hand / by_hand.sum())
    assert beliefs[0].round(3).tolist() == [0.024, 0.878, 0.098]


@given(st.data())
def test_equation_1_for_any_shortlists(data):
    votes = data.draw(some_votes())
    parameters = data.draw(some_parameters(votes))
    table, layout = table_of(votes, *parameters)
    expected = joint(votes, *parameters)
    got = log_joint(votes.codes, table, layout)
    assert np.exp(got) == pytest.approx(expected, rel=1e-9)
    assert np.exp(log_marginal(got)) == pytest.approx(expected.sum(axis=1), rel=1e-9)
    assert posterior(got) == pytest.approx(expected / expected.sum(axis=1, keepdims=True), rel=1e-9)


@given(st.data())
def test_a_split_by_frequency_weighs_right_and_wrong_shortlists_by_their_votes(data):
    votes = data.draw(some_votes())
    parameters = data.draw(some_parameters(votes))
    layout = Layout.of(votes.codomains, votes.space)
    often = np.random.default_rng(data.draw(st.integers(0, 99))).uniform(1, 50, len(layout.member))
    pieces = np.split(often, np.cumsum(layout.sizes)[:-1])
    by_name = [dict(zip(c.shortlists, p, strict=True)) for c, p in zip(votes.codomains, pieces, strict=True)]
    table, _ = table_of(votes, *parameters, split=frequency_split(layout, often))
    expected = joint(votes, *parameters, often=by_name)
    assert np.exp(log_joint(votes.codes, table, layout)) == pytest.approx(expected, rel=1e-9)


@given(st.data())
def test_the_votes_of_a_labeler_are_a_distribution_for_every_class(data):
    votes = data.draw(some_votes())
    table, layout = table_of(votes, *data.draw(some_parameters(votes)))
    total = np.exp(table.abstain) + layout.per_labeler(np.exp(table.votes))
    assert total == pytest.approx(1)


def test_a_class_in_no_shortlist_and_one_in_all_have_a_defined_likelihood():
    """A codomain from elsewhere, without the dummy: a is in both shortlists, c in neither."""
    shortlists = (frozenset("ab"), frozenset("a"))
    layout = Layout.of([Codomain(shortlists)], LabelSpace(["a", "b", "c"]))
    parameters = Parameters(np.array([[1.0, 0.7, 0.0]]), np.array([0.5]), np.full(3, 1 / 3))
    got = np.exp(log_joint(np.array([[0], [1], [2]]), emission(parameters, layout), layout)) * 3
    for a, vote in enumerate([None, *shortlists]):
        expected = [conditional(vote, j, shortlists, 0.7, 0.5) for j in "abc"]
        assert got[a] == pytest.approx(expected, abs=1e-6)
    assert got.sum(axis=0) == pytest.approx(1)


def test_probabilities_of_0_and_1_stay_finite():
    votes = Votes([[1], [2], [0]], [["a", "b"]], ["a", "b"])
    table, layout = table_of(votes, np.array([[1.0, 0.0]]), np.array([1.0]), np.array([1.0, 0.0]))
    beliefs = posterior(log_joint(votes.codes, table, layout))
    assert np.isfinite(beliefs).all()
    assert beliefs.sum(axis=1) == pytest.approx(1)


def test_an_exponent_discounts_the_evidence_of_a_labeler():
    votes = Votes([[1, 2]], [["a", "b"], ["a", "b"]], ["a", "b"])
    table, layout = table_of(votes, np.full((2, 2), 0.8), np.full(2, 0.5), np.full(2, 0.5))
    half = Emission(table.votes, table.abstain, table.balance, np.array([1.0, 0.5]))
    log_odds = np.diff(log_joint(votes.codes, half, layout)[0])[0]
    assert log_odds == pytest.approx(-np.log(4) + 0.5 * np.log(4))
