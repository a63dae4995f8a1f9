"""Dependence: labelers whose votes have the same cause, such as two rules that look for the same word.

Labelers say the same about a row because rows have classes, but classes explain only so many votes in common: at most,
all votes of two labelers are on classes that both name. Where two labelers have nearly all of the rest in common as
well, one of them is no second witness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats, Mask, Positions
from shortlist.labelmodel.estimators.pooled.propensity import may_depend_on_class
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout

ALIKE = 0.8  # share of the votes that classes cannot explain: with so many in common, labelers are dependent
NONE = 1e-9


@dataclass(frozen=True, eq=False)
class Dependence:
    """Which labelers depend on which, each on itself: (n, n) all."""

    copies: Mask  # they vote on the same rows and say the same: one witness
    co_voters: Mask  # they vote on the same rows, whatever they say: that one votes is no news of the other
    subsets: Mask  # co-voters, and those of which one hardly votes without the other

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout, named: Mask, balance: Floats) -> Dependence:
        """Among labelers whose propensity may depend on the class; the others vote as they are asked."""
        voted = (evidence.votes.codes > 0).astype(np.float64)
        overall: Floats = evidence.weights @ voted / evidence.total
        found = cls(*(np.eye(layout.n, dtype=np.bool_) for _ in range(3)))
        compared = np.flatnonzero(may_depend_on_class(overall, named))
        if len(compared) > 1:
            r, same = overall[compared], said_together(evidence, layout, compared)
            mine = voted[:, compared]
            together = (mine * evidence.weights[:, None]).T @ mine / evidence.total
            explained = explained_by_classes(r, named[compared], balance)
            either, less = np.sqrt(np.outer(r, r)), np.minimum.outer(r, r)
            for mask, shared, most in (
                (found.copies, same, either),
                (found.co_voters, together, either),
                (found.subsets, together, less),
            ):
                room = most - explained
                mask[np.ix_(compared, compared)] |= (room > NONE) & (shared - explained >= ALIKE * room)
        return found

    @property
    def n_copies(self) -> Floats:
        """(n,): how many copies of each labeler there are, itself among them."""
        count: Floats = self.copies.sum(axis=1).astype(np.float64)
        return count


def explained_by_classes(overall: Floats, named: Mask, balance: Floats) -> Floats:
    """(n, n): the share of rows on which two labelers would both vote if they voted only on classes they name."""
    propensity = np.minimum(named * (overall / np.maximum(named @ balance, NONE))[:, None], 1.0)
    explained: Floats = (propensity * balance) @ propensity.T
    return explained


def said_together(evidence: Evidence, layout: Layout, labelers: Positions) -> Floats:
    """The share of rows about which two of these labelers say the same shortlist."""
    codes = evidence.votes.codes
    _, number = np.unique(layout.member, axis=0, return_inverse=True)  # of each shortlist
    numbers = number.reshape(-1, 1).astype(np.float64) + 1  # so that 0 is abstaining
    said = np.column_stack([layout.by_code(i, numbers)[codes[:, i], 0] for i in labelers])
    together = np.zeros((len(labelers), len(labelers)))
    for shortlist in np.unique(said[said > 0]):
        says = (said == shortlist).astype(np.float64)
        together += (says * evidence.weights[:, None]).T @ says
    return together / evidence.total
