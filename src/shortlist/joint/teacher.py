"""Teacher: whose beliefs are combined with the rows, and why: counting, the label model, or the mean of the two.

Both teach on a sample of rows. Then both are judged:

- with gold rows: by the share of them that is labelled right from votes and rows;
- without: by labelers that neither teacher has seen. A quarter of the labelers is held out at a time, and the judge is
  the log of the probability, from the row alone, that the class is in the shortlist they voted. Predictions of both
  teachers are given the same class shares first, so that only what rows tell apart is compared.

One teacher is chosen if its mean score is better by a t-test over judges, at 5 %. Else the mean of both teaches.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import clone

from shortlist.arrays import Floats, Mask, Positions
from shortlist.joint.bayes import FLOOR, combine, likelihood_of, normalised, row_likelihood
from shortlist.joint.row_evidence import RowEvidence
from shortlist.labelmodel import MajorityVote
from shortlist.votes import Votes

COUNTING, LABEL_MODEL, MEAN = TEACHERS = ("counting", "label-model", "mean")
NAMES = {COUNTING: "counting votes", LABEL_MODEL: "the label model", MEAN: "the mean of counting and label model"}
GROUPS = 4  # of labelers, each held out once
FEWEST_GOLD = 30  # rows; with fewer, labelers judge
FEWEST_VOTES = 10  # of a labeler that judges
LEVEL = 0.05  # of the t-test, two-sided
SMALLEST = 1e-3  # probability: one row that is quite wrong does not decide


@dataclass(frozen=True)
class Teacher:
    """Who taught, and the evidence.

    name          "counting", "label-model", or "mean" (of the two)
    judge         "gold", "labelers", "user" (who said so), or "nobody" (too little evidence)
    judges        how many gold rows or labelers judged
    scores        of counting and of the label model: share of gold rows right, or mean log score
    difference    of these: above 0 where counting is better
    error         standard error of the difference
    agreement     without gold: share of held-out votes that allow the class of the row, as counting, label model, votes
                  and text, or text alone give it
    """

    name: str
    judge: str = "nobody"
    judges: int = 0
    scores: dict[str, float] = field(default_factory=dict)
    difference: float = 0.0
    error: float = 0.0
    agreement: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"Taught by {NAMES[self.name]}: {self._reason()}."

    def _reason(self) -> str:
        if self.judge == "user":
            return "as asked for"
        if self.judge == "nobody":
            return "there are too few labelers or gold rows to tell counting and label model apart"
        judges = f"{self.judges} gold rows" if self.judge == "gold" else f"{self.judges} held-out labelers"
        unit = "in the share that is right" if self.judge == "gold" else "in log score"
        gap = f"{abs(self.difference):.3f} ± {self.error:.3f} {unit}"
        if self.name == MEAN:
            return f"{judges} do not tell the two apart ({gap})"
        return f"{judges} are predicted better than with the other ({gap})"


def mixed(counting: Floats, label_model: Floats, name: str) -> Floats:
    """The likelihood of votes as the teacher of this name has it."""
    return {COUNTING: counting, LABEL_MODEL: label_model, MEAN: (counting + label_model) / 2}[name]


def decide(judge: str, scores: Floats) -> Teacher:
    """The teacher by scores (judges, 2) of counting and label model."""
    n = len(scores)
    if n < 3:
        return Teacher(MEAN)
    gaps = scores[:, 0] - scores[:, 1]
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(n))
    clear = abs(mean) > stats.t.ppf(1 - LEVEL / 2, n - 1) * error
    name = MEAN if not clear else COUNTING if mean > 0 else LABEL_MODEL
    means = dict(zip((COUNTING, LABEL_MODEL), map(float, scores.mean(axis=0)), strict=True))
    return Teacher(name, judge, n, means, mean, error)


def judge_by_gold(votes: Votes, label_model: Any, gold: Positions, evidence: RowEvidence, weights: Floats) -> Teacher:
    """Both teachers label gold rows from votes and other rows; the label model has not seen the gold labels."""
    right, known = [], gold >= 0
    for model in (MajorityVote(), clone(label_model)):
        table = likelihood_of(fit_quietly(model, votes), votes)
        labels = combine(table, votes.covered, gold, None, evidence, weights).beliefs.argmax(axis=1)
        right.append((labels == gold)[known])
    return decide("gold", np.stack(right, axis=1).astype(np.float64))


def judge_by_labelers(votes: Votes, label_model: Any, evidence: RowEvidence, seed: int) -> Teacher:
    """Both teachers predict from rows alone what labelers say that they have not seen."""
    n = len(votes.names)
    group = np.random.default_rng(seed).permutation(n) % min(GROUPS, n)
    scores: list[Floats] = []
    agreed: Counter[str] = Counter()
    for g in range(min(GROUPS, n) if n > 2 else 0):
        seen, held_out = (votes[:, np.flatnonzero((group == g) == out)] for out in (False, True))
        if seen.covered.sum() >= FEWEST_VOTES:
            tables = [likelihood_of(fit_quietly(model, seen), seen) for model in (MajorityVote(), clone(label_model))]
            scores += scores_of(held_out, predictions(seen, tables, evidence))
            agreed.update(agreement(seen, held_out, tables, evidence))
    count = max(agreed.pop("votes", 0), 1)
    judged = decide("labelers", np.array(scores).reshape(-1, 2))
    return replace(judged, agreement={name: right / count for name, right in agreed.items()})


def predictions(votes: Votes, tables: list[Floats], evidence: RowEvidence) -> list[Floats]:
    """P(class | row) (m, k) as taught by P(votes | class) of counting and of the label model; the same class shares."""
    covered, everyone = votes.covered, np.ones(len(votes))
    shares = np.mean([table[covered].mean(axis=0) for table in tables], axis=0)
    taught = [
        evidence.predict(np.where(covered[:, None], table, table[covered].mean(axis=0)), everyone) for table in tables
    ]
    return [normalised(row_likelihood(np.maximum(each, 0.0) + FLOOR / len(shares)) * shares) for each in taught]


def scores_of(votes: Votes, predicted: list[Floats]) -> Iterator[Floats]:
    """For each labeler with enough votes, the mean log probability of its shortlists by each of `predicted`."""
    for rows, allowed in shortlists(votes):
        if len(rows) >= FEWEST_VOTES:
            yield np.array([np.log((p[rows] * allowed).sum(axis=1) + SMALLEST).mean() for p in predicted])


def agreement(seen: Votes, held_out: Votes, tables: list[Floats], evidence: RowEvidence) -> Counter[str]:
    """How many held-out votes allow the class that each way of labelling gives the row, and how many there are."""
    nobody, everyone = np.full(len(seen), -1), np.ones(len(seen))
    joint = combine(mixed(tables[0], tables[1], MEAN), seen.covered, nobody, None, evidence, everyone)
    ways = {"counting": tables[0], "label model": tables[1], "votes and text": joint.beliefs, "text alone": joint.rows}
    counts: Counter[str] = Counter()
    for rows, allowed in shortlists(held_out):
        judged = seen.covered[rows]
        counts["votes"] += int(judged.sum())
        for name, table in ways.items():
            best = table[rows].argmax(axis=1)
            counts[name] += int(allowed[judged, best[judged]].sum())
    return counts


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
