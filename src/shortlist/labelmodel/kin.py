"""Kin: labelers whose votes have the same cause, such as two rules that look for the same word.

Labelers vote together because rows have classes, but only so much. At most all votes of two labelers are on classes
that they name; what they still vote together beyond that is residual correlation, and where it is nearly all that
there can be, one of the two tells next to nothing about the other that a class would.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shortlist.labelmodel.evidence import Evidence
from shortlist.labelmodel.firing import telling
from shortlist.labelmodel.layout import Floats
from shortlist.labelmodel.others import Mask

ALIKE = 0.8  # of all the votes that classes cannot explain: with so many in common, labelers are kin
NONE = 1e-9


@dataclass(frozen=True, eq=False)
class Kin:
    """Who is like whom, each like itself: (n, n) both."""

    copies: Mask  # that vote on the same rows, directly or through another copy
    parts: Mask  # of which one votes hardly without the other

    @classmethod
    def of(cls, evidence: Evidence, named: Mask, balance: Floats) -> Kin:
        """Among labelers that tell something by voting: a crowd worker votes on what it was asked."""
        fired = (evidence.votes.codes > 0).astype(np.float64)
        together = (fired * evidence.weights[:, None]).T @ fired / evidence.total
        rate = np.diag(together)
        voting = np.minimum(named * (rate / np.maximum(named @ balance, NONE))[:, None], 1.0)
        explained = (voting * balance) @ voting.T
        related = np.ix_(telling(rate, named), telling(rate, named))
        copies, parts = np.eye(len(rate), dtype=np.bool_), np.eye(len(rate), dtype=np.bool_)
        for kin, most in ((copies, np.sqrt(np.outer(rate, rate))), (parts, np.minimum.outer(rate, rate))):
            room = most - explained
            kin[related] |= ((room > NONE) & (together - explained >= ALIKE * room))[related]
        return cls(_closed(copies), parts)

    @property
    def sizes(self) -> Floats:
        """(n,): how many copies of each labeler there are, itself among them."""
        sizes: Floats = self.copies.sum(axis=1).astype(np.float64)
        return sizes


def _closed(alike: Mask) -> Mask:
    """Whoever is like one of a group is like all of it."""
    while True:
        wider: Mask = alike.astype(np.float64) @ alike > 0
        if (wider == alike).all():
            return wider
        alike = wider
