import warnings

import numpy as np
import pytest

from shortlist import LabelModel, Votes, simulate
from shortlist.errors import BalanceCollapsed, FewLabelers, FitWarning, Inseparable, NotConverged, OneSided
from shortlist.labelmodel import Parameters


def heard(votes, **options):
    """The warnings of a fit, by kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LabelModel(**options).fit(votes)
    assert all(issubclass(w.category, FitWarning) for w in caught)
    assert all(w.filename == __file__ for w in caught)  # they point at the line that called fit
    kinds = [w.category for w in caught]
    assert len(set(kinds)) == len(kinds)  # each kind once
    return {w.category: str(w.message) for w in caught}


def good(n=4, m=3000, says=("a", "b", "c")):
    truth = Parameters(np.full((n, 3), 0.8), np.full(n, 0.8), np.full(3, 1 / 3))
    return simulate(truth, [list(says)] * n, m, space=["a", "b", "c"], seed=0).votes


def test_a_good_fit_has_nothing_to_say():
    assert heard(good()) == {}
    assert heard(good(), balance="learn", propensity="class") == {}


def test_fewer_than_three_voting_labelers():
    votes = good(4)
    codes = votes.codes.copy()
    codes[:, 2:] = 0
    said = heard(Votes(codes, votes.codomains, votes.space))
    assert said.keys() == {FewLabelers}
    assert "2 of 4" in said[FewLabelers]


def test_classes_no_labeler_tells_apart_are_named():
    votes = good(says=("a", {"b", "c"}))
    said = heard(votes)
    assert said.keys() == {Inseparable}
    assert "b, c" in said[Inseparable]
    one_more = Votes(
        np.column_stack([votes.codes, 1 + votes.codes[:, 0] % 2]), [*votes.codomains, ["b", "c"]], votes.space
    )
    assert Inseparable not in heard(one_more)


def test_a_shortlist_that_is_declared_but_never_voted_separates_nothing():
    votes = good(says=("a", {"b", "c"}, "b"))
    codes = np.where(votes.codes == 3, 2, votes.codes)
    assert "b, c" in heard(Votes(codes, votes.codomains, votes.space))[Inseparable]


def test_labelers_with_one_thing_to_say_are_named_unless_their_silence_is_read():
    votes = good()
    codes = np.column_stack([votes.codes, votes.codes[:, 0] == 1])
    votes = Votes(codes, [*votes.codomains, ["a"]], votes.space, ["w", "x", "y", "z", "only_a"])
    said = heard(votes, estimator="likelihood")
    assert said.keys() == {OneSided}
    assert "only_a only" in said[OneSided]
    assert 'propensity="class"' in said[OneSided]
    pooled = heard(votes)
    assert pooled.keys() == {OneSided}
    assert "judged by the other labelers" in pooled[OneSided]
    assert heard(votes, propensity="class") == {}


def test_a_collapsed_balance_names_the_class_it_gave_up():
    rng = np.random.default_rng(0)
    codes = rng.integers(1, 3, (500, 1)) * np.ones((1, 4), int)  # nobody ever says c
    said = heard(
        Votes(codes, [["a", "b", "c"]] * 4, ["a", "b", "c"]), balance="learn", accuracy_votes=0.0, balance_rows=0.0
    )
    assert "gave up c" in said[BalanceCollapsed]


def test_a_fit_that_was_stopped_says_so():
    said = heard(good(), max_iter=2)
    assert said.keys() == {NotConverged}
    assert "2 iterations" in said[NotConverged]


def test_a_kind_of_warning_can_be_switched_off():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        model = LabelModel(max_iter=2).fit(good())
    assert not model.converged_
    with pytest.warns(NotConverged):
        LabelModel(max_iter=2).partial_fit(good())
