"""Sample: some rows of votes as a sparse matrix, in blocks that fit a processor's cache."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from shortlist.arrays import Floats, Mask, Positions, row_largest, row_sums
from shortlist.labelmodel.evidence import Evidence, thinned
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission

MANY = 20  # on rows with more votes than this, one vote more or less changes no belief
DENSE = 8  # times as many products as needed are still the faster way, all at once
BUFFER = 1 << 17  # numbers in a block of votes × classes
GATHERED = 1 << 15  # of these, taken together at a time


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows, and each vote on those of them that have few."""

    owner: Positions  # (S,): the labeler of each shortlist
    hot: sparse.csr_matrix  # (u, S): 1 where a row has that vote
    weights: Floats  # (u,)
    gold: Positions  # (u,): −1 where unknown
    row: Positions  # (v,): of each vote, in the order of shortlists
    vote: Positions  # (v,): its shortlist
    n_votes: Positions  # (v,): how many votes its row has
    many: Positions  # rows that have many votes

    @classmethod
    def of(cls, hot: sparse.csr_matrix, weights: Floats, gold: Positions, layout: Layout) -> Block:
        counts = np.diff(hot.indptr)
        many = counts > MANY
        columns = hot.tocsc()
        row, vote = columns.indices, np.repeat(np.arange(hot.shape[1]), np.diff(columns.indptr))
        few = ~many[row]
        row, vote = row[few], vote[few]
        return cls(layout.owner, hot, weights, gold, row, vote, counts[row], np.flatnonzero(many))

    @property
    def labeler(self) -> Positions:
        """(v,): who voted."""
        return self.owner[self.vote]

    def products(self, rows: Floats, shortlists: Floats) -> tuple[Floats, Floats]:
        """(v,) both: Σ_j of rows (u, k) × shortlists (S, k), of the row and the shortlist of each vote; and Σ_j of
        its squares.
        """
        if len(shortlists) * len(rows) <= DENSE * len(self.row):
            pairs = (rows @ shortlists.T, rows**2 @ (shortlists**2).T)
            return pairs[0][self.row, self.vote], pairs[1][self.row, self.vote]
        sums = np.empty((2, len(self.row)))
        some = max(GATHERED // rows.shape[1], 1)
        for votes in (slice(a, a + some) for a in range(0, len(self.row), some)):
            each = rows[self.row[votes]]
            each *= shortlists[self.vote[votes]]
            sums[0, votes] = row_sums(each)[:, 0]
            sums[1, votes] = np.einsum("vk,vk->v", each, each)
        return sums[0], sums[1]

    def by_vote(self, amounts: Floats) -> sparse.csr_matrix:
        """(S, u): the amounts of votes (v,). Its product with a table of rows sums over the votes of a shortlist."""
        starts = np.searchsorted(self.vote, np.arange(self.hot.shape[1] + 1))
        return sparse.csr_matrix((amounts, self.row, starts), shape=self.hot.shape[::-1])


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with a vote, what they weigh, and their classes where these are known."""

    layout: Layout
    hot: sparse.csr_matrix  # (u, S)
    weights: Floats  # (u,)
    gold: Positions  # (u,)
    asked: Mask  # (n,): labelers that take part

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout, first: Positions | None = None) -> Sample:
        """The rows with a vote. Of copies, (n,) `first` of them, only the first is asked."""
        codes, labelers = evidence.votes.codes, np.arange(layout.n)
        asked = labelers == (labelers if first is None else first)
        row, labeler = np.nonzero(codes if asked.all() else np.where(asked, codes, 0))
        vote = layout.starts[labeler] + codes[row, labeler] - 1
        hot = sparse.csr_matrix((np.ones(len(row)), (row, vote)), shape=(len(codes), len(layout.member)))
        return cls(layout, hot, evidence.weights, evidence.gold, asked).only(np.diff(hot.indptr) > 0)

    def only(self, rows: Mask | Positions) -> Sample:
        return replace(self, hot=self.hot[rows], weights=self.weights[rows], gold=self.gold[rows])

    def heaviest(self, most: int) -> Sample:
        """At most so many rows: the heaviest half, and a part of the rest."""
        if len(self.weights) <= most:
            return self
        rows, weights = thinned(np.argsort(-self.weights, kind="stable"), self.weights, most)
        return replace(self.only(rows), weights=weights)

    def votes_of(self, labelers: Mask) -> Floats:
        """(u,): how many of these labelers (n,) vote on each row."""
        votes: Floats = self.hot @ labelers[self.layout.owner].astype(np.float64)
        return votes

    def share_with(self, labelers: Mask) -> float:
        """The share of rows with a vote of one of these labelers (n,)."""
        whole = float(self.weights.sum())
        return float(self.weights @ (self.votes_of(labelers) > 0)) / whole if whole else 0.0

    @property
    def n_votes(self) -> Positions:
        counts: Positions = np.diff(self.hot.indptr)
        return counts

    def beliefs(self, table: Emission) -> Floats:
        """(u, k): P(Y | votes) under a table. Exponents are left alone."""
        table = table.of_votes_alone(self.layout, self.asked)
        beliefs: Floats = self.hot @ table.votes
        beliefs += table.balance
        beliefs -= row_largest(beliefs)
        np.exp(beliefs, out=beliefs)
        beliefs /= row_sums(beliefs)
        return beliefs

    def blocks(self) -> list[Block]:
        """All rows, some at a time."""
        votes = np.cumsum(np.minimum(self.n_votes, MANY) + 1) * self.layout.k
        size = max(BUFFER, 4 * self.layout.member.size)  # what a block gives is a table of shortlists × classes
        ends = np.unique(np.searchsorted(votes, np.arange(size, votes.max(initial=0) + size, size)) + 1)
        starts = [0, *(int(end) for end in ends if end < len(self.weights))]
        parts = [slice(a, b) for a, b in zip(starts, [*starts[1:], len(self.weights)], strict=True)]
        return [Block.of(self.hot[part], self.weights[part], self.gold[part], self.layout) for part in parts]
