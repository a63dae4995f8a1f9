"""Votes in parts: the same fit as in one place; a sample depends on the votes alone."""

import numpy as np
import pytest

from shortlist import LabelModel, Votes
from shortlist.labelmodel.evidence import Evidence, EvidenceSum, unique
from shortlist.votes.vote_parts import VotePart, VoteParts

SPACE = ["a", "b", "c"]
CODOMAINS = [["a", "b", "c"], ["a", {"b", "c"}], [{"a", "b"}, "c"], ["a", "b", "c"], ["b", {"a", "c"}]]


def votes(m=900, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, m)
    sizes = np.array([3, 2, 2, 3, 2])
    codes = rng.integers(0, sizes + 1, (m, 5))
    right = rng.random((m, 5)) < 0.7
    codes[:, 0] = np.where(right[:, 0], truth + 1, codes[:, 0])
    codes[:, 3] = np.where(right[:, 3], truth + 1, codes[:, 3])
    return Votes(codes, CODOMAINS, SPACE)


def in_parts(whole, folder, cuts):
    """The same votes in files; `cuts` are the rows where one ends."""
    (folder / "votes").mkdir(parents=True)
    parts = []
    for number, rows in enumerate(np.split(np.arange(len(whole)), cuts)):
        part = whole[rows]
        part.save(folder / "votes" / f"{number}.parquet")
        parts.append(VotePart(f"votes/{number}.parquet", len(part), int(part.covered.sum()), f"{folder}{number}"))
    VoteParts(folder, whole[:0], tuple(parts)).save(folder / "votes.json")
    return VoteParts.open(folder / "votes.json")


def gold_of(m):
    return {a: SPACE[a % 3] for a in range(0, m, 50)}


@pytest.mark.parametrize("known", [False, True])
def test_part_by_part_the_fit_is_the_same(known, tmp_path):
    whole = votes()
    gold = gold_of(len(whole)) if known else None
    parts = in_parts(whole, tmp_path, [100, 101, 600])
    mine, theirs = LabelModel().fit(parts, gold), LabelModel().fit(whole, gold)
    assert np.array_equal(mine.accuracy_, theirs.accuracy_)
    assert np.array_equal(mine.predict_proba(whole), theirs.predict_proba(whole))


def test_a_sample_depends_on_the_votes_alone():
    whole = votes(4000)
    found = []
    for cuts in ([], [5, 1000, 1001], [2000], range(100, 4000, 100)):
        for order in (1, -1):
            total = EvidenceSum(60)
            for rows in np.split(np.arange(len(whole)), cuts)[::order]:
                total.add(unique(whole[rows], None, None))
            found.append(total.total())
    first = found[0]
    assert len(first.weights) <= 60
    assert first.total == pytest.approx(4000)
    for other in found:
        assert np.array_equal(first.votes.codes, other.votes.codes)
        assert np.array_equal(first.weights, other.weights)


def test_counts_of_a_sample_are_in_the_proportions_of_all():
    whole = votes(4000)
    total = EvidenceSum(60)
    total.add(unique(whole, None, None))
    sample, exact = total.total(), Evidence.gather(whole)
    rows = {codes.tobytes(): weight for codes, weight in zip(exact.votes.codes, exact.weights, strict=True)}
    ratio = [weight / rows[codes.tobytes()] for codes, weight in zip(sample.votes.codes, sample.weights, strict=True)]
    assert max(ratio) == pytest.approx(min(ratio))
