"""Balance: how frequent classes are, as counting votes finds them, and whether votes can say it at all."""

from __future__ import annotations

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.baselines import answers, tally
from shortlist.labelmodel.estimators.pooled.propensity import HIGHEST, may_depend_on_class
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout

NOBODY, EVERYBODY = 0.05, 0.95  # of all rows
RAREST = 0.1  # of an equal share: no class is taken to be rarer because votes were counted
NEVER = 1e-12


def selective(evidence: Evidence, named: Mask) -> bool:
    """Whether labelers that name every class vote on some rows only.

    They may do so more often on some classes, and no vote says on which: the balance of the rows they vote on is not
    that of all rows.
    """
    codes = evidence.votes.codes
    propensity = evidence.weights @ (codes > 0) / evidence.total
    asked = ~may_depend_on_class(propensity, named) & (propensity > 0)
    covered = float(evidence.weights @ codes[:, asked].any(axis=1)) / evidence.total
    return NOBODY < covered < EVERYBODY


def counted_balance(evidence: Evidence, layout: Layout, propensity: Floats, n_copies: Floats) -> Floats:
    """(k,): how often counting votes finds each class where anybody votes, over how often anybody would vote on it.

    Copies, `n_copies` (n,) of them, vote as one. Rows of known class are counted as that. Classes that nobody names
    cannot be counted; they keep an equal share.
    """
    codes, equal, gold = evidence.votes.codes, 1 / layout.k, evidence.gold
    answer = answers(codes, layout, n_copies)
    answer[gold >= 0] = np.eye(layout.k)[gold[gold >= 0]]
    found = (evidence.weights * codes.any(axis=1)) @ answer
    silent = np.exp((np.log1p(-np.minimum(propensity, HIGHEST)) / n_copies[:, None]).sum(axis=0))
    shares = found / np.maximum(1 - silent, NEVER)
    named = (evidence.weights @ tally(codes, layout, layout.member.astype(np.float64))) > 0
    shares *= named.sum() * equal / max(shares.sum(), NEVER)
    shares = np.where(named, np.maximum(shares, RAREST * equal), equal)
    balance: Floats = shares / shares.sum()
    return balance
