"""Votes small enough to work everything out by hand, and the slow way to work things out for any votes."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np

from shortlist import LabelModel, Votes
from shortlist.errors import FitWarning

CLASSES = ["business", "sports", "world"]

# row   goal       abroad            money        class
#  0    sports     {sports, world}   –            sports
#  1    sports     business          –            sports      goal and abroad contradict each other
#  2    sports     {sports, world}   business     sports      goal and money do, and abroad and money
#  3    –          {sports, world}   –            world
#  4    –          –                 business     business
#  5    –          –                 –            world
CODES = [[1, 1, 0], [1, 2, 0], [1, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
SAYS = [["sports", {"business", "world"}], [{"sports", "world"}, "business"], ["business", {"sports", "world"}]]
NAMES = ["goal", "abroad", "money"]
GOLD = ["sports", "sports", "sports", "world", "business", "world"]


def newspaper(**options) -> Votes:
    return Votes(CODES, SAYS, CLASSES, NAMES, **options)


class Oracle:
    """A model that believes what it is told about each row of the newspaper."""

    class_balance_ = np.full(3, 1 / 3)

    def __init__(self, beliefs):
        self.beliefs = np.asarray(beliefs, float)

    def predict_proba(self, votes):
        keys = [tuple(row) for row in CODES]
        return np.array([self.beliefs[keys.index(tuple(row))] for row in votes.codes.tolist()])


BELIEFS = [
    [0.0, 1.0, 0.0],
    [0.4, 0.6, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.2, 0.8],
    [0.8, 0.0, 0.2],
    [0.25, 0.25, 0.5],
]


def oracle() -> Oracle:
    return Oracle(BELIEFS)


def quietly_fitted(votes: Votes, **options) -> LabelModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        return LabelModel(**options).fit(votes)


def shortlists_of(votes: Votes) -> list[list[frozenset | None]]:
    """What was said, row by row."""
    return [[votes.shortlist(a, i) for i in range(len(votes.names))] for a in range(len(votes))]


def brute_labelers(votes: Votes) -> list[tuple[int, int, int, int]]:
    """Per labeler: votes, overlapping rows, conflicting rows, classes named; row by row."""
    found = []
    for i in range(len(votes.names)):
        voted = overlap = conflict = named = 0
        for row in shortlists_of(votes):
            others = [s for j, s in enumerate(row) if j != i and s is not None]
            if row[i] is not None:
                voted += 1
                named += len(row[i])
                overlap += bool(others)
                conflict += any(not row[i] & s for s in others)
        found.append((voted, overlap, conflict, named))
    return found


def brute_pairs(votes: Votes) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Per pair: rows on which both vote, are disjoint, are the same."""
    rows = shortlists_of(votes)
    found = {}
    for i, j in combinations(range(len(votes.names)), 2):
        both = [(row[i], row[j]) for row in rows if row[i] is not None and row[j] is not None]
        found[i, j] = (len(both), sum(not s & t for s, t in both), sum(s == t for s, t in both))
    return found
