"""The balance that votes are counted for, and where it is not taken."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.counting import counted_balance, selective
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
CLASSES = ["a", "b"]


def test_a_counted_balance_by_hand():
    """a is voted on 60 rows and b on 20, but the rule for a votes on 0.9 of its rows and that for b on 0.3."""
    votes = Votes([[1, 0]] * 60 + [[0, 1]] * 20 + [[0, 0]] * 20, [["a"], ["b"]], ["a", "b", "c"])
    layout = Layout.of(votes.codomains, votes.space)
    propensity = np.array([[0.9, 0, 0], [0, 0.3, 0]])
    found = counted_balance(Evidence.gather(votes), layout, propensity, np.ones(2))
    assert found == pytest.approx([1 / 3, 1 / 3, 1 / 3])  # 60 / 0.9 = 20 / 0.3; nobody can find c
    found = counted_balance(Evidence.gather(votes), layout, np.array([[0.6, 0, 0], [0, 0.6, 0]]), np.ones(2))
    assert found == pytest.approx([2 / 3 * 3 / 4, 2 / 3 * 1 / 4, 1 / 3])


def test_nothing_is_taken_to_be_rarer_than_a_tenth_of_its_share():
    votes = Votes([[1, 0]] * 1000 + [[0, 1]], [["a"], ["b"]], CLASSES)
    found = counted_balance(
        Evidence.gather(votes), Layout.of(votes.codomains, votes.space), np.full((2, 2), 0.5), np.ones(2)
    )
    assert found[1] == pytest.approx(0.05 / 1.05, abs=1e-3)


def crowd(shares, seed=0, m=1000):
    rng = np.random.default_rng(seed)
    truth = rng.choice(2, m, p=shares)
    right = rng.random((m, 7)) < 0.75
    answers = 1 + np.where(right, truth[:, None], 1 - truth[:, None])
    return Votes(np.where(rng.random((m, 7)) < 0.6, answers, 0), [CLASSES] * 7, CLASSES), truth


@quiet
def test_unequal_classes_are_found_and_equal_ones_stay_equal():
    votes, truth = crowd([0.9, 0.1])
    found, equal = LabelModel().fit(votes), LabelModel(balance="uniform").fit(votes)
    assert found.class_balance_[0] > 0.75
    assert equal.class_balance_.tolist() == [0.5, 0.5]
    right = [(model.predict(votes) == np.array(CLASSES)[truth]).mean() for model in (found, equal)]
    assert right[0] > right[1] + 0.01
    assert LabelModel().fit(crowd([0.5, 0.5])[0]).class_balance_.tolist() == [0.5, 0.5]


def test_who_votes_on_some_rows_only_may_do_so_on_some_classes():
    """A labeler that names both classes on 40 of 100 rows hides how often they are; one that always votes does not."""
    named = np.array([[True, True], [True, False]])
    some = Votes([[1, 1]] * 20 + [[2, 0]] * 20 + [[0, 1]] * 60, [CLASSES, ["a"]], CLASSES)
    always = Votes([[1, 1]] * 50 + [[2, 0]] * 50, [CLASSES, ["a"]], CLASSES)
    assert selective(Evidence.gather(some), named)
    assert not selective(Evidence.gather(always), named)
    assert not selective(Evidence.gather(some[:, [1]]), named[1:])  # of a rule it is known what it votes on


@quiet
def test_classes_stay_equal_where_their_share_cannot_be_known():
    votes, _ = crowd([0.9, 0.1])
    half = Votes(votes.codes * (np.arange(len(votes)) % 2)[:, None], votes.codomains, votes.space, votes.names)
    assert LabelModel().fit(half).class_balance_.tolist() == [0.5, 0.5]


@quiet
def test_rows_without_a_vote_believe_in_equal_classes_unless_a_balance_is_given():
    votes, _ = crowd([0.9, 0.1])
    nobody = Votes(np.zeros((1, 7), int), votes.codomains, votes.space, votes.names)
    model = LabelModel().fit(votes)
    assert model.class_balance_[0] > 0.75
    assert model.predict_proba(nobody).tolist() == [[0.5, 0.5]]
    assert abs(model.explain(nobody).log_odds) < 1e-9
    assert LabelModel(balance=[0.9, 0.1]).fit(votes).predict_proba(nobody)[0] == pytest.approx([0.9, 0.1])


def test_copies_are_counted_once():
    """A row with two copies of a rule for a and one rule for b is a tie, not an a."""
    votes = Votes([[1, 1, 1]] * 40 + [[0, 0, 1]] * 60, [["a"], ["a"], ["b"]], CLASSES)
    layout, propensity = Layout.of(votes.codomains, votes.space), np.full((3, 2), 0.5)
    found = counted_balance(Evidence.gather(votes), layout, propensity, np.array([2.0, 2.0, 1.0]))
    assert found == pytest.approx([0.2, 0.8])


@quiet
def test_known_classes_are_counted_as_themselves():
    votes = Votes([[1, 0]] * 50 + [[0, 1]] * 50, [["a"], ["b"]], CLASSES)
    layout, propensity = Layout.of(votes.codomains, votes.space), np.full((2, 2), 0.5)
    told = Evidence.gather(votes, ["a"] * 90 + ["b"] * 10)
    assert counted_balance(told, layout, propensity, np.ones(2)) == pytest.approx([0.9, 0.1])


@quiet
def test_the_order_of_labelers_does_not_matter_where_rows_are_sampled():
    rng = np.random.default_rng(0)
    truth = rng.choice(3, 40_000, p=[0.6, 0.25, 0.15])
    codes = 1 + np.where(rng.random((40_000, 12)) < 0.6, truth[:, None], rng.integers(0, 3, (40_000, 12)))
    codes *= rng.random((40_000, 12)) < 0.7
    votes = Votes(codes, [["a", "b", "c"]] * 12, ["a", "b", "c"])
    assert len(votes.pattern_counts()[1]) > 20_000
    turned = votes[:, list(reversed(votes.names))]
    one, other = LabelModel().fit(votes), LabelModel().fit(turned)
    assert other.predict_proba(turned[:500]) == pytest.approx(one.predict_proba(votes[:500]), abs=1e-4)


@quiet
def test_a_balance_that_is_given_is_not_touched():
    votes, _ = crowd([0.9, 0.1])
    assert LabelModel(balance={"a": 0.4, "b": 0.6}).fit(votes).class_balance_.tolist() == [0.4, 0.6]
