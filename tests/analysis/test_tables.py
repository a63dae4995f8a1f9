"""Pairs of labelers: by hand, row by row, and copies that give themselves away."""

import math

import numpy as np
import pytest
from hypothesis import given

from shortlist import Analysis, LabelModel, Not, Votes, simulate
from shortlist.analysis.tables import confusion, errors
from shortlist.errors import BadFit, BadShortlist, UnknownClass
from shortlist.labelmodel import Parameters
from shortlist.labelmodel.predictor import MajorityVote
from tests.analysis.worked import BELIEFS, GOLD, brute_pairs, newspaper, oracle, quietly_fitted, shortlists_of
from tests.votes.drawing import votes as any_votes


def test_pairs_of_the_newspaper():
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


def test_classes_of_the_newspaper():
    table = Analysis(newspaper(), oracle(), gold=GOLD).classes()
    assert table.select("class", "other").rows() == [("business", "sports"), ("business", "world"), ("sports", "world")]
    # business | sports: all three labelers said one without the other, on all rows with a vote;
    # sports | world: only goal did
    assert table["labelers"].to_list() == [3, 2, 1]
    assert table["rows"].to_list() == [5 / 6, 5 / 6, 3 / 6]
    # Σ min / Σ both, from the beliefs of rows with a vote: business 1.7, sports 2.3, world 1
    assert table["error"].to_list() == pytest.approx([0.9 / 4, 0.2 / 2.7, 0.2 / 3.3])
    assert table["separation"].to_list() == pytest.approx([1 - 1.8 / 4, 1 - 0.4 / 2.7, 1 - 0.4 / 3.3])
    # row 2 is a tie, which goes to business, the first; one of 4 gold rows of business or sports is taken for the other
    assert table["gold_error"].to_list() == [1 / 4, 0, 0]


def test_a_gold_row_without_a_vote_is_not_mixed_up_with_the_first_class():
    """It was counted as labelled with the first class: half of the rows of b seemed to be taken for a."""
    codes = [[1, 1, 1]] * 10 + [[2, 2, 2]] * 10 + [[0, 0, 0]] * 10
    votes = Votes(codes, [["a", "b"]] * 3, ["a", "b"])
    table = Analysis(votes, MajorityVote().fit(votes), gold=["a"] * 10 + ["b"] * 20).classes()
    assert table["gold_error"].to_list() == [0]
    assert table["error"].to_list() == [0]


def test_without_a_model_it_tells_who_tells_them_apart():
    assert Analysis(newspaper()).classes().columns == ["class", "other", "labelers", "rows"]


def test_errors_are_between_nothing_and_a_coin():
    rng = np.random.default_rng(0)
    beliefs, counts = rng.dirichlet(np.ones(4), 50), rng.integers(1, 9, 50)
    found = errors(beliefs, counts)
    rows = np.repeat(beliefs, counts, axis=0)
    for j in range(4):
        for other in range(4):
            both = rows[:, [j, other]]
            assert found[j, other] == pytest.approx(both.min(axis=1).sum() / both.sum())
    assert (found >= 0).all()
    assert (found <= 0.5 + 1e-12).all()


def test_equal_beliefs_cannot_be_told_apart():
    assert errors(np.full((5, 2), 0.5), np.ones(5, int))[0, 1] == 0.5


def test_a_class_nobody_believes_in_is_a_coin():
    assert errors(np.array([[1.0, 0.0, 0.0]]), np.array([3]))[1, 2] == 0.5


def test_confusion_by_hand():
    gold, guess = np.array([0, 0, 1]), np.array([0, 1, 1])
    assert confusion(gold, guess, 2).tolist() == [[1, 1], [0, 1]]


def test_rows_of_the_newspaper():
    table = Analysis(newspaper(ids=list("uvwxyz")), oracle(), gold=GOLD).rows()
    assert table.columns == ["row", "id", "class", "belief", "margin", "entropy", "votes", "conflict", "gold"]
    assert table["id"].to_list() == list("uvwxyz")
    assert table["class"].to_list() == ["sports", "sports", "business", "world", "business", "world"]
    assert table["belief"].to_list() == [1, 0.6, 0.5, 0.8, 0.8, 0.5]
    assert table["margin"].to_list() == pytest.approx([1, 0.2, 0, 0.6, 0.6, 0.25])
    assert table["entropy"][2] == pytest.approx(math.log(2))
    assert table["entropy"][0] == 0
    assert table["votes"].to_list() == [2, 2, 3, 1, 1, 0]
    assert table["conflict"].to_list() == [[], ["goal", "abroad"], ["goal", "abroad", "money"], [], [], []]
    assert table["gold"].to_list() == GOLD


def test_unknown_gold_is_null():
    table = Analysis(newspaper(), gold={0: "sports"}).rows()
    assert table["gold"].to_list() == ["sports", None, None, None, None, None]


@given(any_votes(max_rows=20, with_ids=False))
def test_the_conflicts_of_each_row(votes):
    if not len(votes) or not votes.names:
        return
    expected = [
        [votes.names[i] for i, s in enumerate(row) if s and any(t and not s & t for t in row)]
        for row in shortlists_of(votes)
    ]
    assert Analysis(votes).rows()["conflict"].to_list() == expected


