"""Trials: what a change to the labelers, or to the model, would do, tried out by fitting the model again.

Rows with a known class measure it. Without them only the rows that change their label are counted: that is no gain.
Beliefs cannot stand in for known classes. By its own beliefs every new fit is better than the one before, also where it
is worse.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from shortlist.analysis import Analysis
from shortlist.analysis.worth import fit_again
from shortlist.arrays import Floats, Positions
from shortlist.beliefs import most_likely
from shortlist.labelmodel.evidence import two_folds, unique
from shortlist.votes import Codomain, Votes

MOST = 3_000  # rows a trial is made on
FEW = 20  # rows with a known class: fewer measure nothing
ENOUGH = 50  # rows with a known class, for a score to be worth something
TINY = 1e-6  # beliefs below count as this much
SURE = 2.0  # standard errors beyond which a difference is not called chance


class Trial(NamedTuple):
    """What would come of a change: rows that change their label, and what rows with a known class show.

    gain   rows set right, of all rows; None where it is not measured
    """

    gain: float | None
    changed: float
    before: float | None = None  # share of known rows that are right
    after: float | None = None
    known: int = 0
    sure: bool = False  # whether known rows show more than chance would
    likelier: tuple[float, float] | None = None  # belief in the known class before and after, if surely better

    @property
    def measured(self) -> bool:
        return self.gain is not None

    @property
    def better(self) -> bool:
        """Whether known rows show more rows set right than chance would."""
        return self.sure and self.gain is not None and self.gain > 0


class Trials:
    """The model fitted again to some rows, as they are and with one change at a time."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.model, self.m = analysis, analysis.model, len(analysis.votes)
        self.chosen = chosen_rows(analysis)
        self.votes = analysis.votes[self.chosen]
        gold = analysis.gold
        self.gold = np.full(len(self.chosen), -1, np.int64) if gold is None else gold[self.chosen]
        self.known = self.gold >= 0

    def without(self, name: str) -> Trial:
        """A labeler is left out."""
        return self._tried(self.votes[:, [other for other in self.votes.names if other != name]])

    def two_sided(self, names: list[str]) -> Trial:
        """Labelers that have one thing to say also say the contrary, wherever they abstain."""
        return self._tried(contradicting(self.votes, names))

    def balanced(self, shares: dict[str, float]) -> Trial:
        """Classes are taken to be so frequent."""
        return self._tried(self.votes, balance=shares)

    def knowing(self) -> Trial:
        """Known classes fit the model, too: each half of them is judged by a model that was fitted with the other.

        Judged are rows with a vote. Beliefs are compared by their log score, which rewards no false certainty. All rows
        take part, as in the fit of a project, so that both tell the same.
        """
        gold, before, was, after, now = self._halves(self.model)
        better = surely_above(np.log(np.maximum(now, TINY) / np.maximum(was, TINY)))
        likelier = (float(was.mean()), float(now.mean())) if better else None
        return self._measured(before, after, gold)._replace(likelier=likelier)

    def forgetting(self) -> Trial:
        """Known classes, with which the model was fitted, no longer fit it: judged in the same way."""
        tally = unique(self.analysis.votes, None, None)
        gold, without, _, knowing, _ = self._halves(fit_again(self.model, tally.votes, weights=tally.weights))
        return self._measured(knowing, without, gold)

    def _halves(self, plain: Any) -> tuple[Any, ...]:
        """Of rows with a vote: known classes, then guesses and beliefs in these, of `plain` and of fits with halves."""
        tally = unique(self.analysis.votes, self.analysis.gold, None)
        known, found = tally.known(), []
        for fold, judging in two_folds(tally):
            model = fit_again(self.model, fold.votes, gold=fold.gold_names(), weights=fold.weights)
            kinds = np.repeat(np.arange(len(judging)), np.where(known.votes.covered, judging, 0).astype(np.int64))
            rows, gold = known.votes[kinds], known.gold[kinds]
            found.append((gold, *judged(plain, rows, gold), *judged(model, rows, gold)))
        return tuple(np.concatenate(column) for column in zip(*found, strict=True))

    @cached_property
    def _before(self) -> Positions:
        return self._labels(self.votes)

    def _labels(self, votes: Votes, **options: Any) -> Positions:
        """The labels by a new fit; −1 for rows that have no vote, or had none before the change: they do not count."""
        guess = guessed(fit_again(self.model, votes, options), votes)[0]
        return np.where(votes.covered & self.votes.covered, guess, -1)

    def _tried(self, votes: Votes, **options: Any) -> Trial:
        before, after = self._before, self._labels(votes, **options)
        scale, changed = self.m / len(self.votes), before != after
        if self.known.sum() >= FEW:
            found = self._measured(before[self.known], after[self.known], self.gold[self.known])
            return found._replace(changed=scale * float(changed.sum()))
        return Trial(None, scale * float(changed.sum()))

    def _measured(self, before: Positions, after: Positions, gold: Positions) -> Trial:
        """What guesses before and after show on rows whose class is known."""
        was, now = before == gold, after == gold
        mended, broken = int((now & ~was).sum()), int((was & ~now).sum())
        sure = surely_more(max(mended, broken), min(mended, broken))
        gain = self.m * (mended - broken) / len(gold)
        return Trial(gain, float((before != after).sum()), float(was.mean()), float(now.mean()), len(gold), sure)


def guessed(model: Any, votes: Votes) -> tuple[Positions, Floats]:
    """The most likely class of each row, and all beliefs."""
    beliefs = model.predict_proba(votes)
    return most_likely(beliefs, model.class_balance_), beliefs


def judged(model: Any, votes: Votes, gold: Positions) -> tuple[Positions, Floats]:
    """The most likely class of each row, and the belief in the known one."""
    guess, beliefs = guessed(model, votes)
    return guess, beliefs[np.arange(len(gold)), gold]


def surely_more(more: float, less: float) -> bool:
    """A sign test: whether more rows tell one way than the other, beyond what chance explains."""
    return more - less > SURE * math.sqrt(more + less)


def surely_above(differences: Floats) -> bool:
    """Whether the mean is above 0 by more than chance."""
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else np.inf
    return bool(differences.mean() > SURE * spread / len(differences) ** 0.5)


def chosen_rows(analysis: Analysis) -> Positions:
    """All rows, or as many as a trial takes: half of them with a known class where there are so many."""
    m = len(analysis.votes)
    if m <= MOST:
        return np.arange(m)
    known = np.zeros(m, np.bool_) if analysis.gold is None else analysis.gold >= 0
    some = spread(np.flatnonzero(known), MOST // 2)
    return np.sort(np.concatenate([some, spread(np.flatnonzero(~known), MOST - len(some))]))


def spread(rows: Positions, most: int) -> Positions:
    """At most so many of the rows, evenly spaced."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def contradicting(votes: Votes, names: list[str]) -> Votes:
    """The votes if these labelers said the contrary of their one shortlist instead of abstaining."""
    codes, codomains = votes.codes.copy(), list(votes.codomains)
    for i in (votes.names.index(name) for name in names):
        (said,) = codomains[i].says
        contrary = frozenset(votes.space) - said
        codomains[i] = Codomain.declare([said, contrary], votes.space)
        codes[:, i] = np.where(votes.codes[:, i] == 0, 2, 1)
    return Votes(codes, codomains, votes.space, votes.names)
