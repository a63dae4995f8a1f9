"""Heard: what each labeler was heard to say, and the table of log P(vote | class) that follows from accuracies.

Dummies, and shortlists that were declared but never voted, take no part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shortlist.labelmodel.layout import Floats, Layout
from shortlist.labelmodel.likelihood import TINY, Emission

FLOOR = 1e-12  # of P(vote | class)
OFTEN = 0.999  # no class makes a labeler vote more surely than this
EDGE = 1e-4  # accuracies stay this far from 0 and 1

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Heard:
    """P(G_i = t | j) = β_ij · P(t | voted, j), less the accuracies α_ij."""

    layout: Layout
    said: Mask  # (S,): shortlists that were voted
    named: Mask  # (n, k): j ∈ U_i, the union of what labeler i said
    always: Mask  # (n, k): j is in all that labeler i said
    share: Floats  # (S, k): of a shortlist among those as right (or as wrong) about j, as often as each is voted
    propensity: Floats  # (n, k): β_ij
    balance: Floats  # (k,)

    @classmethod
    def of(cls, often: Floats, total: float, layout: Layout, balance: Floats, ratio: float) -> Heard:
        """From how `often` (S,) each shortlist was voted on `total` rows."""
        said = often > 0
        holding = layout.per_labeler((layout.member & said[:, None]).astype(np.float64))
        spoken = layout.per_labeler(said.astype(np.float64))[:, None]
        named, always = holding > 0, (holding == spoken) & (spoken > 0)
        right = layout.per_labeler(often[:, None] * layout.member)[layout.owner]
        wrong = layout.per_labeler(often[:, None] * ~layout.member)[layout.owner]
        among = np.where(layout.member, right, wrong)
        share = np.where(said[:, None], often[:, None] / np.where(among > 0, among, 1), 0)
        propensity = firing(layout.per_labeler(often) / total, named, balance, ratio)
        return cls(layout, said, named, always, share, propensity, balance)

    @property
    def free(self) -> Mask:
        """(n, k): classes in some but not all that a labeler said, where its accuracy is a parameter."""
        free: Mask = self.named & ~self.always
        return free

    def settled(self, accuracy: Floats) -> Floats:
        """Accuracies with those that are no parameters put in: 0 for j in nothing it said, 1 for j in all."""
        return np.where(self.always, 1.0, np.where(self.named, accuracy, 0.0))

    def table(self, accuracy: Floats) -> Emission:
        """log P(vote | class). What was never said tells nothing, if it is said one day."""
        layout, alpha = self.layout, self.settled(accuracy)[self.layout.owner]
        content = np.where(layout.member, alpha, 1 - alpha) * self.share
        votes = np.log(np.maximum(content * self.propensity[layout.owner], FLOOR))
        silent = np.log(np.maximum(1 - self.propensity, TINY))
        sure = (self.propensity >= 1 - TINY).all(axis=1, keepdims=True)  # it always votes: silence was never seen
        return Emission(
            votes=np.where(self.said[:, None], votes, np.log(FLOOR)),
            abstain=np.where(sure, np.log(TINY), silent),
            balance=np.log(self.balance),
            exponent=np.ones(layout.n),
        )

    def pooled(self, votes: Floats, mean: float, labeler_votes: float, class_votes: float) -> tuple[Floats, Floats]:
        """(α (n, k), a (n,)) from expected votes (S, k):

        a_i = (Σ_j right_ij + W a0) / (Σ_j votes_ij + W), over classes where the accuracy is free,
        α_ij = (right_ij + w a_i) / (votes_ij + w).
        """
        right, all_ = self.layout.per_labeler(votes * self.layout.member), self.layout.per_labeler(votes)
        shares = (right * self.free).sum(axis=1) + labeler_votes * mean
        each = shares / ((all_ * self.free).sum(axis=1) + labeler_votes)
        alpha = (right + class_votes * each[:, None]) / (all_ + class_votes)
        return np.clip(alpha, EDGE, 1 - EDGE), each


def firing(rate: Floats, named: Mask, balance: Floats, ratio: float) -> Floats:
    """β_ij = c_i ρ where j ∈ U_i, c_i elsewhere; c_i makes the mean over the balance the observed rate β_i.

    A labeler fires ρ times as often where it can be right. One that can be right about every class, or that
    always votes, tells nothing by voting: β_ij = β_i.
    """
    lift = np.where(named, ratio, 1.0)
    each = np.minimum((rate / (lift @ balance))[:, None] * lift, OFTEN)
    flat = named.all(axis=1) | (rate > OFTEN)
    return np.where(flat[:, None], rate[:, None], each)
