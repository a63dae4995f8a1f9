import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.estimators.pooled.dependence import Dependence
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout

quiet = pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")


def dependence_of(columns, balance=(0.5, 0.5), says="yes"):
    """Of rules that all say the same where they fire, or what is given."""
    said = [says] * len(columns) if isinstance(says, str) else says
    votes = Votes(np.column_stack(columns).astype(int), [[one] for one in said], ["yes", "no"])
    named = np.array([[one == "yes", one == "no"] for one in said])
    layout = Layout.of(votes.codomains, votes.space)
    return Dependence.of(Evidence.gather(votes), layout, named, np.array(balance))


def rows(*parts):
    fired = np.zeros(1000, bool)
    for start, stop in parts:
        fired[start:stop] = True
    return fired


def test_copies_by_hand():
    # 100 rows each of 1,000; "yes" on half of the rows explains 0.1 × 0.1 / 0.5 = 0.02 of rows in common
    same = dependence_of([rows((0, 100)), rows((5, 105)), rows((500, 600))])
    assert same.copies.tolist() == [[True, True, False], [True, True, False], [False, False, True]]
    assert same.n_copies.tolist() == [2, 2, 1]
    # (0.095 − 0.02) / (0.1 − 0.02) = 0.94 is nearly all; (0.08 − 0.02) / 0.08 = 0.75 is not
    assert dependence_of([rows((0, 100)), rows((20, 120))]).n_copies.tolist() == [1, 1]


def test_a_rule_inside_another_is_a_subset_and_no_copy():
    inside = dependence_of([rows((0, 300)), rows((0, 50))])
    assert inside.n_copies.tolist() == [1, 1]
    assert inside.subsets.all()


def test_rules_that_vote_on_the_same_rows_and_say_other_things_are_co_voters():
    other = dependence_of([rows((0, 100)), rows((0, 100))], says=["yes", "no"])
    assert other.co_voters.all()
    assert other.n_copies.tolist() == [1, 1]


def test_good_rules_of_one_class_are_no_copies():
    """Two rules that find nearly all of "yes" vote together nearly always, and a class explains it."""
    good = dependence_of([rows((0, 475)), rows((25, 500))])
    assert good.n_copies.tolist() == [1, 1]
    assert dependence_of([rows((0, 475)), rows((0, 475))]).n_copies.tolist() == [2, 2]


def test_workers_that_were_asked_about_the_same_rows_are_not_dependent():
    asked = rows((0, 100)).astype(int)
    votes = Votes(np.column_stack([asked * 1, asked * 2]), [["yes", "no"]] * 2, ["yes", "no"])
    found = Dependence.of(
        Evidence.gather(votes), Layout.of(votes.codomains, votes.space), np.ones((2, 2), bool), np.full(2, 0.5)
    )
    assert found.n_copies.tolist() == [1, 1]


@quiet
def test_good_rules_of_a_rare_class_are_no_copies_once_it_is_known_to_be_rare():
    rng = np.random.default_rng(0)
    truth = (rng.random(20_000) < 0.05).astype(int)
    fraud = [rng.random(20_000) < np.array([0.001, 0.95])[truth] for _ in range(4)]
    fine = [rng.random(20_000) < np.array([0.5, 0.3])[truth] for _ in range(6)]
    says = [["fraud"]] * 4 + [["fine"]] * 6
    votes = Votes(np.column_stack(fraud + fine).astype(int), says, ["fine", "fraud"])
    model = LabelModel().fit(votes)
    covered = votes.covered
    right = model.predict(votes)[covered] == np.array(["fine", "fraud"])[truth[covered]]
    assert right.mean() > 0.99


@quiet
def test_ten_copies_of_a_rule_say_as_much_as_one():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 4000)
    rules = [rng.random(4000) < np.where(truth == c, 0.3, 0.1) for c in (0, 0, 0, 1, 1, 1)]
    says = [["a"]] * 3 + [["b"]] * 3
    once = Votes(np.column_stack(rules).astype(int), says, ["a", "b"])
    often = Votes(np.column_stack(rules + [rules[0]] * 9).astype(int), says + [["a"]] * 9, ["a", "b"])
    one, ten = (LabelModel(balance="uniform").fit(votes) for votes in (once, often))
    assert ten.class_propensity_[0] == pytest.approx(one.class_propensity_[0], abs=0.02)
    assert ten.predict_proba(often) == pytest.approx(one.predict_proba(once), abs=0.1)
    assert ten.explain(often, int(np.argmax(rules[0]))).moves.keys() >= set(often.names)
