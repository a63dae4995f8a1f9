"""The balance that votes have, and gold rows."""

from dataclasses import replace

import numpy as np
import pytest

from shortlist import LabelModel, MajorityVote, Votes
from shortlist.labelmodel.estimators.pooled import pooled
from shortlist.labelmodel.estimators.pooled.balance import (
    BALANCE_ROWS,
    UNEXPLAINED,
    balance_weight,
    balance_with_gold,
    believed_balance,
    evenly_spread,
    no_preference,
)
from tests.labelmodel.estimators.pooled.parts import parts


def test_the_mean_of_beliefs_by_hand():
    beliefs = np.array([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2]])
    expected = (300 * beliefs[0] + 100 * beliefs[1] + BALANCE_ROWS / 3) / (400 + BALANCE_ROWS)
    assert believed_balance(np.array([300.0, 100.0]) @ beliefs) == pytest.approx(expected)


def test_what_is_no_preference_by_hand():
    """Three say the first class on 90, 80 and 70 % of the rows: D = 2 · .3², and V = 2 · (.1² + .1²) / (3 · 2)."""
    answers, votes = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]), np.full(3, 0.4)
    assert no_preference(answers, votes) == pytest.approx(1 - (0.04 / 6) / 0.18)
    assert no_preference(np.full((3, 2), [0.8, 0.2]), votes) == pytest.approx(1)  # they do not differ
    assert no_preference(np.array([[0.9, 0.1], [0.1, 0.9], [0.6, 0.4]]), votes) == 0  # they differ too much
    assert no_preference(np.full((3, 2), 0.5), votes) == 0  # there is nothing to explain
    assert no_preference(answers, np.array([1.0, 0, 0])) == 0  # one that votes cannot be compared


def test_preferences_alone_explain_all_on_average_for_any_weights():
    """Classes are equal, and each labeler prefers some at random: V is the expectation of D."""
    rng = np.random.default_rng(0)
    votes = np.array([0.8, 0.1, 0.05, 0.05])
    weights = votes / votes.sum()
    answers = 0.5 + rng.normal(0, 0.1, (20_000, 4))
    means = answers @ weights
    apart = 2 * (means - 0.5) ** 2
    factors = np.array([no_preference(np.stack([each, 1 - each], axis=1), votes) for each in answers[:2000]])
    explained = 2 * ((answers - means[:, None]) ** 2 @ weights) * (weights @ weights) / (1 - weights @ weights)
    assert explained.mean() == pytest.approx(apart.mean(), rel=0.03)
    assert factors == pytest.approx(np.maximum(0, 1 - explained / apart)[:2000])


@pytest.mark.parametrize(
    ("votes", "even"), [([3, 3, 3], True), ([2, 3, 4], False), ([9, 10, 11], True), ([0, 5, 5], False)]
)
def test_whether_votes_are_spread_evenly_by_hand(votes, even):
    """Standard deviations of 0, .82, .82 and 2.36, of means of 3, 3, 10 and 3.33."""
    assert evenly_spread(np.array(votes, float), np.array([0.3, 0.3, 0.3])) == even


@pytest.mark.parametrize("frequent", [0.5, 0.8, 0.95])
def test_models_that_name_every_class_show_how_frequent_it_is(frequent):
    """Ten are right on 65 % of the rows. With 95 % of one class, 73 % of the labels were right, and 81 by counting."""
    rng = np.random.default_rng(0)
    truth = (rng.random(4000) > frequent).astype(int)
    said = 1 + np.where(rng.random((4000, 10)) < np.linspace(0.55, 0.75, 10), truth[:, None], 1 - truth[:, None])
    votes = Votes(said, [["a", "b"]] * 10, ["a", "b"])
    model = LabelModel().fit(votes)
    right = [(each.predict_proba(votes).argmax(axis=1) == truth).mean() for each in (model, MajorityVote().fit(votes))]
    assert right[0] > right[1] + 0.01
    assert 0.5 + 0.6 * (frequent - 0.5) - 0.02 < model.class_balance_[0] < frequent + 0.02


def weight_of(codes, said=("a", "b", "c"), weights=None):
    said = [list(said)] * codes.shape[1]
    says, rows, _ = parts(Votes(codes, said, ["a", "b", "c"]))
    return balance_weight(rows if weights is None else replace(rows, weights=weights), says)


def mostly_a(m=500, n=3):
    return 1 + np.random.default_rng(0).choice(3, (m, n), p=[0.8, 0.1, 0.1])


