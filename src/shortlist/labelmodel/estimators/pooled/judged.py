"""Judged: the votes of each labeler on rows of each class, as the rest of the row has it.

A labeler that votes on every row would confirm itself: beliefs follow its votes, and its votes follow beliefs. So a
vote is counted under beliefs in which it takes part only in so far as it is one of many. On a row with N votes,

    V = P(Y | the other votes) / N + P(Y | all votes) (N − 1) / N,

and it counts for the more, the surer the other votes are: (1 − H / log k)^(4 / (N − 1)), where H is the entropy of
P(Y | the other votes). A vote that nobody else joins is not counted. Rows of known class count as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import entr

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.estep.blocks import in_order, threads_engine
from shortlist.labelmodel.estimators.pooled.sample import Block, Sample
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.formulae.likelihood import Emission

SURENESS = 4.0  # the larger, the less do votes count that the others are unsure about
SMALLEST = 1e-300  # of a sum that is divided by


class Judged(NamedTuple):
    """Expected counts."""

    votes: Floats  # (S, k): of each shortlist on rows of each class
    telling: Floats  # (n, k): votes of labelers that tell something by voting, by the others alone
    rows: Floats  # (n, k): rows of each class that such a labeler could have voted on


@dataclass(frozen=True, eq=False)
class Judge:
    """Rows that are judged again and again, with all that does not change."""

    says: Says
    blocks: Sequence[JudgedBlock]
    threads: int | None

    @classmethod
    def of(cls, sample: Sample, says: Says, threads: int | None) -> Judge:
        return cls(says, [JudgedBlock.of(block, says) for block in sample.blocks()], threads)

    def __call__(self, table: Emission, propensity: Floats) -> Judged:
        """One pass, given the propensities by now (n, k). The balance of the table is left alone: classes are equal."""
        own = np.exp(table.votes.max(axis=1, keepdims=True) - table.votes)  # takes a vote out of the beliefs
        found = in_order(
            threads_engine(self.threads), lambda block: block.judged(table.votes, own, propensity), self.blocks
        )
        n, k, size = self.says.layout.n, self.says.layout.k, len(table.votes)
        votes, telling, own_rows, mass = np.zeros((size, k)), np.zeros((n, k)), np.zeros((n, k)), np.zeros(k)
        for part in found:
            votes += part[0]
            telling += part[1]
            own_rows += part[2]
            mass += part[3]
        return Judged(votes, telling, np.maximum(mass + own_rows, 0))


@dataclass(frozen=True, eq=False)
class JudgedBlock:
    """Some rows, and how much each vote on them counts."""

    block: Block
    weight: Floats  # (v,): of the row of each vote; 0 where nobody else votes
    power: Floats  # (v,): of the sureness
    alone: Floats  # (v, 1): 1/N
    shortlists: sparse.csr_matrix  # (S, v)
    telling: Positions  # votes of labelers that tell something by voting
    labelers: sparse.csr_matrix  # (n, telling)

    @classmethod
    def of(cls, block: Block, says: Says) -> JudgedBlock:
        joined = (block.n_votes > 1) | (block.gold[block.row] >= 0)
        telling = np.flatnonzero(says.telling[block.labeler])
        return cls(
            block,
            block.weights[block.row] * joined,
            SURENESS / np.maximum(block.n_votes - 1, 1),
            1 / block.n_votes[:, None],
            block.by_shortlist(len(says.layout.member)),
            telling,
            block.by_labeler(telling, says.layout.n),
        )

    def judged(self, votes: Floats, own: Floats, propensity: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts by shortlist (S, k); and by labeler: votes (n, k), rows voted on (n, k); and few-voted rows (k,)."""
        block = self.block
        joint, beliefs = _beliefs(block, votes)
        others = joint[block.row]
        others *= own[block.vote]
        others /= np.maximum(others.sum(axis=1, keepdims=True), SMALLEST)
        believed = beliefs[block.row]
        counts = self.shortlists @ self._counted(others, believed)
        mass = block.weights @ beliefs
        if len(block.many):
            weighed = beliefs[block.many] * block.weights[block.many, None]
            counts += block.hot[block.many].T @ weighed
            mass = mass - weighed.sum(axis=0)
        return counts, *self._told(others, believed, propensity), mass

    def _counted(self, others: Floats, believed: Floats) -> Floats:
        """(v, k): what each vote counts for each class."""
        sureness = np.maximum(1 - entr(others).sum(axis=1) / np.log(max(others.shape[1], 2)), 0.0)
        counted = believed + self.alone * (others - believed)
        counted *= (self.weight * sureness**self.power)[:, None]
        return counted

    def _told(self, others: Floats, believed: Floats, propensity: Floats) -> tuple[Floats, Floats]:
        """(n, k) both: votes, and by how much the rows a labeler votes on differ when it is not asked.

        One EM step: a row is of class j in proportion to P(j | the other votes) β_ij.
        """
        block, chosen = self.block, self.telling
        weight = self.weight[chosen, None]
        rest = others[chosen]
        told = rest * propensity[block.labeler[chosen]]
        told *= weight / np.maximum(told.sum(axis=1, keepdims=True), SMALLEST)
        rest *= weight
        rest -= believed[chosen] * block.weights[block.row[chosen], None]
        return self.labelers @ told, self.labelers @ rest


def _beliefs(block: Block, votes: Floats) -> tuple[Floats, Floats]:
    """(u, k) both: P(votes, Y), each row up to a factor; and P(Y | votes)."""
    joint = block.hot @ votes
    joint -= joint.max(axis=1, keepdims=True)
    np.exp(joint, out=joint)
    known = np.flatnonzero(block.gold >= 0)
    joint[known] = np.arange(joint.shape[1]) == block.gold[known, None]
    return joint, joint / joint.sum(axis=1, keepdims=True)
