"""Certificates: answers worked by hand, the promise in simulation, and what is refused."""

import numpy as np
import pytest

from shortlist import certify
from shortlist.errors import BadFit, BadRows, UnknownClass
from shortlist.uncertainty import plan_certificate
from shortlist.uncertainty.certificate import checked_gold, fewest_gold, first_set, surest_first


def rows(m, sure_share, accuracies, seed):
    """Beliefs of two classes and truth: the first share of rows is sure, and right as often as the first accuracy."""
    rng = np.random.default_rng(seed)
    sure = np.arange(m) < sure_share * m
    top = np.where(sure, 0.95, 0.6) + rng.uniform(-0.04, 0.04, m)
    right = rng.random(m) < np.where(sure, *accuracies)
    return np.column_stack([top, 1 - top]), np.where(right, 0, 1)


def draw(truth, n, rng):
    return {int(a): int(truth[a]) for a in rng.choice(len(truth), n, replace=False)}


def test_fewest_gold_rows_by_hand():
    assert fewest_gold(0.9, 0.95) == 29  # .9^29 = .0471, .9^28 = .0523
    assert fewest_gold(0.5, 0.75) == 2
    assert fewest_gold(0.95, 0.95) == 59


def test_the_test_is_exact():
    """109 rows, 30 gold rows, none wrong: a bad set has at least 11 wrong ones; C(98, 30) / C(109, 30) = .0236."""
    chance = float(np.prod([(98 - i) / (109 - i) for i in range(30)]))
    for m, sure, passes in ((109, 1 - chance * 1.01, 30), (109, 1 - chance * 0.99, 0), (100, 1 - chance * 0.99, 0)):
        assert checked_gold(np.arange(30), np.zeros(30, bool), m, 0.9, sure) == passes


def test_the_first_set_by_hand():
    """With 90 % right, 29 gold rows bear no wrong one, 46 one, 61 two, 76 three, 89 four, 103 five."""
    assert [first_set(n, 0.9, 0.95) for n in (20, 29, 87, 100, 180, 300)] == [20, 29, 29, 46, 61, 103]


@pytest.mark.parametrize(("wrong", "found"), [([45, 49], 49), ([19, 45], 0), ([60, 61, 62, 63], 62), ([99], 100)])
def test_a_sequence_ends_at_the_first_set_that_fails(wrong, found):
    """46 of 100 gold rows come first, which bear one wrong row; 61 bear two, 76 three."""
    ranks = np.arange(100) * 1000
    assert checked_gold(ranks, np.isin(np.arange(100), wrong), 100_000, 0.9, 0.95) == found


@pytest.mark.parametrize("pieces", [[(300, 0.1), (700, 0.11)], [(400, 0.12), (200, 0.0), (400, 0.2)], [(1_000, 0.101)]])
def test_sets_that_turn_bad_good_and_bad_again(pieces):
    """However wrong rows lie: at most 5 % of 4,000 draws certify a bad set; 3 standard errors are allowed."""
    wrong = np.concatenate(
        [np.arange(m) % round(1 / share) == 0 if share else np.zeros(m, bool) for m, share in pieces]
    )
    bad = np.cumsum(wrong) > 0.1 * np.arange(1, len(wrong) + 1)
    rng, broken = np.random.default_rng(0), 0
    for _ in range(4_000):
        ranks = np.sort(rng.choice(1_000, 100, replace=False))
        gold = checked_gold(ranks, wrong[ranks], 1_000, 0.9, 0.95)
        broken += bool(gold and bad[np.append(ranks, 1_000)[gold] - 1])
    assert broken <= 4_000 * 0.05 + 3 * np.sqrt(4_000 * 0.05 * 0.95)


def test_all_rows_gold():
    """With the class of every row known, just the rows that are good enough are certified, without any doubt."""
    beliefs, truth = rows(200, 0.5, (1.0, 0.0), 0)
    made = certify(beliefs, truth)  # 100 right ones, and 10 % wrong ones: 11 of 111 would be too many
    assert len(made.rows) == 109  # the 110 first ones are tested as if they were drawn from 119
    assert certify(beliefs, dict(enumerate(truth.tolist()))).labels.tolist() == truth.tolist()


@pytest.mark.parametrize("accuracies", [(0.9, 0.9), (0.93, 0.6), (0.89, 0.89), (0.6, 0.99)])
def test_the_promise_is_kept(accuracies):
    """Whatever the beliefs say, at most 5 % of 250 draws certify too much; 3.1 standard errors are allowed."""
    beliefs, truth = rows(1_000, 0.5, accuracies, 1)
    rng, broken = np.random.default_rng(2), 0
    wrong = beliefs.argmax(axis=1) != truth
    for _ in range(250):
        made = certify(beliefs, draw(truth, 80, rng))
        broken += len(made.rows) > 0 and wrong[made.rows].mean() > 0.1
    assert broken <= 250 * 0.05 + 3.1 * np.sqrt(250 * 0.05 * 0.95)


