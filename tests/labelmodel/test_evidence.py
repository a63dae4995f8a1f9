import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import LabelModel, Votes
from shortlist.errors import BadFit
from shortlist.labelmodel import evidence as evidences
from shortlist.labelmodel.evidence import Evidence, gold_positions, merged, random_half, two_folds, unique
from tests.labelmodel.reference import some_votes


def listed(evidence):
    """{(codes, class): weight}, to compare with."""
    rows = map(tuple, evidence.votes.codes.tolist())
    return {(row, g): w for row, g, w in zip(rows, evidence.gold.tolist(), evidence.weights.tolist(), strict=True)}


def by_hand(votes, gold, weights):
    found = {}
    for row, g, w in zip(map(tuple, votes.codes.tolist()), gold, weights, strict=True):
        if w:
            found[row, g] = found.get((row, g), 0) + w
    return found


@given(some_votes(), st.data())
def test_rows_with_equal_votes_and_equal_gold_are_one(votes, data):
    m, k = len(votes), len(votes.space)
    gold = [data.draw(st.integers(-1, k - 1)) for _ in range(m)]
    weights = [data.draw(st.sampled_from([0.5, 1.0, 3.0])) for _ in range(m)]
    names = [None if g < 0 else votes.space[g] for g in gold]
    assert listed(Evidence.gather(votes)) == by_hand(votes, [-1] * m, [1] * m)
    assert listed(Evidence.gather(votes, names)) == by_hand(votes, gold, [1] * m)
    assert listed(Evidence.gather(votes, names, weights)) == by_hand(votes, gold, weights)
    cut = data.draw(st.integers(0, m))
    chunks = iter([votes[:cut], votes[cut:]])
    assert listed(Evidence.gather(chunks, names, weights)) == by_hand(votes, gold, weights)


def test_rows_that_weigh_nothing_are_left_out():
    votes = Votes([[1], [2]], [["a", "b"]], ["a", "b"])
    assert listed(Evidence.gather(votes, weights=[0, 2])) == {((2,), -1): 2.0}


def test_chunks_are_merged_as_they_come(monkeypatch):
    """However many chunks there are, only unique rows wait."""
    monkeypatch.setattr(evidences.EvidenceSum, "pending", 8)
    votes = Votes([[1, 0], [2, 1]], [["a", "b"]] * 2, ["a", "b"])
    sizes = []

    def chunks():
        for _ in range(100):
            yield votes

    original = evidences.merged
    monkeypatch.setattr(evidences, "merged", lambda parts: sizes.append(len(parts)) or original(parts))
    evidence = Evidence.gather(chunks())
    assert evidence.weights.tolist() == [100, 100]
    assert max(sizes) < 8


def test_inferred_codomains_grow_together():
    first = Votes.from_snorkel(np.array([[0], [1]]), ["a", "b", "c"])
    second = Votes.from_snorkel(np.array([[2], [2]]), ["a", "b", "c"])
    both = merged([Evidence.gather(first), Evidence.gather(second)])
    assert [both.votes.said(a)["labeler_1"] for a in range(3)] == [("a",), ("b",), ("c",)]
    assert both.weights.tolist() == [1, 1, 2]
    with pytest.raises(ValueError, match="labelers"):
        merged([Evidence.gather(first), Evidence.gather(Votes([[1]], [["a", "b"]], ["a", "b", "c"], ["other"]))])


TABLE = Votes([[1, 2, 1], [2, 2, 1], [0, 1, 1], [1, 1, 0]], [["a", "b"]] * 3, ["a", "b"])


@pytest.mark.parametrize("weights", [[1e308] * 4, [1e300] * 4, ["x"] * 4, [[1], [1, 2]], None.__class__, 1e308])
@pytest.mark.parametrize("make", [LabelModel, LabelModel.paper])
def test_weights_that_cannot_be_computed_with_are_refused(make, weights):
    """Attack N1: beliefs were NaN, or StopIteration was raised."""
    with pytest.raises(BadFit, match="weights"):
        make().fit(TABLE, weights=weights)


