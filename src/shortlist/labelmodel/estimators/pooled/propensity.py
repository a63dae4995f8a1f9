"""Propensity: how much more often a labeler votes on rows of some classes, as the other labelers judge.

A rule that always gives the same answer tells all it knows by voting at all. How often it votes on rows of each class
cannot be learned from beliefs that its own votes made: those would confirm whatever was assumed. So it is judged by the
others, on rows where at least one of them votes.
"""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats
from shortlist.labelmodel.estimators.pooled.judged import Judged
from shortlist.labelmodel.estimators.pooled.says import NEARLY_ALL, NEVER, Says

FEWEST = 1e-9  # rows of a class: fewer are no reason to divide by them


def lifts(judged: Judged, says: Says, accuracy: float, votes: float) -> Floats:
    """(n, k): how often each labeler votes on a class, up to a factor.

    Classes it names against all others: `ratios`, worth so many `votes`. Among the classes of each side: alike, worth
    as many.
    """
    share = np.maximum(judged.rows, FEWEST)
    share /= share.sum(axis=1, keepdims=True)
    prior = _inside(share, says, ratios(says, accuracy))
    hits = (judged.telling * says.named).sum(axis=1, keepdims=True)
    inside = (hits + votes * prior) / (judged.telling.sum(axis=1, keepdims=True) + votes)
    lift = prior_lifts(says, accuracy)
    for side, part in ((says.named, inside), (~says.named, 1 - inside)):
        whole = np.maximum((share * side).sum(axis=1, keepdims=True), FEWEST)
        of_side = share / whole  # of a class among the rows of its side
        total = (judged.telling * side).sum(axis=1, keepdims=True)
        each = (judged.telling + votes * of_side) / (total + votes) / of_side
        lift = np.where(side & says.telling[:, None], part / whole * each, lift)
    return lift


def prior_lifts(says: Says, accuracy: float) -> Floats:
    """(n, k): before anybody judges, `ratios` on classes that a labeler names and 1 on the others."""
    return np.where(says.named & says.telling[:, None], ratios(says, accuracy), 1.0)


def ratios(says: Says, accuracy: float) -> Floats:
    """ρ_i (n, 1): how many times as often a labeler votes on a class it names, before anybody judges.

    It knows the class of so many of its votes, and the others fall at random, that it is right as `accuracy` says
    between two classes. Where it names the share m of equal classes, it is right with probability a + (1 − a) m; so
    ρ = 1 + a / ((1 − a) m).
    """
    knows, named = max(2 * accuracy - 1, 0.0), says.named.mean(axis=1, keepdims=True)
    ratio: Floats = 1 + knows / ((1 - knows) * np.maximum(named, NEVER))
    return ratio


def class_propensities(says: Says, lift: Floats, balance: Floats) -> Floats:
    """β_ij (n, k) in proportion to the lift; their mean over the balance is β_i. But none is above nearly all rows.

    A labeler that names every class, or votes on nearly all rows, tells nothing by voting: β_ij = β_i.
    """
    each = np.minimum((says.propensity / np.maximum(lift @ balance, NEVER))[:, None] * lift, NEARLY_ALL)
    return np.where(says.telling[:, None], each, says.propensity[:, None])


def _inside(share: Floats, says: Says, ratio: Floats) -> Floats:
    """(n, 1): the share of votes on rows of classes it names, for who votes `ratio` times as often there."""
    mine = (share * says.named).sum(axis=1, keepdims=True)
    inside: Floats = ratio * mine / np.maximum(ratio * mine + 1 - mine, NEVER)
    return inside
