"""Reliability: how often each labeler is right, as the end of a fit has it, and how far that is known.

The accuracies that beliefs are made from are careful ones: they rest on votes that other labelers are sure about. What
is told of a labeler is about all its votes, under the beliefs that came out. With its own votes among its judges it
looks better than it is, and without them worse. The truth is taken to be in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaincinv

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.estimators.pooled.gold import GoldVotes
from shortlist.labelmodel.estimators.pooled.judged import Judge
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.estimators.pooled.settle import Settled, judged_votes, pooled_accuracy
from shortlist.labelmodel.likelihood import TINY, Emission

if TYPE_CHECKING:
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled


MOST_VOTES = 1e12  # that an interval rests on: more have no width


@dataclass(frozen=True, eq=False)
class Reliability:
    """Of each labeler and class (n, k), and of each labeler (n,)."""

    by_class: Floats  # (n, k): the share of its votes on rows of a class that is right
    least: Floats  # (n,): the share of all its votes, judged by the others; NaN where it never votes
    most: Floats  # (n,): the same, judged by all
    class_votes: Floats  # (n, k): how many votes that rests on, by class; NaN where being right is no question
    votes: Floats  # (n,): in all; 0 where votes cannot tell

    @classmethod
    def of(
        cls, settings: Pooled, says: Says, judge: Judge, table: Emission, settled: Settled, first: Positions
    ) -> Reliability:
        """Under a table whose exponents have been applied. Copies are as reliable as the `first` of them.

        A labeler with one answer is right as often as the others make it: votes alone cannot tell.
        """
        alike = np.ones_like(settled.accuracy)
        by_others, by_all = (judged_votes(judge.of_all(own_vote=own)(table, alike), says) for own in (False, True))
        ends = np.stack([_overall(settings, *counts) for counts in (by_others, by_all)])[:, first]
        ends[:, ~says.speaks] = np.nan
        right, votes = ((a + b) / 2 for a, b in zip(by_others, by_all, strict=True))
        by_class = says.settled(pooled_accuracy(settings, says, right, votes))[first]
        rests_on = np.where(says.free, settled.votes, np.nan)[first]
        return cls(by_class, ends.min(axis=0), ends.max(axis=0), rests_on, np.nansum(rests_on, axis=1))

    @property
    def overall(self) -> Floats:
        """(n,): the share of its votes that is right."""
        middle: Floats = (self.least + self.most) / 2
        return middle

    def with_gold(self, gold: GoldVotes, says: Says, worth: float) -> Reliability:
        """The same, once rows of known class have been asked. What was known before is worth so many votes."""
        right, votes = gold.right.sum(axis=1), gold.votes.sum(axis=1)
        least, most = ((worth * end + right) / (worth + votes) for end in (self.least, self.most))
        by_class = says.settled(gold.accuracy(self.by_class, worth))
        return Reliability(
            by_class, least, most, _rests_on(self.class_votes, gold.votes, worth), _rests_on(self.votes, votes, worth)
        )

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """(n,) both: the ends of an interval for each labeler's accuracy; 0 and 1 where votes cannot tell.

        Its width is what chance does, and twice what a labeler's own votes make of it.
        """
        reach = (self.most - self.least) / 2
        least, most = np.maximum(self.least - reach, 0.0), np.minimum(self.most + reach, 1.0)
        return _interval(least, most, self.votes, level)

    def class_interval(self, level: float) -> tuple[Floats, Floats]:
        """(n, k) both: the same by class. What is true by construction has no width."""
        reach = (self.most - self.least)[:, None]
        least, most = np.maximum(self.by_class - reach, 0.0), np.minimum(self.by_class + reach, 1.0)
        lower, upper = _interval(least, most, np.nan_to_num(self.class_votes), level)
        lower, upper = np.minimum(lower, self.by_class), np.maximum(upper, self.by_class)
        settled = np.isnan(self.class_votes)
        return np.where(settled, self.by_class, lower), np.where(settled, self.by_class, upper)


def _interval(least: Floats, most: Floats, votes: Floats, level: float) -> tuple[Floats, Floats]:
    """Jeffreys' interval for so many votes: the lower end of the least, the upper end of the most."""
    tail, known, votes = (1 - level) / 2, (votes > 0) & np.isfinite(least), np.minimum(votes, MOST_VOTES)
    lower = betaincinv(votes * least + 0.5, votes * (1 - least) + 0.5, tail)
    upper = betaincinv(votes * most + 0.5, votes * (1 - most) + 0.5, 1 - tail)
    return np.where(known, lower, 0.0), np.where(known, upper, 1.0)


def _overall(settings: Pooled, right: Floats, votes: Floats) -> Floats:
    """(n,): the share of a labeler's votes that is right. The prior is worth W votes."""
    prior = settings.labeler_votes
    share: Floats = (right.sum(axis=1) + prior * settings.accuracy_mean) / (votes.sum(axis=1) + prior)
    return share


def _rests_on(votes: Floats, known: Floats, worth: float) -> Floats:
    """How many votes a share rests on: as many as have the variance of the weighted mean of the shares of both."""
    weight = known / (known + worth)
    variance = weight**2 / np.maximum(known, TINY) + (1 - weight) ** 2 / np.maximum(votes, TINY)
    return np.where(np.isnan(votes), np.nan, np.where(known > 0, np.where(votes > 0, 1 / variance, known), votes))