@pytest.mark.parametrize("gold", [{0.5: "a"}, {True: "b"}, {"0": "a"}, {None: "a"}, {(0,): "a"}, 5])
def test_gold_rows_are_whole_numbers(gold):
    """Attack N5 and C1: 0.5 was ignored, True was row 1, "0" a bare TypeError."""
    with pytest.raises(BadFit, match="gold"):
        LabelModel().fit(TABLE, gold)


def test_gold_rows_may_be_numbers_of_numpy():
    found = Evidence.gather(TABLE, {np.int64(1): "b"})
    assert found.gold.tolist().count(1) == 1


def test_empty_texts_and_holes_of_pandas_are_unknown_classes():
    """Newcomer: a gold column of a CSV file had "" where nobody knew; `dtype="string"` was a bare TypeError."""
    for gold in (["b"] + [""] * (len(TABLE) - 1), pd.Series(["b"] + [None] * (len(TABLE) - 1), dtype="string")):
        assert gold_positions(gold, len(TABLE), TABLE.space).tolist() == [1] + [-1] * (len(TABLE) - 1)


# -- two folds of gold rows: a model that is fitted with one is scored by the other -----------------------


def tally():
    """Six kinds of rows: three of x and two of y are known, and one that is not."""
    votes = Votes([[1, 1], [1, 2], [2, 1], [2, 2], [1, 0], [2, 0]], [["x", "y"]] * 2, ["x", "y"])
    return Evidence(votes, np.array([2.0, 1, 1, 3, 1, 5]), np.array([0, 0, 0, 1, 1, -1]))


def test_every_known_row_judges_once_and_no_row_is_lost():
    found = list(two_folds(tally()))
    assert sum(judging for _, judging in found).tolist() == [2, 1, 1, 3, 1]
    assert [fold.known().total for fold, _ in found] == [4, 4]
    assert [fold.total for fold, _ in found] == [13, 13]
    assert [fold.known().total + judging.sum() for fold, judging in found] == [8, 8]
    again = [judging.tolist() for _, judging in two_folds(tally())]
    assert again == [judging.tolist() for _, judging in found]


def test_where_votes_tell_nothing_one_half_does_not_tell_the_other():
    """By turns, in the order of votes and classes, it was 59 %: both halves had the same classes for the same votes."""
    rng = np.random.default_rng(0)
    votes = Votes(rng.integers(1, 9, (4000, 3)), [list("abcdefgh")] * 3, list("abcdefgh"))
    evidence = unique(votes, rng.integers(0, 2, 4000), None)
    right = 0.0
    for fold, judging in two_folds(evidence):
        seen = np.zeros((9, 9, 9, 2))
        known, judged = fold.known(), evidence.known()
        np.add.at(seen, (*known.votes.codes.T, known.gold), known.weights)
        guess = seen[tuple(judged.votes.codes.T)]
        right += judging @ np.where(guess[:, 0] == guess[:, 1], 0.5, guess.argmax(axis=1) == judged.gold)
    assert abs(right / 4000 - 0.5) < 0.03  # more than three standard errors


def test_weights_of_a_sample_and_more_rows_than_can_be_drawn_from():
    half = random_half(np.array([1.7, 2.2, 5.0]))
    assert half.sum() == 4
    assert (half <= [1, 2, 5]).all()
    assert random_half(np.array([7.0, 8.0]), most=10).tolist() == [3, 4]


@pytest.mark.parametrize("most", [20, 1000])
def test_rows_of_a_sample_come_in_the_same_order_whatever_that_of_labelers_and_classes(most):
    said = np.random.default_rng(0).integers(-1, 3, (300, 4))
    names = ["p", "q", "r", "s"]
    votes = Votes.from_snorkel(said, list("abc"), names=names, says="all")
    turned = Votes.from_snorkel(np.where(said < 0, -1, 2 - said)[:, ::-1], list("cba"), names=names[::-1], says="all")
    samples = [Evidence.gather(each).sample(most) for each in (votes, turned)]
    one, other = (sample.votes.to_snorkel() for sample in samples)
    assert np.array_equal(one, np.where(other < 0, -1, 2 - other)[:, ::-1])
    assert np.array_equal(*(sample.weights for sample in samples))