def test_rows_that_repeat_are_all_there():
    """Beliefs are worked out once for rows with the same votes, and handed to each of them."""
    votes = newspaper()
    order = [5, 0, 0, 2, 1, 2, 4, 3, 5]
    table = Analysis(votes[order], oracle()).rows()
    assert table["belief"].to_list() == [max(BELIEFS[a]) for a in order]
    assert table["conflict"].to_list() == [Analysis(votes).rows()["conflict"].to_list()[a] for a in order]


def test_contradictions_of_the_newspaper():
    assert Analysis(newspaper()).buckets().rows() == [
        ("goal", "sports", "abroad", "business", 1),
        ("goal", "sports", "money", "business", 1),
        ("abroad", "{sports, world}", "money", "business", 1),
    ]


def test_the_rows_of_a_bucket():
    analysis = Analysis(newspaper())
    assert analysis.bucket({"goal": "sports"}).tolist() == [0, 1, 2]
    assert analysis.bucket({"goal": "sports", "abroad": {"world", "sports"}}).tolist() == [0, 2]
    assert analysis.bucket({"goal": "sports", "abroad": Not("business"), "money": None}).tolist() == [0]
    assert analysis.bucket({"goal": None}).tolist() == [3, 4, 5]
    assert analysis.bucket({"goal": None, "abroad": None, "money": None}).tolist() == [5]
    assert analysis.bucket({}).tolist() == [0, 1, 2, 3, 4, 5]


@given(any_votes(max_rows=20))
def test_every_bucket_has_as_many_rows_as_it_says(votes):
    if not len(votes) or not votes.names:
        return
    analysis, rows = Analysis(votes), shortlists_of(votes)
    table = analysis.buckets()
    for line in table.iter_rows(named=True):
        i, j = votes.names.index(line["labeler"]), votes.names.index(line["other"])
        show = votes.space.show
        found = [
            a for a, row in enumerate(rows)
            if row[i] and row[j] and show(row[i]) == line["says"] and show(row[j]) == line["other_says"]
        ]  # fmt: skip
        said = {line["labeler"]: rows[found[0]][i], line["other"]: rows[found[0]][j]}
        assert analysis.bucket(said).tolist() == found
        assert len(found) == line["rows"]
    disjoint = sum(bool(s and t and not s & t) for row in rows for n, s in enumerate(row) for t in row[n + 1 :])
    assert table["rows"].sum() == disjoint


def test_what_cannot_be_found():
    analysis = Analysis(newspaper())
    with pytest.raises(BadShortlist, match="Did you mean 'goal'"):
        analysis.bucket({"gaol": "sports"})
    with pytest.raises(BadShortlist, match="'goal' never says 'world'"):
        analysis.bucket({"goal": "world"})
    with pytest.raises(UnknownClass, match="sports"):
        analysis.bucket({"goal": "sprots"})


@pytest.fixture(scope="module")
def drawn():
    """600 rows, three labelers that are right on nine rows in ten, and the classes."""
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 3, 600)
    codes = [np.where(draw.random(600) < 0.9, truth, (truth + draw.integers(1, 3, 600)) % 3) + 1 for _ in range(4)]
    votes = Votes(np.stack(codes, axis=1), [["a", "b", "c"]] * 4, ["a", "b", "c"])
    return votes, LabelModel().fit(votes), truth


def test_labels_that_were_made_wrong_are_found(drawn):
    votes, model, truth = drawn
    spoilt = truth.copy()
    spoilt[:30] = (spoilt[:30] + 1) % 3
    table = Analysis(votes, model, gold=[votes.space[j] for j in spoilt]).suspects()
    first = table["row"][:20].to_numpy()
    assert (first < 30).mean() >= 0.9
    assert (table["row"].to_numpy() < 30).sum() >= 25
    assert table["belief"].is_sorted()
    assert (table["gold"] != table["class"]).all()


def test_right_labels_are_seldom_suspected(drawn):
    votes, model, truth = drawn
    table = Analysis(votes, model, gold=[votes.space[j] for j in truth]).suspects()
    assert len(table) < 0.03 * len(votes)


def test_gold_labels_are_suspected_by_the_beliefs_at_hand(drawn):
    """By votes alone, 5 of 120 gold labels of Debian packages were called wrong, and all were right."""
    votes, model, truth = drawn
    beliefs = 0.01 + 0.97 * np.eye(3)[truth]
    beliefs[:2] = beliefs[:2, [1, 2, 0]]
    table = Analysis(votes, model, gold=[votes.space[j] for j in truth]).suspects(beliefs)
    assert sorted(table["row"]) == [0, 1]
    assert table["belief"].to_list() == pytest.approx([0.01, 0.01])


def test_without_known_classes_there_is_nothing_to_suspect(drawn):
    votes, model, _ = drawn
    with pytest.raises(BadFit):
        Analysis(votes, model).suspects()
