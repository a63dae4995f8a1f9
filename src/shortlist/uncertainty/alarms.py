"""Alarms: do new rows still look like those that labels were certified on? Without gold, at any time, once.

Each row has a score: how far the other labelers agree with a labeler's vote, or how sure a classifier is. If new rows
are like the reference rows, the rank of each new score among all scores so far is uniform on 0 to 1 and independent
of the past, however scores are distributed. A gambler who bets against that,

    wealth = mean over λ of  Π_t (1 + λ (rank_t − ½)),    −2 < λ < 2,

starts with 1 and gains nothing on average. So the wealth ever reaches 1/rate with probability `rate` at most (Ville's
inequality; a conformal test martingale). With n scores that are watched together, the alarm is at n/rate: the chance
that any of them raises a false alarm, ever, is at most `rate`. The scores must not come from a model that learned
from the reference rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shortlist.arrays import Floats, Positions
from shortlist.errors import BadFit, BadRows, BadVotes
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.predictor import shares, tally
from shortlist.votes import Votes

BETS = np.array([-1.9, -1.2, -0.6, -0.2, 0.2, 0.6, 1.2, 1.9])  # λ; both signs, as scores may rise or fall
FEWEST = 30  # reference scores; with fewer, ranks say little
LEVELS, CHUNK = 101, 4096  # scores are rounded to so many levels; rows that are taken at a time
TABLES = {"reference": np.int64, "new": np.int64, "log_wealth": np.float64}  # of a monitor: a line for each score


@dataclass(frozen=True)
class Alarm:
    """A score that changed: its name, after how many new rows it was certain, and its mean before and since."""

    name: str
    after: int
    before: float
    since: float

    def __str__(self) -> str:
        return f"{self.name}: {self.before:.0%} before, {self.since:.0%} on the new rows (certain after {self.after:,})"


class Monitor:
    """Watches scores of new rows, 0 to 1, by name. `update` returns each alarm once; wealth is kept between calls.

    >>> monitor = Monitor({"rule": [1.0] * 90 + [0.0] * 10})
    >>> monitor.update({"rule": [1.0, 0.0] * 60})[0].name
    'rule'
    """

    def __init__(self, reference: Mapping[str, Any], *, rate: float = 0.05, seed: int = 0) -> None:
        if not 0 < rate < 1:
            raise BadFit(f"rate is the chance of a false alarm, between 0 and 1; got {rate!r}")
        counts = {name: np.bincount(_codes(name, scores), minlength=LEVELS) for name, scores in reference.items()}
        self.reference = {name: count for name, count in counts.items() if count.sum() >= FEWEST}  # (levels,) each
        if not self.reference:
            raise BadRows(f"nothing can be watched: no score has {FEWEST} reference rows")
        self.new = {name: np.zeros(LEVELS, np.int64) for name in self.reference}
        self.log_wealth = {name: np.zeros(len(BETS)) for name in self.reference}
        self.rate, self.alarms, self._random = rate, dict[str, Alarm](), np.random.default_rng(seed)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, to go on later."""
        tables = {name: vars(self)[name] for name in TABLES}
        plain = {name: {one: row.tolist() for one, row in table.items()} for name, table in tables.items()}
        return {"rate": self.rate, "alarms": [asdict(alarm) for alarm in self.alarms.values()], **plain}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Monitor:
        """The inverse of `to_dict`; ties are broken by new random numbers."""
        monitor = cls.__new__(cls)
        for name, kind in TABLES.items():
            setattr(monitor, name, {one: np.array(row, kind) for one, row in record[name].items()})
        monitor.rate, monitor.alarms = record["rate"], {one["name"]: Alarm(**one) for one in record["alarms"]}
        monitor._random = np.random.default_rng([int(row.sum()) for row in monitor.new.values()])
        return monitor

    def update(self, scores: Mapping[str, Any]) -> list[Alarm]:
        """Take scores of further rows, NaN where a row has none. Return new alarms."""
        before = set(self.alarms)
        for name in self.reference.keys() & scores.keys():
            codes = _codes(name, scores[name])
            for start in range(0, len(codes), CHUNK):
                self._take(name, codes[start : start + CHUNK])
        return [alarm for name, alarm in sorted(self.alarms.items()) if name not in before]

    def _take(self, name: str, codes: Positions) -> None:
        past = self.reference[name] + self.new[name]
        growth = np.log1p(BETS * (_ranks(past, codes, self._random)[:, None] - 0.5)).cumsum(axis=0)
        growth += self.log_wealth[name]
        wealth = np.logaddexp.reduce(growth, axis=1) - np.log(len(BETS))
        over = np.flatnonzero(wealth >= np.log(len(self.reference) / self.rate))
        after = int(self.new[name].sum()) + int(over[0]) + 1 if len(over) else 0
        self.new[name] = self.new[name] + np.bincount(codes, minlength=LEVELS)
        self.log_wealth[name] = growth[-1]
        if after and name not in self.alarms:
            self.alarms[name] = Alarm(name, after, _mean(self.reference[name]), _mean(self.new[name]))


def _codes(name: str, scores: Any) -> Positions:
    """Scores to the nearest of the levels from 0 to 1; those that are NaN are left out."""
    array = np.asarray(scores, np.float64)
    array = array[~np.isnan(array)]
    if len(array) and not (array.min() >= 0 and array.max() <= 1):
        raise BadRows(f"scores go from 0 to 1; {name!r} has {array.min():g} to {array.max():g}")
    return np.round(array * (LEVELS - 1)).astype(np.int64)


def _mean(counts: Positions) -> float:
    return float(counts @ np.linspace(0, 1, LEVELS) / counts.sum())


def _ranks(past: Positions, codes: Positions, random: np.random.Generator) -> Floats:
    """Rank of each new score among those before it and itself, 0 to 1; ties are broken at random."""
    own = np.zeros((len(codes), LEVELS), np.int64)
    own[np.arange(len(codes)), codes] = 1
    seen = past + own.cumsum(axis=0)  # (new, levels): scores up to and with each
    upto = np.take_along_axis(seen.cumsum(axis=1), codes[:, None], axis=1)[:, 0]
    tied = np.take_along_axis(seen, codes[:, None], axis=1)[:, 0]
    return np.asarray((upto - random.random(len(codes)) * tied) / (past.sum() + np.arange(1, len(codes) + 1)))


def agreement(votes: Votes) -> dict[str, Floats]:
    """For each labeler (m,): the share of the other labelers' votes that is in its shortlist; NaN without votes.

    A vote for several classes counts in equal parts.
    """
    if not isinstance(votes, Votes):
        raise BadVotes(f"agreement is about Votes; got {type(votes).__name__}")
    layout, found = Layout.of(votes.codomains, votes.space), {}
    worth = shares(layout)
    total = tally(votes.codes, layout, worth)
    for i, (name, codes) in enumerate(zip(votes.names, votes.codes.T, strict=True)):
        part = layout.by_code(i, worth)[codes]
        others = total - part
        count = others.sum(axis=1)
        share = (others * (part > 0)).sum(axis=1) / np.maximum(count, 1e-9)
        found[name] = np.where((codes > 0) & (count > 1e-9), share.clip(0, 1), np.nan)
    return found
