"""Says: what each labeler may say, and how much of that it was heard saying.

What a labeler may say is what it declared. Where that is inferred from votes, few votes are little evidence: a labeler
that was heard three times may well name other classes, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shortlist.arrays import Floats, Mask, row_sums
from shortlist.labelmodel.layout import Layout, Panel

UNHEARD = 0.05  # a labeler is no rule while it may well have named other classes by now, with this probability
EXPECTED_VOTES = 5.0  # what other labelers say is worth so many votes of a labeler's own
NEVER = 1e-12  # the share of a shortlist that is never voted
NEARLY_ALL = 0.95  # of the rows: who votes on more tells nothing by voting, but by how often it names each class
RARER = 1.5  # a class may be so many times rarer than if all were equal, before answers show that it was missed
SELDOM = 0.01  # no accuracy is ruled out by answers that is nearer than this to 0 or 1


@dataclass(frozen=True, eq=False)
class Says:
    """Of every labeler: the classes it may name, how often it votes, and how often its votes hold each class."""

    layout: Layout
    propensity: Floats  # (n,): β_i, the share of rows it votes on
    named: Mask  # (n, k): the classes that it may name
    chance: Floats  # (n, k): R_ij, the share of its votes that hold class j
    share: Floats  # (S,): of each shortlist among its votes
    weighed_share: float = 0.0  # of the rows, those with a vote of a labeler that weighs every class
    silence: float = 0.0  # how far it is evidence that a rule abstains
    balance_weight: float = 0.0  # how far labelers show how frequent classes are

    @classmethod
    def of(cls, panel: Panel, vote_counts: Floats, total: float) -> Says:
        """From how often each shortlist was voted (S,), in `total` rows."""
        layout, votes = panel.layout, panel.layout.per_labeler(vote_counts)
        popular = vote_counts @ layout.member / max(float(vote_counts.sum()), 1.0)  # (k,): in what share of all votes
        sayable = _sayable(panel, vote_counts)
        heard = layout.per_labeler((sayable[:, None] & layout.member).astype(np.float64)) > 0
        any_set = _may_say_anything(panel, heard, votes, popular)
        expected = np.where(sayable & ~any_set[layout.owner], layout.member @ popular, 0.0)
        expected /= np.maximum(layout.per_labeler(expected), NEVER)[layout.owner]
        weight = EXPECTED_VOTES / (votes + EXPECTED_VOTES)  # of what is expected
        share = (vote_counts + EXPECTED_VOTES * expected) / (votes + EXPECTED_VOTES)[layout.owner]
        chance = layout.per_labeler(share[:, None] * layout.member) + np.outer(weight * any_set, popular)
        return cls(layout, votes / total, (heard | any_set[:, None]) & (votes > 0)[:, None], chance, share)

    @cached_property
    def no_right(self) -> Mask:
        """(n, k): classes that it never names, and so is always wrong about when it votes."""
        return ~self.named & self.speaks[:, None]

    @cached_property
    def no_wrong(self) -> Mask:
        """(n, k): classes that all its shortlists hold, and so it is never wrong about."""
        return (self.chance >= 1 - NEVER) & self.speaks[:, None]

    @cached_property
    def free(self) -> Mask:
        """(n, k): where the accuracy is a parameter at all."""
        return ~self.no_right & ~self.no_wrong & self.speaks[:, None]

    @property
    def speaks(self) -> Mask:
        """(n,): labelers that vote."""
        return self.propensity > 0

    @cached_property
    def telling(self) -> Mask:
        """(n,): labelers that tell something by voting at all: they name some classes, and vote on some rows."""
        telling: Mask = self.speaks & ~self.named.all(axis=1) & (self.propensity <= NEARLY_ALL)
        return telling

    @property
    def weighing(self) -> Mask:
        """(n,): labelers that weigh every class: some of their answers hold it, and others do not.

        What they say tells how frequent each class is. A class that all answers hold is never weighed.
        """
        return np.asarray(self.free.all(axis=1))

    @property
    def naming(self) -> Mask:
        """(n,): labelers that weigh every class, and may name each by itself."""
        layout = self.layout
        by_itself = layout.member & (layout.member.sum(axis=1, keepdims=True) == 1)
        return self.weighing & (layout.per_labeler(by_itself.astype(np.float64)) > 0).all(axis=1)

    @property
    def answers(self) -> Floats:
        """(n, k): the share of each class in a labeler's votes. A vote for several classes counts for each in part."""
        layout = self.layout
        each = layout.per_labeler(self.share[:, None] * layout.member / layout.member.sum(axis=1, keepdims=True))
        shares: Floats = each / np.maximum(row_sums(each), NEVER)
        return shares

    @cached_property
    def plausible(self) -> tuple[Floats, Floats]:
        """(n, k) both: the least and the largest accuracy on a class that fits how often a labeler gives each answer.

        Of one that votes on nearly all rows. If answers that hold a class are few, it misses most rows of that class,
        and seldom gives these answers wrongly.
        """
        sees = (self.propensity > NEARLY_ALL)[:, None]
        most = np.where(sees, np.clip(self._most_found(), SELDOM, 1 - SELDOM), 1.0)
        return np.where(sees, np.clip(self._least_spared(), SELDOM, most), 0.0), most

    def _most_found(self) -> Floats:
        """(n, k): R / m, where answers that hold the class come with frequency R, and rows of their classes with m.

        A class is as frequent as all votes have it, or `RARER` times rarer than if all were equal; whichever is less.
        """
        layout = self.layout
        size = layout.member.sum(axis=1, keepdims=True)
        votes = (self.propensity[layout.owner] * self.share)[:, None] * layout.member / size
        frequency = np.minimum(votes.sum(axis=0) / max(float(votes.sum()), NEVER), 1 / (RARER * layout.k))
        rows = layout.per_labeler(self.share[:, None] * layout.member * (layout.member @ frequency)[:, None])
        found: Floats = self.chance**2 / np.maximum(rows, NEVER)
        return found

    def _least_spared(self) -> Floats:
        """(n, k): 1 − R / m, of answers that do not hold the class, and rows of the classes that these do not hold.

        Here classes are equally frequent.
        """
        others = ~self.layout.member
        rows = self.layout.per_labeler((self.share * others.mean(axis=1))[:, None] * others)
        spared: Floats = 1 - (1 - self.chance) ** 2 / np.maximum(rows, NEVER)
        return spared

    @cached_property
    def split(self) -> Floats:
        """(S, k): the log share of a shortlist among the votes that are as right (or wrong) about a class."""
        layout, chance = self.layout, self.chance[self.layout.owner]
        side = np.where(layout.member, chance, 1 - chance)
        return np.log(np.maximum(self.share[:, None] / np.maximum(side, NEVER), NEVER))

    def settled(self, accuracy: Floats) -> Floats:
        """Accuracies (n, k), with 0 and 1 where they are no parameter."""
        return np.where(self.no_right, 0.0, np.where(self.no_wrong, 1.0, accuracy))


def _sayable(panel: Panel, vote_counts: Floats) -> Mask:
    """(S,): shortlists that a labeler declared, or was heard saying. Dummies are never said."""
    declared = [
        s not in codomain.dummies and not codomain.inferred for codomain in panel.codomains for s in codomain.shortlists
    ]
    sayable: Mask = np.array(declared, np.bool_) | (vote_counts > 0)
    return sayable


def _may_say_anything(panel: Panel, heard: Mask, votes: Floats, popular: Floats) -> Mask:
    """(n,): people who may answer any set; and labelers of whom too little was heard to take them for rules.

    If a labeler named each class as often as all others do, it would have named none of those it was not heard naming
    with a probability of about exp(−N_i Σ_j popular_j).
    """
    inferred = np.array([codomain.inferred for codomain in panel.codomains], np.bool_)
    any_set = np.array([codomain.open for codomain in panel.codomains], np.bool_)
    silent = np.exp(-votes * (~heard @ popular))
    return any_set | (inferred & (silent > UNHEARD) & ~heard.all(axis=1) & (votes > 0))
