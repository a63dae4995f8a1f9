"""Firing: how much more often a labeler votes on rows of some classes, as the other labelers judge.

A rule that says one thing or nothing tells all it knows by voting at all. How often it votes on rows of each class
cannot be learned from beliefs that its own votes made: those would confirm whatever was assumed. So a labeler is judged
by the others, those apart that vote where it does, on rows where at least one of them votes: P(it votes | the other
votes) = Σ_j P(j | the other votes) β_ij, and β_ij is the likeliest under that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.estimators.pooled.leaveout import Others
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, posterior

OFTEN = 0.999  # no class makes a labeler vote more surely than this
SELDOM = 1e-9  # rows of a class: fewer are no reason to divide by them
SURELY_NOT = -1e3  # the log-odds of a class that a row is known not to be


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the others say of the rows that each labeler could have voted on: how many of each class, and how many
    of them it did vote on; both (n, k)."""

    rows: Floats
    voted: Floats

    @classmethod
    def of(
        cls, evidence: Evidence, table: Emission, layout: Layout, judged: Mask, firing: Floats, peers: Mask
    ) -> Judgement:
        """Of the labelers that are `judged` (n,), given how often each votes by now (n, k). Rows of known class are
        judged by that.

        One EM step: a row that a labeler votes on is of class j in proportion to P(j | the other votes) β_ij.
        """
        others, told = Others.of(evidence.votes.codes, table, layout), evidence.gold >= 0
        sure = np.where(np.arange(layout.k) == evidence.gold[:, None], 0.0, SURELY_NOT)
        joint = np.where(told[:, None], sure, others.joint)
        everything = _weighed(joint, evidence.weights * ((others.several > 0) | told))
        total = everything.sum(axis=0)
        rows, voted = np.zeros((layout.n, layout.k)), np.zeros((layout.n, layout.k))
        for i, touched, rest, several in others.each(np.flatnonzero(judged), peers):
            known = np.where(told[touched, None], sure[touched], rest)
            alone = _weighed(known, evidence.weights[touched] * ((several > 0) | told[touched]))
            rows[i] = np.maximum(total - everything[touched].sum(axis=0), 0) + alone.sum(axis=0)
            fired = alone[others.codes[touched, i] > 0]
            share = fired * firing[i]
            voted[i] = (share * (fired.sum(axis=1) / np.maximum(share.sum(axis=1), SELDOM**2))[:, None]).sum(axis=0)
        return cls(rows, voted)

    def lift(self, named: Mask, ratio: float, side_votes: float, class_votes: float) -> Floats:
        """(n, k): how often each labeler votes on a class, up to a factor.

        Classes it can be right about (`named`) against all others: `ratio`, worth `side_votes` votes. Among the
        classes of each side: alike, worth `class_votes` votes.
        """
        judged = self.rows.sum(axis=1, keepdims=True) > 0
        share = np.maximum(self.rows, SELDOM) / np.maximum(self.rows, SELDOM).sum(axis=1, keepdims=True)
        mine = (share * named).sum(axis=1, keepdims=True)
        prior = ratio * mine / (ratio * mine + 1 - mine)
        hits = (self.voted * named).sum(axis=1, keepdims=True)
        inside = (hits + side_votes * prior) / (self.voted.sum(axis=1, keepdims=True) + side_votes)
        lift = np.where(named, ratio, 1.0)
        for side, votes in ((named, inside), (~named, 1 - inside)):
            whole = np.maximum((share * side).sum(axis=1, keepdims=True), SELDOM)
            part = share / whole  # of a class among the rows of its side
            total = (self.voted * side).sum(axis=1, keepdims=True)
            each = (self.voted + class_votes * part) / (total + class_votes) / part
            lift = np.where(side & judged, votes / whole * each, lift)
        return lift


def propensities(rate: Floats, lift: Floats, named: Mask, balance: Floats) -> Floats:
    """β_ij (n, k) in proportion to the lift; its mean over the balance is the observed rate β_i.

    A labeler that can be right about every class, or that always votes, tells nothing by voting: β_ij = β_i.
    """
    each = np.minimum((rate / (lift @ balance))[:, None] * lift, OFTEN)
    return np.where(telling(rate, named)[:, None], each, rate[:, None])


def telling(rate: Floats, named: Mask) -> Mask:
    """(n,): labelers that tell something by voting at all."""
    told: Mask = ~named.all(axis=1) & (rate <= OFTEN) & (rate > 0)
    return told


def _weighed(joint: Floats, weights: Floats) -> Floats:
    """Beliefs (rows, k), times what each row weighs."""
    beliefs = posterior(joint)
    beliefs *= weights[:, None]
    return beliefs
