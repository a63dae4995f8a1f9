"""Sample: some rows of votes as a sparse matrix, in blocks that fit a processor's cache."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from shortlist.arrays import Floats, Mask, Positions
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, posterior

MANY = 20  # on rows with more votes than this, one vote more or less changes no belief
BUFFER = 1 << 17  # numbers in a block of votes × classes


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows, and each vote on those of them that have few."""

    hot: sparse.csr_matrix  # (u, S): 1 where a row has that vote
    weights: Floats  # (u,)
    gold: Positions  # (u,): −1 where unknown
    row: Positions  # (v,): of each vote
    vote: Positions  # (v,): its shortlist
    labeler: Positions  # (v,)
    n_votes: Positions  # (v,): how many votes its row has
    many: Positions  # rows that have many votes

    @classmethod
    def of(cls, hot: sparse.csr_matrix, weights: Floats, gold: Positions, layout: Layout) -> Block:
        counts = np.diff(hot.indptr)
        row = np.repeat(np.arange(hot.shape[0]), counts)
        few = counts[row] <= MANY
        row, vote = row[few], hot.indices[few].astype(np.int64)
        return cls(hot, weights, gold, row, vote, layout.owner[vote], counts[row], np.flatnonzero(counts > MANY))

    def by_shortlist(self, size: int) -> sparse.csr_matrix:
        """(size, v): which votes are of which shortlist."""
        return _picks(self.vote, size)

    def by_labeler(self, votes: Positions, n: int) -> sparse.csr_matrix:
        """(n, votes): which of these votes are of which labeler."""
        return _picks(self.labeler[votes], n)


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with a vote, what they weigh, and their classes where these are known."""

    layout: Layout
    hot: sparse.csr_matrix  # (u, S)
    weights: Floats  # (u,)
    gold: Positions  # (u,)

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout, first: Positions | None = None) -> Sample:
        """The rows with a vote. Of copies, (n,) `first` of them, only the first votes."""
        codes = evidence.votes.codes
        row, labeler = np.nonzero(codes if first is None else np.where(first == np.arange(layout.n), codes, 0))
        vote = layout.starts[labeler] + codes[row, labeler] - 1
        hot = sparse.csr_matrix((np.ones(len(row)), (row, vote)), shape=(len(codes), len(layout.member)))
        return cls(layout, hot, evidence.weights, evidence.gold).only(np.diff(hot.indptr) > 0)

    def only(self, rows: Mask | Positions) -> Sample:
        return Sample(self.layout, self.hot[rows], self.weights[rows], self.gold[rows])

    @property
    def n_votes(self) -> Positions:
        counts: Positions = np.diff(self.hot.indptr)
        return counts

    def beliefs(self, table: Emission) -> Floats:
        """(u, k): P(Y | votes) under a table in which abstaining is no evidence. Exponents are left alone."""
        return posterior(self.hot @ table.votes + table.balance)

    def blocks(self) -> list[Block]:
        """All rows, some at a time."""
        votes = np.cumsum(np.minimum(self.n_votes, MANY) + 1) * self.layout.k
        ends = np.unique(np.searchsorted(votes, np.arange(BUFFER, votes.max(initial=0) + BUFFER, BUFFER)) + 1)
        starts = [0, *(int(end) for end in ends if end < len(self.weights))]
        parts = [slice(a, b) for a, b in zip(starts, [*starts[1:], len(self.weights)], strict=True)]
        return [Block.of(self.hot[part], self.weights[part], self.gold[part], self.layout) for part in parts]


def _picks(owner: Positions, size: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((np.ones(len(owner)), (owner, np.arange(len(owner)))), shape=(size, len(owner)))
