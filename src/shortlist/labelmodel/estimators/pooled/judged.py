"""Judged: the votes of each labeler on rows of each class, as the rest of the row has it.

A labeler that votes on every row would confirm itself: beliefs follow its votes, and its votes follow beliefs. So a
vote is counted under beliefs in which it takes part only in so far as it is one of many. On a row with N votes,

    V = P(Y | the other votes) / N + P(Y | all votes) (N − 1) / N,

and it counts for the more, the surer the other votes are: to the power of 4 / (N − 1), how far P(Y | the other votes)
is from equal classes, (Σ_j P_j² − 1/k) / (1 − 1/k). A vote that nobody else joins is not counted. Rows of known class
count as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from shortlist.arrays import Floats, Mask, row_largest, row_sums
from shortlist.labelmodel.estimators.pooled.sample import Block, Sample
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.kernel import in_order, threads_engine
from shortlist.labelmodel.likelihood import Emission

SURENESS = 4.0  # the larger, the less do votes count that the others are unsure about
NOTHING: Floats = np.zeros((1, 1))  # of a block where no labeler tells anything by voting
SMALLEST = 1e-300  # of a sum that is divided by


class Judged(NamedTuple):
    """Expected counts."""

    votes: Floats  # (S, k): of each shortlist on rows of each class
    telling: Floats  # (n, k): votes of labelers that tell something by voting, by the others alone
    rows: Floats  # (n, k): rows of each class that such a labeler could have voted on
    mass: Floats  # (k,): rows of each class, as all votes have it


@dataclass(frozen=True, eq=False)
class Judge:
    """Rows that are judged again and again, with all that does not change."""

    says: Says
    asked: Mask  # (n,): labelers that take part
    blocks: Sequence[JudgedBlock]
    threads: int | None

    @classmethod
    def of(cls, sample: Sample, says: Says, threads: int | None) -> Judge:
        return cls(says, sample.asked, [JudgedBlock.of(block, says) for block in sample.blocks()], threads)

    def of_all(self, *, own_vote: bool) -> Judge:
        """One to whom every vote counts the same; with the vote itself among its judges, or without it as far as 1/N.

        Beliefs are all there is to judge a vote by that nobody joins.
        """
        return replace(self, blocks=[block.of_all(own_vote) for block in self.blocks])

    def __call__(self, table: Emission, propensity: Floats) -> Judged:
        """One pass, given the propensities by now (n, k). Exponents of the table are left alone."""
        layout = self.says.layout
        own = np.exp(row_largest(table.votes) - table.votes)  # takes a vote out of the beliefs
        table = table.of_votes_alone(layout, self.asked)
        parts = in_order(threads_engine(self.threads), lambda block: block.judged(table, own, propensity), self.blocks)
        counts, told, asked, mass = (sum(part) for part in zip(*parts, strict=True))
        told, asked = (np.broadcast_to(each, counts.shape) for each in (told, asked))
        return Judged(counts, layout.per_labeler(told), np.maximum(mass + layout.per_labeler(asked), 0), mass)


@dataclass(frozen=True, eq=False)
class JudgedBlock:
    """Some rows, and how much each vote on them counts."""

    block: Block
    weight: Floats  # (v,): of the row of each vote; 0 where nobody else votes
    power: Floats  # (v,): of the sureness
    alone: Floats  # (v,): 1/N
    telling: Mask  # (v,): votes of labelers that tell something by voting
    some_tell: bool  # whether any labeler does

    @classmethod
    def of(cls, block: Block, says: Says) -> JudgedBlock:
        joined = (block.n_votes > 1) | (block.gold[block.row] >= 0)
        power = SURENESS / np.maximum(block.n_votes - 1, 1)
        weight, telling = block.weights[block.row] * joined, says.telling[block.labeler]
        return cls(block, weight, power, 1 / block.n_votes, telling, bool(says.telling.any()))

    def of_all(self, own_vote: bool) -> JudgedBlock:
        """Every vote counts what its row weighs."""
        alone = np.where((self.block.n_votes > 1) & (not own_vote), self.alone, 0.0)
        return replace(self, weight=self.block.weights[self.block.row], power=np.zeros_like(self.power), alone=alone)

    def judged(self, table: Emission, own: Floats, propensity: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts (S, k); of labelers that tell by voting, votes and rows (S, k); and all rows (k,).

        With P(Y, votes) of a row and the factor that takes one vote out of it, P(Y | the other votes) is their product
        over its sum z. Sums of it over votes are sparse products; only z and Σ P² are found vote by vote.
        """
        block = self.block
        joint, beliefs = _beliefs(block, table)
        z, squares = block.products(joint, own)
        z = np.maximum(z, SMALLEST)
        weight = self._weight(squares / z**2, 1 / joint.shape[1])
        counts = own * (block.by_vote(weight * self.alone / z) @ joint)
        counts += block.by_vote(weight * (1 - self.alone)) @ beliefs
        mass = block.weights @ beliefs
        of_many: Floats | float = 0.0
        if len(block.many):
            of_many = block.hot[block.many].T @ (beliefs[block.many] * block.weights[block.many, None])
            counts += of_many
        if not self.some_tell:
            return counts, NOTHING, NOTHING, mass
        told = self._told(joint, own * propensity[block.owner]) + of_many
        rest = own * (block.by_vote(self.weight * self.telling / z) @ joint)
        rest -= block.by_vote(block.weights[block.row] * self.telling) @ beliefs
        return counts, told, rest, mass

    def _weight(self, squares: Floats, equal: float) -> Floats:
        """(v,): what each vote counts, by Σ_j P(j | the other votes)²."""
        sureness = np.maximum((squares - equal) / max(1 - equal, SMALLEST), 0.0)
        weight: Floats = self.weight * sureness**self.power
        return weight

    def _told(self, joint: Floats, own: Floats) -> Floats:
        """(S, k): votes of labelers that tell by voting. A row is of class j in proportion to P(j | others) β_ij."""
        z, _ = self.block.products(joint, own)
        share = np.divide(self.weight * self.telling, z, out=np.zeros_like(z), where=z > SMALLEST)
        told: Floats = own * (self.block.by_vote(share) @ joint)
        return told


def _beliefs(block: Block, table: Emission) -> tuple[Floats, Floats]:
    """(u, k) both: P(votes, Y), each row up to a factor; and P(Y | votes)."""
    joint = block.hot @ table.votes
    joint += table.balance
    joint -= row_largest(joint)
    np.exp(joint, out=joint)
    known = np.flatnonzero(block.gold >= 0)
    joint[known] = np.arange(joint.shape[1]) == block.gold[known, None]
    return joint, joint / row_sums(joint)
