"""Teacher: whose beliefs are combined with the rows, how much the rows count, and why.

Votes are taken as counting has them, as the label model has them, or as the geometric mean of both; predictions from
rows are taken to the power 2 (with caution) or 4 (in full). Each of these six ways labels the rows, and is judged:

- with gold rows: by the share of them that it labels right, each without its own gold label;
- without: by labelers that it has not seen. A quarter of the labelers is held out at a time, and the judge is the share
  of their votes that allow the class of the row: it must not fall, and must rise beyond the share that labels of as
  frequent classes would reach by chance, since a class that is in most shortlists agrees with everybody. A text that
  only repeats the words that rules look for is found out: labels that follow it agree less with rules about other
  words.

The mean of both, with caution, is the safest. Rows count in full if that is better by more than two standard errors;
then counting or the label model alone teaches if it is better than the mean by as much.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone

from shortlist.arrays import Floats, Mask, Positions
from shortlist.joint.bayes import LEAST, Combined, combine, likelihood_of, normalised
from shortlist.joint.row_evidence import RowEvidence
from shortlist.labelmodel import MajorityVote
from shortlist.progress import Tell, silent, time_left
from shortlist.votes import Votes

MEAN, COUNTING, LABEL_MODEL = TEACHERS = ("mean", "counting", "label-model")
NAMES = {COUNTING: "counting votes", LABEL_MODEL: "the label model", MEAN: "the mean of counting and label model"}
CAUTIOUS, FULL = POWERS = (2.0, 4.0)  # of predictions from rows
WAYS = tuple(product(TEACHERS, POWERS))  # the first is the safest
GROUPS, REPEATS = 4, 8  # of labelers, each held out once; how often they are divided anew
FEWEST_GOLD = 30  # rows; with fewer, labelers judge
FEWEST_VOTES, FEWEST_JUDGES = 10, 3  # of a labeler that judges; of judges
ERRORS = 2.0  # standard errors that make a difference clear


@dataclass(frozen=True)
class Teacher:
    """Who taught, how much the rows counted, and the evidence.

    name          "counting", "label-model", or "mean" (of the two)
    power         of predictions from rows: 2 (with caution) or 4 (in full)
    judge         "gold", "labelers", "user" (who said so), or "nobody" (too little evidence)
    judges        how many gold rows judged, or labelers, each several times
    score         share of gold rows labelled right, or of held-out votes that allow the label, beyond chance
    safest        the same by the safest way
    agreement     without gold: share of held-out votes that allow the class of the row, beyond chance, as counting,
                  label model, votes and text, or text alone give it
    """

    name: str = MEAN
    power: float = CAUTIOUS
    judge: str = "nobody"
    judges: int = 0
    score: float = 0.0
    safest: float = 0.0
    agreement: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        how = "fully" if self.power == FULL else "with caution"
        return f"Taught by {NAMES[self.name]}, trusting what the rows say {how}: {self._reason()}."

    def _reason(self) -> str:
        if self.judge in ("user", "nobody"):
            return "as asked for" if self.judge == "user" else "there are too few labelers or gold rows to judge"
        judges = f"{self.judges} gold rows" if self.judge == "gold" else "votes of held-out labelers"
        if (self.name, self.power) == WAYS[0]:
            return f"the default, since {judges} show no way that is clearly better"
        if self.judge == "gold":  # how many it gets right is in the table of scores
            return f"{judges} show that it is clearly better than the default"
        return f"{self.score:.1%} of the {judges} agree with it beyond chance, {self.safest:.1%} with the default"


def mixed(counting: Floats, label_model: Floats, name: str) -> Floats:
    """The likelihood of votes as the teacher of this name has it."""
    if name == MEAN:
        return normalised(np.sqrt(np.maximum(counting, LEAST) * np.maximum(label_model, LEAST)))
    return counting if name == COUNTING else label_model


def decide(judge: str, hits: Floats, weights: Floats, by: str = "auto", chance: Floats | float = 0.0) -> Teacher:
    """The way that judges (n,) with these weights prefer; hits (n, ways) are what each finds right by each way.

    First, how much the rows count; then, who teaches, unless `by` says so. `chance` (n, ways) is what each would find
    right of labels of as frequent classes.
    """
    first, asked = (MEAN, "nobody") if by == "auto" else (by, "user")
    if len(hits) < FEWEST_JUDGES:
        return Teacher(first, judge=asked)
    safest = WAYS.index((first, CAUTIOUS))
    power = WAYS[_clearly_best(hits, chance, weights, [safest, WAYS.index((first, FULL))])][1]
    ways = [WAYS.index((name, power)) for name in (TEACHERS if by == "auto" else (by,))]
    best = _clearly_best(hits, chance, weights, ways)
    score, least = (float(weights @ (hits - chance)[:, way] / weights.sum()) for way in (best, safest))
    return Teacher(WAYS[best][0], power, judge if by == "auto" else asked, len(hits), score, least)


def _clearly_best(hits: Floats, chance: Floats | float, weights: Floats, ways: Sequence[int]) -> int:
    """The first way, or the best of those that find no less right, and beyond chance more by two standard errors."""
    share, beyond = weights / weights.sum(), hits - chance
    gaps = beyond[:, ways] - beyond[:, ways[:1]]
    mean, more = share @ gaps, share @ (hits[:, ways] - hits[:, ways[:1]])
    errors = np.sqrt(share**2 @ (gaps - mean) ** 2)
    return ways[int(np.where((mean > ERRORS * errors) & (more >= 0), mean, 0.0).argmax())]


def judge_by_gold(
    votes: Votes, label_model: Any, gold: Positions, evidence: RowEvidence, weights: Floats, by: str = "auto"
) -> Teacher:
    """Each way labels gold rows from votes and other rows; the label model has not seen the gold labels."""
    known = gold >= 0
    made = by_each_way(votes, likelihoods(votes, label_model), gold, evidence, weights)
    hits = np.stack([(one.beliefs.argmax(axis=1) == gold)[known] for one in made], axis=1).astype(np.float64)
    return decide("gold", hits, np.ones(len(hits)), by)


def judge_by_labelers(
    votes: Votes, label_model: Any, evidence: RowEvidence, seed: int, by: str = "auto", tell: Tell = silent
) -> Teacher:
    """Each way labels a sample of rows; labelers judge whose votes it has not seen. `tell` is called with progress."""
    sample, evidence = evidence.sample()
    votes, n, draw = votes[sample], len(votes.names), np.random.default_rng(seed)
    judged: list[tuple[float, Floats, Floats]] = []
    started = time.monotonic()
    for repeat in range(REPEATS if n > 2 else 0):
        tell(f"asking held-out labelers how far to trust votes and rows{time_left(started, repeat / REPEATS)}")
        group = draw.permutation(n) % min(GROUPS, n)
        for g in range(min(GROUPS, n)):
            seen, held_out = (votes[:, np.flatnonzero((group == g) == out)] for out in (False, True))
            if seen.covered.sum() >= FEWEST_VOTES:
                judged += judgements(seen, held_out, label_model, evidence)
    weights = np.array([weight for weight, _, _ in judged])
    shares = np.array([each[1:] for each in judged]).reshape(len(judged), 2, 2 * len(WAYS) + 2)
    hits, chance = shares[:, 0], shares[:, 1]
    chosen = decide("labelers", hits[:, : len(WAYS)], weights, by, chance[:, : len(WAYS)])
    if not judged:
        return chosen
    right, way = (weights @ (hits - chance) / weights.sum()).tolist(), WAYS.index((chosen.name, chosen.power))
    shown = {"counting": -2, "label model": -1, "votes and text": way, "text alone": len(WAYS) + way}
    return replace(chosen, agreement={name: right[place] for name, place in shown.items()})


def judgements(
    seen: Votes, held_out: Votes, label_model: Any, evidence: RowEvidence
) -> Iterator[tuple[float, Floats, Floats]]:
    """For each held-out labeler with enough votes: its weight, the share of its votes that allow the label, and chance.

    Labels are by each way, by each way from text alone, by counting and by the label model (2 ways + 2,). Chance is the
    same share of all labels. A vote counts by the share of the classes that it rules out, and only if the other
    labelers could agree with it or contradict it.
    """
    tables, nobody = likelihoods(seen, label_model), np.full(len(seen), -1)
    made = by_each_way(seen, tables, nobody, evidence, np.ones(len(seen)))
    beliefs = [*(one.beliefs for one in made), *(one.rows for one in made), *tables]
    labels = np.stack([each.argmax(axis=1) for each in beliefs])
    k = beliefs[0].shape[1]
    often = np.stack([np.bincount(each[seen.covered], minlength=k) / seen.covered.sum() for each in labels])
    named = np.any([allowed[~allowed.all(axis=1)].any(axis=0) for _, allowed in shortlists(seen)], axis=0)
    for rows, allowed in shortlists(held_out):
        fair = seen.covered[rows] & allowed[:, named].any(axis=1) & ~allowed[:, named].all(axis=1)
        rows, allowed = rows[fair], allowed[fair]
        if len(rows) >= FEWEST_VOTES and not allowed.all():
            hits = allowed[np.arange(len(rows)), labels[:, rows]].mean(axis=1)
            yield float((~allowed).mean(axis=1).sum()), hits, often @ allowed.mean(axis=0)


def likelihoods(votes: Votes, label_model: Any) -> tuple[Floats, Floats]:
    """P(votes | class) by counting and by the label model, fitted to these votes."""
    counting, fitted = (fit_quietly(model, votes) for model in (MajorityVote(), clone(label_model)))
    return likelihood_of(counting, votes), likelihood_of(fitted, votes)


def by_each_way(
    votes: Votes, tables: tuple[Floats, Floats], gold: Positions, evidence: RowEvidence, weights: Floats
) -> list[Combined]:
    """Beliefs by all `WAYS`; class shares are estimated."""
    powers, likelihood = [power for _, power in WAYS], [mixed(*tables, name) for name, _ in WAYS]
    return combine(likelihood, powers, votes.covered, gold, None, evidence, weights)


def shortlists(votes: Votes) -> Iterator[tuple[Positions, Mask]]:
    """For each labeler, the rows that it votes on, and which classes its vote allows there."""
    for i in range(len(votes.names)):
        voted = np.flatnonzero(votes.codes[:, i])
        if len(voted):
            yield voted, MajorityVote().fit(votes[:, [i]]).predict_proba(votes[voted, [i]]) > 0


def fit_quietly(model: Any, votes: Votes, gold: Any = None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a model of some of the labelers, or of some gold rows, is nobody's concern
        return model.fit(votes) if gold is None else model.fit(votes, gold)
