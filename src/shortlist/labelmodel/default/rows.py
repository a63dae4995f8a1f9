"""Rows: votes as a sparse matrix, and the sums over votes that the fit is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from shortlist.arrays import Floats, Mask, Positions, row_largest, row_sums
from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.likelihood import Emission

SURENESS = 4.0  # the larger, the less do votes count that the others are unsure about
POWERS = tuple(np.exp(-0.2 * np.arange(18)).tolist())  # 1 … 0.03
BLOCK = 1 << 20  # votes × classes that are computed at a time
SMALLEST = 1e-300  # avoids a division by 0


class Judged(NamedTuple):
    """Expected counts."""

    votes: Floats  # (S, k): votes for each shortlist on rows of each class
    rules: Floats  # (n, k): votes of rules on rows of each class, as the other labelers have it
    rows: Floats  # (n, k): rows of each class, as the other labelers have it
    mass: Floats  # (k,): rows of each class


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with a vote, their weights, and their classes where these are known."""

    layout: Layout
    hot: sparse.csr_matrix  # (u, S): 1 where a row has that vote
    weights: Floats  # (u,)
    gold: Positions  # (u,): −1 where unknown

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout) -> Rows:
        codes = evidence.votes.codes
        row, labeler = np.nonzero(codes)
        vote = layout.starts[labeler] + codes[row, labeler] - 1
        hot = sparse.csr_matrix((np.ones(len(row)), (row, vote)), shape=(len(codes), len(layout.member)))
        return cls(layout, hot, evidence.weights, evidence.gold).only(np.diff(hot.indptr) > 0)

    def only(self, rows: Mask | slice) -> Rows:
        return replace(self, hot=self.hot[rows], weights=self.weights[rows], gold=self.gold[rows])

    def blocks(self) -> list[Rows]:
        """All rows, some at a time."""
        size = np.cumsum(np.diff(self.hot.indptr) + 1) * self.layout.k
        ends = np.unique(np.searchsorted(size, np.arange(BLOCK, size.max(initial=0) + BLOCK, BLOCK)) + 1)
        edges = [0, *(int(end) for end in ends if end < len(self.weights)), len(self.weights)]
        return [self.only(slice(a, b)) for a, b in pairwise(edges)]

    @cached_property
    def votes(self) -> tuple[Positions, Positions, Floats]:
        """(v,) each: row and shortlist of every vote, in the order of shortlists, and how many votes the row has."""
        columns = self.hot.tocsc()
        vote = np.repeat(np.arange(self.hot.shape[1]), np.diff(columns.indptr))
        return columns.indices, vote, np.diff(self.hot.indptr)[columns.indices] + 0.0

    def by_vote(self, amounts: Floats) -> sparse.csr_matrix:
        """(S, u): the amounts of votes (v,), to be multiplied by a table of rows."""
        row, vote, _ = self.votes
        starts = np.searchsorted(vote, np.arange(self.hot.shape[1] + 1))
        return sparse.csr_matrix((amounts, row, starts), shape=self.hot.shape[::-1])

    def share(self, labelers: Mask, fewest: int = 1) -> float:
        """Share of the rows with at least so many votes of these labelers (n,)."""
        enough = self.hot @ labelers[self.layout.owner].astype(np.float64) >= fewest
        return float(self.weights @ enough) / max(float(self.weights.sum()), SMALLEST)

    def joint(self, table: Emission, power: float = 1.0) -> Floats:
        """(u, k): P(votes, class) to a power, each row over its largest entry. Known classes are certain."""
        table = table.of_votes_alone(self.layout)
        joint: Floats = self.hot @ table.votes + table.balance
        joint = np.exp(power * (joint - row_largest(joint)))
        known = np.flatnonzero(self.gold >= 0)
        joint[known] = np.arange(self.layout.k) == self.gold[known, None]
        return joint

    def judged(self, table: Emission, lift: Floats, rules: Mask, own: float = 1.0, power: float = SURENESS) -> Judged:
        """Each vote judged by its row: V = (own/N) P(Y | the other votes) + (1 − own/N) P(Y | all votes), N votes.

        It counts for more, the surer the other votes are: ((Σ_j P_j² − 1/k) / (1 − 1/k))^(power/(N − 1)). The only
        vote of a row is not counted, unless the class is known. With P(Y, votes) of a row and the factor that takes a
        vote out, P(Y | the other votes) is their product over its sum z; so sums over votes are sparse products.
        """
        (row, vote, n_votes), k, owner = self.votes, self.layout.k, self.layout.owner
        joint = self.joint(table)
        beliefs = joint / row_sums(joint)
        without = np.exp(row_largest(table.votes) - table.votes)  # (S, k): takes a vote out
        others = joint[row] * without[vote]
        z = np.maximum(row_sums(others)[:, 0], SMALLEST)
        sure = np.maximum((np.einsum("vk,vk->v", others, others) / z**2 - 1 / k) / max(1 - 1 / k, SMALLEST), 0.0)
        weight = self.weights[row] * ((n_votes > 1) | (self.gold[row] >= 0))
        counted, alone = weight * sure ** (power / np.maximum(n_votes - 1, 1)), own / n_votes
        counts = without * (self.by_vote(counted * alone / z) @ joint) + self.by_vote(counted * (1 - alone)) @ beliefs
        mass = self.weights @ beliefs
        if not rules.any():
            return Judged(counts, np.zeros((1, 1)), np.zeros((1, 1)), mass)
        mine, lifted = rules[owner[vote]], lift[owner]
        rows = without * (self.by_vote(weight * mine / z) @ joint) - self.by_vote(self.weights[row] * mine) @ beliefs
        others *= lifted[vote]
        told = without * lifted * (self.by_vote(weight * mine / np.maximum(row_sums(others)[:, 0], SMALLEST)) @ joint)
        return Judged(counts, self.layout.per_labeler(told), self.layout.per_labeler(rows), mass)

    def predicting(self, table: Emission) -> float:
        """The power of the other votes of a row that best predicts what a labeler says, given that it votes."""
        shared = self.only(np.diff(self.hot.indptr) > 1)
        shared = shared.only(slice(None, None, max(1, 4 * shared.hot.nnz * self.layout.k // BLOCK)))
        (row, vote, _), owner = shared.votes, self.layout.owner
        said, alone = np.exp(table.votes), table.of_votes_alone(self.layout)
        said /= np.maximum(self.layout.per_labeler(said), SMALLEST)[owner]
        others = (shared.hot @ alone.votes + alone.balance)[row] - table.votes[vote]
        others -= row_largest(others)

        def score(power: float) -> float:
            joint = np.exp(power * others)
            right = np.log(np.maximum(np.einsum("vk,vk->v", joint, said[vote]) / row_sums(joint)[:, 0], SMALLEST))
            return round(float(shared.weights[row] @ right) / max(float(shared.weights.sum()), SMALLEST), 9)

        return float(max(POWERS, key=score))


def judge(blocks: Sequence[Rows], table: Emission, lift: Floats, rules: Mask, **how: float) -> Judged:
    """Sums over all blocks."""
    parts = [block.judged(table, lift, rules, **how) for block in blocks]
    votes, told, rows, mass = (sum(part) for part in zip(*parts, strict=True))
    return Judged(votes, told, np.maximum(mass + rows, 0.0), mass)
