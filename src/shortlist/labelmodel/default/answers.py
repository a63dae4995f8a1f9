"""Answers: what each labeler says and how often, and what that alone tells about it.

Only answers that were given count. A shortlist that was declared and never given changes nothing, unless it may well
have been missed by chance, as with a worker who gave three answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shortlist.arrays import Floats, Mask
from shortlist.labelmodel.layout import Layout, Panel
from shortlist.labelmodel.likelihood import TINY, frequency_split

SLIGHT = 0.1  # one in ten: what is rarer is neglected
RARER = 1.5  # how many times rarer than with equal classes a class may be before rare answers mean that it is missed
EDGE = 1e-3  # accuracies stay this far from 0 and 1: what was never said may still be said


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of n labelers about k classes."""

    layout: Layout
    counts: Floats  # (S,): votes for each shortlist
    propensity: Floats  # (n,): β_i, the share of the rows that it votes on
    named: Mask  # (n, k): classes that it names

    @classmethod
    def of(cls, panel: Panel, counts: Floats, total: float) -> Answers:
        """From the number of votes for each shortlist (S,) in `total` rows.

        Where labelers that name every class cast most votes, one that names several is a person, too, and not a rule.
        """
        layout, votes, given = panel.layout, panel.layout.per_labeler(counts), (counts > 0)[:, None]
        named = _any_of(layout, layout.member & given)
        missing = panel.may_name & ~named
        popular = counts @ layout.member / max(float(counts.sum()), TINY)  # (k,): share of all votes with the class
        by_chance = np.exp(-votes * (missing @ popular)) > SLIGHT
        crowd = votes[named.all(axis=1)].sum() > votes.sum() / 2
        several = layout.per_labeler(given[:, 0].astype(np.float64)) > 1
        complete = (by_chance | (crowd & several)) & (votes > 0)
        return cls(layout, counts, votes / total, named | (missing & complete[:, None]))

    @cached_property
    def votes(self) -> Floats:
        """(n,): number of votes."""
        return self.layout.per_labeler(self.counts)

    @cached_property
    def split(self) -> Floats:
        """(S, k): log share of a shortlist among the votes that are as right (or wrong) about a class."""
        return frequency_split(self.layout, np.maximum(self.counts, TINY))

    @cached_property
    def always(self) -> Mask:
        """(n, k): classes that every answer holds, so it is never wrong about them."""
        others = _any_of(self.layout, ~self.layout.member & (self.counts > 0)[:, None])
        return self.named & ~others & ~self.named.all(axis=1, keepdims=True)

    @cached_property
    def weighs(self) -> Mask:
        """(n,): labelers that weigh every class: some of their answers hold it and others do not."""
        return np.asarray((self.named & ~self.always).all(axis=1))

    @cached_property
    def singles(self) -> Mask:
        """(n,): labelers that weigh every class, and gave each class by itself that they gave at all."""
        sets = self.layout.member & (self.counts > 0)[:, None]
        alone = sets & (self.layout.member.sum(axis=1) == 1)[:, None]
        return np.asarray(self.weighs & (_any_of(self.layout, alone) | ~_any_of(self.layout, sets)).all(axis=1))

    @cached_property
    def rules(self) -> Mask:
        """(n,): labelers that tell something by voting at all: they name some classes only, and vote on some rows."""
        return np.asarray((self.votes > 0) & ~self.named.all(axis=1) & (self.propensity <= 1 - SLIGHT))

    @cached_property
    def anchored(self) -> bool:
        """Whether all are rules. What rules share cannot be learned from rules: votes move β between them only."""
        return bool(self.rules[self.votes > 0].all())

    def settled(self, accuracy: Floats) -> Floats:
        """Accuracies (n, k), with 0 and 1 where they hold by construction."""
        return np.where(self.named | (self.votes == 0)[:, None], np.where(self.always, 1.0, accuracy), 0.0)

    @cached_property
    def plausible(self) -> tuple[Floats, Floats]:
        """(n, k) both: the least and largest accuracy that is expected of a labeler, by the answers it gives.

        The share R of its answers hold class j. On rows of class j, it is at least R. A labeler that votes on nearly
        all rows cannot find more: if rows of the classes in these answers have the share m, at most R / m of the rows
        of class j get one. Classes are equally frequent, or `RARER` times rarer.
        """
        layout, size = self.layout, self.layout.member.mean(axis=1)  # (S,): share of equal classes
        share = self.counts / np.maximum(self.votes, TINY)[layout.owner]
        held = np.clip(layout.per_labeler(share[:, None] * layout.member), EDGE, 1 - EDGE)
        rows = layout.per_labeler((share * size)[:, None] * layout.member) / RARER
        sees = (self.propensity > 1 - SLIGHT)[:, None]
        most = np.where(sees, np.clip(held**2 / np.maximum(rows, TINY), EDGE, 1 - EDGE), 1 - EDGE)
        return np.minimum(held, most), most

    def lift(self, accuracy: float) -> Floats:
        """(n, k): how much more often a rule votes on classes that it names, before any vote is seen; else 1.

        It knows the class on the share q = 2 accuracy − 1 of its votes, and the others fall at random. Where it names
        the share m of the classes, that is ρ = 1 + q / ((1 − q) m).
        """
        knows, named = max(2 * accuracy - 1, 0.0), self.named.mean(axis=1, keepdims=True)
        ratio = 1 + knows / ((1 - knows) * np.maximum(named, TINY))
        return np.where(self.named & self.rules[:, None], ratio, 1.0)

    def class_propensity(self, lift: Floats, balance: Floats) -> Floats:
        """β_ij (n, k) in proportion to the lift, with mean β_i over the balance, and at most nearly all rows."""
        each = np.minimum((self.propensity / np.maximum(lift @ balance, TINY))[:, None] * lift, 1 - SLIGHT)
        return np.where(self.rules[:, None], each, self.propensity[:, None])


def _any_of(layout: Layout, table: Mask) -> Mask:
    """(n, k): classes that are true for some shortlist (S, k) of a labeler."""
    return np.asarray(layout.per_labeler(table.astype(np.float64)) > 0)
