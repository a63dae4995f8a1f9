"""Finder: rows to look at, by what labelers say about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from shortlist.analysis import Analysis
from shortlist.arrays import Positions
from shortlist.votes import Votes
from shortlist.votes.patterns import Codes


class Query(NamedTuple):
    """Rows about which these labelers, by place, have these codes."""

    codes: Mapping[int, int]
    most: int  # how many rows will do
    unlabelled: bool = False  # whether only rows without a known class are wanted
    wrong: int | None = None  # a labeler, by place, whose vote does not hold the known class


class Found(NamedTuple):
    """A row: its number, what it is called, its votes, and its class where that is known (else −1)."""

    row: int
    name: str
    codes: Codes
    gold: int


class Finder(Protocol):
    """Whoever knows where the rows are."""

    def __call__(self, queries: Sequence[Query]) -> list[list[Found]]:
        """For each query, some rows that answer it."""


class RowFinder:
    """Finds rows in an analysis that holds all of them."""

    def __init__(self, analysis: Analysis) -> None:
        self.votes, self.gold = analysis.votes, analysis.gold

    def __call__(self, queries: Sequence[Query]) -> list[list[Found]]:
        return [[self._found(a) for a in answers(query, self.votes, self.gold)] for query in queries]

    def _found(self, a: int) -> Found:
        ids = self.votes.ids
        name = f"row {a}" if ids is None else str(ids[a])
        return Found(a, name, self.votes.codes[a], -1 if self.gold is None else int(self.gold[a]))


def answers(query: Query, votes: Votes, gold: Positions | None) -> list[int]:
    """Rows of votes that answer a query, evenly spaced from the first to the last."""
    codes = votes.codes
    right = np.ones(len(codes), np.bool_)
    for i, code in query.codes.items():
        right &= codes[:, i] == code
    if query.unlabelled and gold is not None:
        right &= gold < 0
    if query.wrong is not None:
        i = query.wrong
        member = np.vstack([np.ones(len(votes.space), np.bool_), votes.codomains[i].member(votes.space)])
        right &= False if gold is None else (gold >= 0) & ~member[codes[:, i], gold]
    return spread_out(np.flatnonzero(right), query.most)


def spread_out(members: Positions, most: int) -> list[int]:
    """Some of them, from the first to the last."""
    at = np.linspace(0, len(members) - 1, min(most, len(members))).round().astype(np.int64)
    return [int(a) for a in members[np.unique(at)]]