@pytest.mark.parametrize("case", ["rules", "rows of their own choice", "two labelers", "two votes a row", "pairs"])
def test_who_does_not_show_how_frequent_classes_are(case):
    codes, rng = mostly_a(), np.random.default_rng(1)
    if case == "rules":
        assert weight_of(np.where(codes == 1, 1, 0), ["a"]) == 0
    elif case == "rows of their own choice":
        assert weight_of(np.where(rng.random(codes.shape) < 0.5, 0, codes)) == 0
    elif case == "two labelers":
        assert weight_of(codes[:, :2]) == 0
    elif case == "two votes a row":
        codes[np.arange(500), rng.integers(0, 3, 500)] = 0
        assert weight_of(codes) == 0
    else:
        assert weight_of(codes, [{"a", "b"}, {"b", "c"}, {"a", "c"}]) == 0


@pytest.mark.parametrize(
    "case", ["every row", "some votes missing", "weights", "five of thirty", "one on half of the rows"]
)
def test_who_shows_how_frequent_classes_are(case):
    codes, rng, weights = mostly_a(n=30), np.random.default_rng(1), None
    if case == "some votes missing":
        codes[rng.random(codes.shape) < 0.05] = 0
    elif case == "weights":
        weights = rng.uniform(0.5, 1.5, 500)
    elif case == "five of thirty":
        codes[np.argsort(rng.random(codes.shape), axis=1) >= 5] = 0
    elif case == "one on half of the rows":
        codes[:250, 0] = 0
    assert weight_of(codes, weights=weights) > 0.98


def test_some_votes_missing_change_little():
    """One vote in a hundred: it was as if classes were equal, and 74 % of the labels were right in place of 93."""
    rng = np.random.default_rng(0)
    truth = (rng.random(4000) < 0.05).astype(int)
    said = 1 + np.where(rng.random((4000, 10)) < 0.65, truth[:, None], 1 - truth[:, None])
    missing = np.where(rng.random(said.shape) < 0.01, 0, said)
    found = []
    for codes in (said, missing):
        votes = Votes(codes, [["a", "b"]] * 10, ["a", "b"])
        found.append((LabelModel().fit(votes).predict_proba(votes).argmax(axis=1) == truth).mean())
    assert min(found) > 0.9
    assert found[1] == pytest.approx(found[0], abs=0.02)


def test_a_given_balance_is_that_of_the_fit():
    """As far as it would have been told: so one that is far off moves the accuracies, too."""
    rng = np.random.default_rng(0)
    truth = (rng.random(2000) < 0.1).astype(int)
    said = 1 + np.where(rng.random((2000, 5)) < 0.7, truth[:, None], 1 - truth[:, None])
    votes = Votes(said, [["a", "b"]] * 5, ["a", "b"])
    found = (LabelModel(balance=each).fit(votes).estimate_.labeler_accuracy for each in ([0.9, 0.1], [0.5, 0.5]))
    right, equal = (np.abs(each - 0.7).max() for each in found)
    assert right < 0.04 < 0.07 < equal


def of_two_classes(kind: str, m: int = 20_000) -> tuple[Votes, float]:
    """Votes on two classes of 80 and 20 %, and the share of the first among rows with a vote."""
    rng = np.random.default_rng(0)
    truth = (rng.random(m) < 0.2).astype(int)
    columns, says = [], []
    if kind != "rules with one answer":
        columns += [1 + np.where(rng.random(m) < 0.8, truth, 1 - truth) for _ in range(4)]
        says += [["a", "b"]] * 4
    if kind != "labelers that name all classes":
        columns += [(rng.random(m) < np.where(truth == j, 0.4, 0.03)).astype(int) for j in (0, 0, 1, 1)]
        says += [["a"], ["a"], ["b"], ["b"]]
    votes = Votes(np.column_stack(columns), says, ["a", "b"])
    return votes, 1 - float(truth[votes.covered].mean())


