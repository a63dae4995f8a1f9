import warnings

import numpy as np
import pytest

from shortlist import LabelModel, Votes, simulate
from shortlist.errors import BalanceCollapsed, FewLabelers, FitWarning, Inseparable, NotConverged, OneSided
from shortlist.labelmodel import Parameters
from tests.labelmodel.reference import likelihood


def said_of(model, votes):
    """The warnings of a fit, by kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(votes)
    assert all(issubclass(w.category, FitWarning) for w in caught)
    assert all(w.filename == __file__ for w in caught)  # they point at the line that called fit
    kinds = [w.category for w in caught]
    assert len(set(kinds)) == len(kinds)  # each kind once
    return {w.category: str(w.message) for w in caught}


def good(n=4, m=3000, says=("a", "b", "c")):
    truth = Parameters(np.full((n, 3), 0.8), np.full(n, 0.8), np.full(3, 1 / 3))
    return simulate(truth, [list(says)] * n, m, space=["a", "b", "c"], seed=0).votes


def test_a_good_fit_has_nothing_to_say():
    assert said_of(LabelModel(), good()) == {}
    assert said_of(likelihood(balance="learn", propensity="class"), good()) == {}


def test_fewer_than_three_voting_labelers():
    votes = good(4)
    codes = votes.codes.copy()
    codes[:, 2:] = 0
    said = said_of(LabelModel(), Votes(codes, votes.codomains, votes.space))
    assert said.keys() == {FewLabelers}
    assert "2 of 4" in said[FewLabelers]


def test_classes_no_labeler_tells_apart_are_named():
    votes = good(says=("a", {"b", "c"}))
    said = said_of(LabelModel(), votes)
    assert said.keys() == {Inseparable}
    assert "b, c" in said[Inseparable]
    one_more = Votes(
        np.column_stack([votes.codes, 1 + votes.codes[:, 0] % 2]), [*votes.codomains, ["b", "c"]], votes.space
    )
    assert Inseparable not in said_of(LabelModel(), one_more)


def test_a_shortlist_that_is_declared_but_never_voted_separates_nothing():
    votes = good(says=("a", {"b", "c"}, "b"))
    codes = np.where(votes.codes == 3, 2, votes.codes)
    assert "b, c" in said_of(LabelModel(), Votes(codes, votes.codomains, votes.space))[Inseparable]


def test_labelers_with_one_thing_to_say_are_named_unless_their_silence_is_read():
    votes = good()
    codes = np.column_stack([votes.codes, votes.codes[:, 0] == 1])
    votes = Votes(codes, [*votes.codomains, ["a"]], votes.space, ["w", "x", "y", "z", "only_a"])
    said = said_of(LabelModel(estimator="likelihood"), votes)
    assert said.keys() == {OneSided}
    assert "same answer: only_a." in said[OneSided]
    assert 'propensity="class"' in said[OneSided]
    pooled = said_of(LabelModel(), votes)
    assert pooled.keys() == {OneSided}
    assert "estimated on rows where other labelers vote" in pooled[OneSided]
    assert said_of(likelihood(propensity="class"), votes) == {}


def test_a_collapsed_balance_names_the_class_it_gave_up():
    rng = np.random.default_rng(0)
    codes = rng.integers(1, 3, (500, 1)) * np.ones((1, 4), int)  # nobody ever says c
    model = likelihood(balance="learn", accuracy_votes=0.0, balance_rows=0.0)
    said = said_of(model, Votes(codes, [["a", "b", "c"]] * 4, ["a", "b", "c"]))
    assert "next to nothing to c" in said[BalanceCollapsed]


def test_a_fit_that_was_stopped_says_so():
    said = said_of(LabelModel(max_iter=2), good())
    assert said.keys() == {NotConverged}
    assert "2 iterations" in said[NotConverged]


def test_a_kind_of_warning_can_be_switched_off():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        model = LabelModel(max_iter=2).fit(good())
    assert not model.converged_
    with pytest.warns(NotConverged):
        LabelModel(max_iter=2).partial_fit(good())


def test_votes_of_people_are_told_how_to_be_read():
    """A worker who was seen to give one answer only is no rule: `says="all"` won seven points on a crowd."""
    matrix = np.array([[0, 0, -1], [0, 1, -1], [0, 0, 1], [-1, 1, 1]] * 20)
    assert 'says="all"' in said_of(LabelModel(), Votes.from_snorkel(matrix, ["a", "b"]))[OneSided]
    declared = Votes(matrix[:, :2] + 1, [["a"], ["a", "b"]], ["a", "b"])
    assert 'says="all"' not in said_of(LabelModel(), declared)[OneSided]
