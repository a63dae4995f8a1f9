"""Propensity: how much more often a labeler votes on rows of some classes, as the other labelers judge.

A rule that always gives the same answer tells all it knows by voting at all. How often it votes on rows of each class
cannot be learned from beliefs that its own votes made: those would confirm whatever was assumed. So a labeler is judged
by the others, on rows where at least one of them votes. Labelers that vote on the same rows as it does take no part.
P(it votes | the other votes) = Σ_j P(j | the other votes) β_ij, and β_ij is the likeliest under that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.estimators.pooled.leaveout import LeaveOut
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission, posterior

HIGHEST = 0.999  # no class makes a labeler vote more surely than this
FEWEST = 1e-9  # rows of a class: fewer are no reason to divide by them
SURELY_NOT = -1e3  # the log-odds of a class that a row is known not to be


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the others say of the rows that each labeler could have voted on."""

    rows: Floats  # (n, k): how many there are of each class
    voted: Floats  # (n, k): how many of them it did vote on

    @classmethod
    def of(
        cls, evidence: Evidence, table: Emission, layout: Layout, judged: Mask, propensity: Floats, co_voters: Mask
    ) -> Judgement:
        """Of the labelers that are `judged` (n,), given their propensities by now (n, k).

        One EM step: a row that a labeler votes on is of class j in proportion to P(j | the other votes) β_ij. Rows of
        known class count as that.
        """
        all_votes, gold = LeaveOut.of(evidence.votes.codes, table, layout), evidence.gold
        known = gold >= 0
        sure = np.where(np.arange(layout.k) == gold[:, None], 0.0, SURELY_NOT)
        joint = np.where(known[:, None], sure, all_votes.joint)
        everything = _weighed(joint, evidence.weights * ((all_votes.n_votes > 0) | known))
        total = everything.sum(axis=0)
        rows, voted = np.zeros((layout.n, layout.k)), np.zeros((layout.n, layout.k))
        for i, touched, rest, n_others in all_votes.each(np.flatnonzero(judged), co_voters):
            joint = np.where(known[touched, None], sure[touched], rest)
            others = _weighed(joint, evidence.weights[touched] * ((n_others > 0) | known[touched]))
            rows[i] = np.maximum(total - everything[touched].sum(axis=0), 0) + others.sum(axis=0)
            own = others[all_votes.codes[touched, i] > 0]
            share = own * propensity[i]
            voted[i] = (share * (own.sum(axis=1) / np.maximum(share.sum(axis=1), FEWEST**2))[:, None]).sum(axis=0)
        return cls(rows, voted)

    def lift(self, named: Mask, ratio: float, side_votes: float, class_votes: float) -> Floats:
        """(n, k): how often each labeler votes on a class, up to a factor.

        Classes it names (`named`) against all others: `ratio`, worth `side_votes` votes. Among the classes of each
        side: alike, worth `class_votes` votes.
        """
        judged = self.rows.sum(axis=1, keepdims=True) > 0
        share = np.maximum(self.rows, FEWEST) / np.maximum(self.rows, FEWEST).sum(axis=1, keepdims=True)
        mine = (share * named).sum(axis=1, keepdims=True)
        prior = ratio * mine / (ratio * mine + 1 - mine)
        hits = (self.voted * named).sum(axis=1, keepdims=True)
        inside = (hits + side_votes * prior) / (self.voted.sum(axis=1, keepdims=True) + side_votes)
        lift = np.where(named, ratio, 1.0)
        for side, votes in ((named, inside), (~named, 1 - inside)):
            whole = np.maximum((share * side).sum(axis=1, keepdims=True), FEWEST)
            part = share / whole  # of a class among the rows of its side
            total = (self.voted * side).sum(axis=1, keepdims=True)
            each = (self.voted + class_votes * part) / (total + class_votes) / part
            lift = np.where(side & judged, votes / whole * each, lift)
        return lift


def class_propensities(overall: Floats, lift: Floats, named: Mask, balance: Floats) -> Floats:
    """β_ij (n, k) in proportion to the lift; their mean over the balance is the overall propensity β_i.

    A labeler that names every class, or that always votes, tells nothing by voting: β_ij = β_i.
    """
    each = np.minimum((overall / (lift @ balance))[:, None] * lift, HIGHEST)
    return np.where(may_depend_on_class(overall, named)[:, None], each, overall[:, None])


def may_depend_on_class(overall: Floats, named: Mask) -> Mask:
    """(n,): labelers whose propensity may depend on the class: they tell something by voting at all."""
    may: Mask = ~named.all(axis=1) & (overall <= HIGHEST) & (overall > 0)
    return may


def _weighed(joint: Floats, weights: Floats) -> Floats:
    """Beliefs (rows, k), times what each row weighs."""
    beliefs = posterior(joint)
    beliefs *= weights[:, None]
    return beliefs
