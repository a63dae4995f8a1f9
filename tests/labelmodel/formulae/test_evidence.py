import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shortlist import LabelModel, Votes
from shortlist.errors import BadFit
from shortlist.labelmodel.formulae import evidence as evidences
from shortlist.labelmodel.formulae.evidence import Evidence, gold_positions, merged
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
    monkeypatch.setattr(evidences, "PENDING", 8)
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
