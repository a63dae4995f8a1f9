"""Settle: accuracies and propensities, found by turns with the judgement of each labeler by the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.estimators.pooled.balance import believed_balance
from shortlist.labelmodel.estimators.pooled.gold import GoldVotes
from shortlist.labelmodel.estimators.pooled.judged import Judge, Judged
from shortlist.labelmodel.estimators.pooled.propensity import class_propensities, lifts, prior_lifts
from shortlist.labelmodel.estimators.pooled.says import Says
from shortlist.labelmodel.likelihood import Parameters, emission

if TYPE_CHECKING:
    from shortlist.labelmodel.estimators.pooled.pooled import Pooled

AT_REST = 1e-3  # numbers that move by less have come to rest
WHOLE_STEPS, HALVED = 150, 15  # what swings between two answers by then is halved after so many steps, again and again


@dataclass(frozen=True, eq=False)
class Settled:
    """What was found, before rows of known class are asked."""

    accuracy: Floats  # (n, k)
    lift: Floats  # (n, k): how often a labeler votes on each class, up to a factor
    votes: Floats  # (n, k): judged votes
    balance: Floats  # (k,): under which it was found
    history: Floats  # (steps,): the largest change of a number in each step
    at_rest: bool

    def of_copies(self, first: Positions) -> Settled:
        """Copies are what the first of them is."""
        each = {name: getattr(self, name)[first] for name in ("accuracy", "lift", "votes")}
        return replace(self, **each)

    def parameters(self, settings: Pooled, says: Says, gold: GoldVotes, balance: Floats) -> Parameters:
        """Under a balance, once rows of known class have been asked."""
        return with_gold(settings, self.accuracy, self.lift, says, gold, balance)


def settle(
    settings: Pooled, says: Says, judge: Judge, gold: GoldVotes, *, given: Floats | None, max_iter: int
) -> Settled:
    """From the prior, until nothing moves. Where it does not come to rest, steps are halved.

    Classes are equally frequent, except as far as labelers show how frequent they are. If that is `given`, as given.
    """
    equal = balance = np.full(says.layout.k, 1 / says.layout.k)
    here, history = prior_parameters(settings, says, equal), list[float]()
    accuracy, lift = here.accuracy, prior_lifts(says, settings.accuracy_mean)
    while True:
        step = 0.5 ** max(0, 1 + (len(history) - WHOLE_STEPS) // HALVED)
        judged = judge(emission(here, says.layout), here.propensity)
        right, votes = judged_votes(judged, says)
        accuracy = accuracy + step * (pooled_accuracy(settings, says, right, votes) - accuracy)
        lift = lift + step * (lifts(judged, says, settings.accuracy_mean, settings.propensity_votes) - lift)
        found = believed_balance(judged.mass) if given is None else given
        found = says.balance_weight * found + (1 - says.balance_weight) * equal
        balance = balance + step * (found - balance)
        before, here = here, with_gold(settings, accuracy, lift, says, gold, balance)
        history.append(change(before, here))
        at_rest = history[-1] < AT_REST
        if at_rest or len(history) >= max_iter:
            return Settled(accuracy, lift, votes, balance, np.array(history), at_rest)


def prior_parameters(settings: Pooled, says: Says, balance: Floats) -> Parameters:
    """Before any vote: all labelers as accurate as a0."""
    accuracy = np.full(says.named.shape, settings.accuracy_mean)
    return parameters_of(accuracy, prior_lifts(says, settings.accuracy_mean), says, balance)


def judged_votes(judged: Judged, says: Says) -> tuple[Floats, Floats]:
    """(n, k) both: votes that hold the class, and all votes, on rows of each class."""
    layout = says.layout
    return layout.per_labeler(judged.votes * layout.member), layout.per_labeler(judged.votes)


def pooled_accuracy(settings: Pooled, says: Says, right: Floats, votes: Floats) -> Floats:
    """α_ij = (right_ij + w a_i) / (votes_ij + w), where a_i = (Σ_j right_ij + W a0) / (Σ_j votes_ij + W), (n, k).

    The sums are over classes where the accuracy is a parameter. For each class, a_i is kept within what is plausible.
    """
    in_all, seen = ((x * says.free).sum(axis=1, keepdims=True) for x in (right, votes))
    mean = (in_all + settings.labeler_votes * settings.accuracy_mean) / (seen + settings.labeler_votes)
    accuracy: Floats = (right + settings.class_votes * np.clip(mean, *says.plausible)) / (votes + settings.class_votes)
    return accuracy


def parameters_of(accuracy: Floats, lift: Floats, says: Says, balance: Floats) -> Parameters:
    """As the table of log P(vote | class) is made of them."""
    propensity = class_propensities(says, lift, balance)
    return Parameters(says.settled(accuracy), propensity, balance, says.split, says.silence)


def with_gold(
    settings: Pooled, accuracy: Floats, lift: Floats, says: Says, gold: GoldVotes, balance: Floats
) -> Parameters:
    """The same with gold rows. What was found without them counts as many votes as its own prior did."""
    accuracy = gold.accuracy(accuracy, settings.class_votes)
    return parameters_of(accuracy, gold.lift(lift, says, balance, settings.propensity_votes), says, balance)


def change(before: Parameters, now: Parameters) -> float:
    """The largest change of an accuracy, a propensity, or the share of a class."""
    pairs = ((before.accuracy, now.accuracy), (before.propensity, now.propensity), (before.balance, now.balance))
    return max(float(np.abs(b - a).max(initial=0)) for a, b in pairs)