def test_a_frequent_class_is_found_half_of_the_way_at_least_and_never_too_frequent():
    votes, share = of_two_classes("labelers that name all classes")
    assert (0.5 + share) / 2 < LabelModel().fit(votes).class_balance_[0] < share + 0.02


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_rules_with_one_answer_do_not_tell_how_frequent_classes_are():
    """How often they vote says what rules were written for."""
    votes, _ = of_two_classes("rules with one answer")
    assert LabelModel().fit(votes).class_balance_ == pytest.approx([0.5, 0.5])


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_where_labelers_that_name_all_classes_vote_on_some_rows_the_balance_is_taken_less_far():
    votes, share = of_two_classes("both")
    some = votes.codes.copy()
    some[len(some) // 4 :, :4] = 0
    found = [LabelModel().fit(Votes(codes, votes.codomains, ["a", "b"])) for codes in (votes.codes, some)]
    wholly, partly = (model.class_balance_[0] for model in found)
    assert 0.5 < partly < wholly < share + 0.02


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_how_far_it_is_taken_by_hand(monkeypatch):
    """Trust .8; of 40 rows, 30 with a vote of a labeler that may name every class."""
    monkeypatch.setattr(pooled, "believed_balance", lambda mass: np.array([0.9, 0.1]))
    monkeypatch.setattr(pooled, "agreement", lambda *beliefs: 0.8)
    votes = Votes([[1, 1], [2, 1], [1, 0], [0, 1], [0, 0]], [["a", "b"], ["a"]], ["a", "b"])
    model = LabelModel().fit(votes, weights=[10, 5, 15, 10, 50])
    assert model.class_balance_[0] == pytest.approx(0.5 + 0.4 * 0.8 * (30 / 40))


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_a_rule_that_is_written_twice_changes_nothing():
    votes, _ = of_two_classes("both")
    twice = Votes(votes.codes[:, [0, 1, 2, 3, 4, 5, 6, 7, 4]], [*votes.codomains, votes.codomains[4]], ["a", "b"])
    once, again = (LabelModel().fit(each).class_balance_ for each in (votes, twice))
    assert again == pytest.approx(once, abs=1e-3)


def test_gold_rows_whose_votes_say_nothing_are_counted_by_hand():
    counted, known = np.array([0.5, 0.3, 0.2]), np.array([[4.0, 0, 0], [6, 20, 0]])
    expected = (np.array([10, 20, 0]) + BALANCE_ROWS * counted) / (30 + BALANCE_ROWS)
    assert balance_with_gold(counted, np.full((2, 3), 1 / 3), known) == pytest.approx(expected, abs=1e-4)


def test_gold_rows_that_are_as_their_votes_say_change_nothing():
    counted, beliefs = np.array([0.7, 0.3]), np.array([[0.9, 0.1], [0.2, 0.8]])
    explained = (1 - UNEXPLAINED) * beliefs + UNEXPLAINED / 2
    expected = explained * counted / (explained @ counted)[:, None]  # under this balance
    assert balance_with_gold(counted, beliefs, [[50], [8]] * expected) == pytest.approx(counted, abs=1e-4)
    assert balance_with_gold(counted, beliefs, np.zeros((2, 2))).tolist() == counted.tolist()


@pytest.mark.filterwarnings("ignore::shortlist.errors.FitWarning")
def test_random_gold_rows_tell_how_frequent_classes_are():
    votes, share = of_two_classes("labelers that name all classes")
    votes = votes[:, [0, 1]]  # which do not tell it by their votes
    truth = (np.random.default_rng(0).random(len(votes)) < 0.2).astype(int)  # as the votes were made
    gold = {a: "ab"[truth[a]] for a in range(300)}
    plain, told = (LabelModel().fit(votes, each).class_balance_[0] for each in (None, gold))
    assert abs(told - share) < abs(plain - share) / 2


@pytest.mark.parametrize("picked", ["unanimous", "three to two", "mostly a", "mostly b"])
def test_gold_rows_may_be_picked_by_their_votes(picked):
    """Classes of 80 and 20 %, and five labelers that are right on three rows in four."""
    rng = np.random.default_rng(0)
    truth = (rng.random(6000) < 0.2).astype(int)
    said = np.where(rng.random((6000, 5)) < 0.75, truth[:, None], 1 - truth[:, None])
    votes, b = Votes(1 + said, [["a", "b"]] * 5, ["a", "b"]), said.sum(axis=1)
    chosen = {
        "unanimous": (b == 0) | (b == 5),
        "three to two": (b == 2) | (b == 3),
        "mostly a": b < 3,
        "mostly b": b > 2,
    }
    gold = {int(a): "ab"[truth[a]] for a in np.flatnonzero(chosen[picked])[:300]}
    assert LabelModel().fit(votes, gold).class_balance_[0] == pytest.approx(0.8, abs=0.12)


@pytest.mark.parametrize("said", [0, 1, None])
def test_it_does_not_matter_by_which_votes_gold_rows_were_picked(said):
    """Classes of 80 and 20 %, and a labeler that is right on four rows in five."""
    rng, accuracy = np.random.default_rng(0), np.array([[0.8, 0.2], [0.2, 0.8]])
    truth = (rng.random(20_000) < 0.2).astype(int)
    vote = np.where(rng.random(len(truth)) < 0.8, truth, 1 - truth)
    known = np.array([[np.sum((vote == v) & (truth == j)) for j in (0, 1)] for v in (0, 1)], float)
    picked = known if said is None else known[[said]]
    beliefs = accuracy if said is None else accuracy[[said]]
    assert abs(picked.sum(axis=0)[0] / picked.sum() - 0.8) > 0.1 or said is None  # rows of both classes as they are not
    assert balance_with_gold(np.array([0.5, 0.5]), beliefs, picked) == pytest.approx([0.8, 0.2], abs=0.03)