def test_good_rows_are_certified_and_bad_ones_are_not():
    beliefs, truth = rows(3_000, 0.6, (0.995, 0.5), 3)
    rng = np.random.default_rng(4)
    shares = [certify(beliefs, draw(truth, 100, rng)).share for _ in range(40)]
    assert 0.5 < np.mean(shares) < 0.75


def test_more_gold_certifies_more_and_less_is_asked_for():
    beliefs, truth = rows(3_000, 0.6, (0.97, 0.8), 5)
    rng = np.random.default_rng(6)
    gold = [draw(truth, 300, rng) for _ in range(20)]
    few = [dict(list(each.items())[:60]) for each in gold]
    mean = lambda drawn, right: np.mean([certify(beliefs, each, right=right).share for each in drawn])  # noqa: E731
    assert mean(gold, 0.9) > mean(few, 0.9) + 0.1
    assert mean(gold, 0.8) > mean(gold, 0.9) > mean(gold, 0.95)


def test_certified_rows_carry_gold_labels():
    beliefs, truth = rows(400, 1.0, (0.97, 0.0), 7)
    made = certify(beliefs, draw(truth, 120, np.random.default_rng(0)))
    assert made.wrong
    assert made.checked == 120
    drawn = draw(truth, 120, np.random.default_rng(0))
    assert all(made.labels[row] == truth[row] for row in drawn)


def test_rows_nobody_could_tell_count_as_wrong():
    beliefs, truth = rows(400, 1.0, (1.0, 0.0), 8)
    gold = draw(truth, 60, np.random.default_rng(1))
    unclear = list(gold)[:12]
    assert certify(beliefs, gold).share == 1
    assert not len(certify(beliefs, {a: j for a, j in gold.items() if a not in unclear}, unclear=unclear).rows)


def test_gold_drawn_from_some_of_the_rows():
    beliefs, truth = rows(1_000, 0.5, (1.0, 0.5), 9)
    among = np.arange(1_000) < 500
    gold = {a: int(truth[a]) for a in range(0, 500, 8)}
    made = certify(beliefs, gold, among=among)
    assert len(made.rows) == 500
    assert among[made.rows].all()
    with pytest.raises(BadRows, match="drawn from"):
        certify(beliefs, gold, among=~among)


def test_gold_by_name():
    beliefs, truth = rows(500, 1.0, (1.0, 0.0), 0)
    assert certify(beliefs, {a: "xy"[truth[a]] for a in range(0, 500, 10)}, classes=["x", "y"]).share == 1


def test_what_it_says():
    beliefs, truth = rows(1_000, 1.0, (1.0, 0.0), 0)
    gold = {a: int(truth[a]) for a in range(0, 1_000, 20)}
    assert str(certify(beliefs, gold)).startswith(
        "1,000 of 1,000 rows (100%) are at least 90 % right, with 95 % certainty. Of their 50 gold rows, 0 had"
    )
    few = str(certify(beliefs, {0: 0, 1: 0}))
    assert "No rows can be certified" in few
    assert "At least 29 are needed" in few
    assert "more random gold rows, about" in few


def test_a_plan_comes_true():
    """The share that a plan expects is what draws of gold rows certify, if beliefs are calibrated."""
    rng = np.random.default_rng(0)
    top = rng.beta(8, 1, 4_000).clip(0.5)
    beliefs, truth = np.column_stack([top, 1 - top]), (rng.random(4_000) > top).astype(int)
    expected = plan_certificate(beliefs)[200]
    made = np.mean([certify(beliefs, draw(truth, 200, rng)).share for _ in range(60)])
    assert made == pytest.approx(expected, abs=0.12)


def test_equal_beliefs_are_ordered_at_random_but_always_alike():
    beliefs = np.full((100, 2), 0.5)
    order = surest_first(beliefs)
    assert sorted(order.tolist()) == list(range(100)) != order.tolist()
    assert np.array_equal(order, surest_first(beliefs))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"right": 90}, BadFit, "write 0.9"),
        ({"sure": 1.0}, BadFit, "sure is a share"),
        ({"gold": {}}, BadRows, "no gold rows"),
        ({"gold": {400: 0}}, BadRows, "row 400"),
        ({"gold": {0: 7}}, BadFit, "7"),
        ({"gold": {0: "x"}}, BadFit, "classes="),
        ({"gold": {0: "x"}, "classes": ["a", "b"]}, UnknownClass, "'x'"),
        ({"gold": [0, 1]}, BadRows, "400 rows of beliefs, but gold for 2"),
        ({"beliefs": np.ones(400)}, BadFit, "table"),
        ({"beliefs": np.full((400, 2), np.nan)}, BadFit, "numbers"),
    ],
)
def test_what_is_refused(options, error, words):
    beliefs, truth = rows(400, 1.0, (1.0, 0.0), 0)
    given = {"beliefs": beliefs, "gold": {a: int(truth[a]) for a in range(40)}} | options
    with pytest.raises(error, match=words):
        certify(**given)
