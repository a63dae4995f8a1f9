"""Kin: labelers whose votes have the same cause, such as two rules that look for the same word.

Labelers say the same about a row because rows have classes, but only so often. At most all votes of two labelers are on
classes that they name. Where they have nearly all of the rest in common as well, one of them is no second witness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.estimators.pooled.leaveout import Rows
from shortlist.labelmodel.estimators.pooled.propensity import telling
from shortlist.labelmodel.formulae.evidence import Evidence
from shortlist.labelmodel.formulae.layout import Layout

ALIKE = 0.8  # of all the votes that classes cannot explain: with so many in common, labelers are kin
NONE = 1e-9


@dataclass(frozen=True, eq=False)
class Kin:
    """Who is like whom, each like itself: (n, n) all."""

    copies: Mask  # that vote on the same rows and say the same: one witness
    peers: Mask  # that vote on the same rows, whatever they say: that one votes is no news of the other
    parts: Mask  # peers, and those of which one hardly votes without the other

    @classmethod
    def of(cls, evidence: Evidence, layout: Layout, named: Mask, balance: Floats) -> Kin:
        """Among labelers that tell something by voting: who can be right about every class votes as it is asked."""
        voted = (evidence.votes.codes > 0).astype(np.float64)
        rate: Floats = evidence.weights @ voted / evidence.total
        some = np.flatnonzero(telling(rate, named))
        kin = cls(*(np.eye(layout.n, dtype=np.bool_) for _ in range(3)))
        if len(some) > 1:
            r, same = rate[some], said_together(evidence, layout, some)
            together = (voted[:, some] * evidence.weights[:, None]).T @ voted[:, some] / evidence.total
            voting = np.minimum(named[some] * (r / np.maximum(named[some] @ balance, NONE))[:, None], 1.0)
            explained = (voting * balance) @ voting.T
            either, less = np.sqrt(np.outer(r, r)), np.minimum.outer(r, r)
            for mask, shared, most in (
                (kin.copies, same, either),
                (kin.peers, together, either),
                (kin.parts, together, less),
            ):
                room = most - explained
                mask[np.ix_(some, some)] |= (room > NONE) & (shared - explained >= ALIKE * room)
        return kin

    @property
    def sizes(self) -> Floats:
        """(n,): how many copies of each labeler there are, itself among them."""
        sizes: Floats = self.copies.sum(axis=1).astype(np.float64)
        return sizes


def said_together(evidence: Evidence, layout: Layout, some: Rows) -> Floats:
    """(some, some): the share of rows about which two labelers say the same shortlist."""
    codes = evidence.votes.codes
    _, number = np.unique(layout.member, axis=0, return_inverse=True)  # of each shortlist
    own = [np.append(-1, number.ravel()[layout.starts[i] : layout.starts[i] + layout.sizes[i]]) for i in some]
    said = np.column_stack([numbers[codes[:, i]] for i, numbers in zip(some, own, strict=True)])
    together = np.zeros((len(some), len(some)))
    for shortlist in np.unique(said[said >= 0]):
        says = (said == shortlist).astype(np.float64)
        together += (says * evidence.weights[:, None]).T @ says
    return together / evidence.total
