"""Prospects: what one more labeler would bring, were it as good as the average one.

A vote that tells two classes apart, right with probability a, is worth something only where it can change the guess.
With p the belief in the one of the two, the guess is right max(p, 1 − p) of the time without the vote, and
max(p a, (1 − p)(1 − a)) + max(p (1 − a), (1 − p) a) with it: the value of information. Beliefs may be too sure, or not
sure enough. So where gold rows are known, the gain is scaled by the mistakes they show against those that are expected.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.labelers import not_known
from shortlist.arrays import Floats, Mask, Positions
from shortlist.beliefs import most_likely
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.m_step import vote_counts
from shortlist.labelmodel.predictor import shares
from shortlist.reporting.advising.trials import FEW, spread
from shortlist.votes import Votes

LARGEST = 30  # classes: beyond, only the most frequent are looked at
MOST = 20_000  # rows that differ


class Average(NamedTuple):
    """How often the labelers there are vote and are right, on average."""

    coverage: float
    accuracy: float

    @classmethod
    def of(cls, table: pl.DataFrame) -> Average:
        """From the table of labelers: known classes count before estimates, and estimates before guesses."""
        voting = table.filter(pl.col("votes") > 0)
        if voting.is_empty():
            return cls(0.0, 0.0)
        right = pl.coalesce([name for name in ("gold_accuracy", "accuracy", "believed") if name in table.columns])
        told = voting.filter(_told(table.columns))
        judged = (voting if told.is_empty() else told).with_columns(right=right.fill_null(0.5))
        votes = judged["votes"].to_numpy().astype(np.float64)
        accuracy = float(votes @ judged["right"].to_numpy() / votes.sum())
        return cls(float(voting["coverage"].mean() or 0.0), accuracy)  # type: ignore[arg-type]

    def show(self) -> str:
        """What the gain of a new labeler rests on."""
        right = f"right {self.accuracy:.0%}, votes on {self.coverage:.0%} of rows"
        return f"The gain is that of a labeler as good as your average one ({right})."


def _told(columns: list[str]) -> pl.Expr:
    """Whether gold rows or votes tell how accurate a labeler is."""
    told = ~not_known() if "accuracy_low" in columns else pl.lit(value=True)
    return told | pl.col("gold_accuracy").is_not_null() if "gold_accuracy" in columns else told


class Pair(NamedTuple):
    """Two classes, how often one is taken for the other, and the rows that a labeler could mend.

    error    of rows of either with a vote, the share whose label is the other: counted on gold rows, else as believed
    """

    one: str
    other: str
    error: float
    gain: float
    counted: bool


def mixed_pairs(analysis: Analysis, average: Average) -> list[Pair]:
    """Pairs of classes, those first where a labeler that tells them apart would set most rows right."""
    space, beliefs, counts = analysis.votes.space, *some_rows(analysis)
    guess = most_likely(beliefs, analysis.model.class_balance_)
    expected = confusion_of(guess, beliefs * counts[:, None])
    gold = gold_confusion(analysis)
    found = []
    for j, other in combinations(sorted(np.argsort(-analysis.mass, kind="stable")[:LARGEST].tolist()), 2):
        vote = average.coverage * float(counts @ value_of_a_vote(beliefs[:, [j, other]], average.accuracy))
        seen, error = expected[j, other] + expected[other, j], share_mixed(expected, j, other)
        if gold is not None:
            real, error = gold[j, other] + gold[other, j], share_mixed(gold, j, other)
            vote = min(vote * real / max(seen, 1e-9), average.coverage * float(real))
        found.append(Pair(space[j], space[other], error, vote, gold is not None))
    return sorted(found, key=lambda pair: -pair.gain)


def some_rows(analysis: Analysis) -> tuple[Floats, Floats]:
    """Beliefs of rows with a vote that differ, and how many each stands for: all, or some that stand for all."""
    rows = analysis.distinct
    voted = np.flatnonzero(rows.votes.covered)
    chosen = spread(voted, MOST)
    counts = rows.counts[chosen].astype(np.float64)
    return rows.beliefs[chosen], counts * (rows.counts[voted].sum() / max(counts.sum(), 1))


def confusion_of(guess: Positions, mass: Floats) -> Floats:
    """(k, k): rows of class j, in line j, that are taken for class l, in column l; `mass` (rows, k) is the truth."""
    k = mass.shape[1]
    table = np.zeros((k, k))
    np.add.at(table.T, guess, mass)
    return table


def gold_confusion(analysis: Analysis) -> Floats | None:
    """The same counted on gold rows with a vote, scaled to all rows with one; None where they are few."""
    if analysis.gold is None or analysis.scored.sum() < FEW:
        return None
    known = np.flatnonzero(analysis.scored)
    table = confusion_of(analysis.guess[known], np.eye(len(analysis.votes.space))[analysis.gold[known]])
    return table * (float(analysis.votes.covered.sum()) / len(known))


def share_mixed(table: Floats, j: int, other: int) -> float:
    """The share of rows of either class that are taken for the other."""
    total = float(table[[j, other]].sum())
    return float(table[j, other] + table[other, j]) / total if total else 0.0


def value_of_a_vote(beliefs: Floats, accuracy: float) -> Floats:
    """(rows,): how much likelier the better of two guesses is to be right after a vote between the two classes."""
    p, q = beliefs.T
    a = max(accuracy, 1 - accuracy)
    after = np.maximum(p * a, q * (1 - a)) + np.maximum(p * (1 - a), q * a)
    gain: Floats = after - np.maximum(p, q)
    return gain


def uncovered_gain(analysis: Analysis, average: Average) -> float:
    """Rows without any vote that a labeler, naming one class, would set right."""
    silent = float((~analysis.votes.covered).sum())
    guess = (
        float(np.max(analysis.model.class_balance_)) if analysis.model is not None else 1 / len(analysis.votes.space)
    )
    return silent * average.coverage * max(0.0, average.accuracy - guess)


def named_shares(votes: Votes) -> dict[str, float] | None:
    """How frequent each class is among votes of labelers that have answers with and without each class.

    None if there are none: rules show for which classes they were written. A vote for several classes counts for each
    in part, and every class has one vote more.
    """
    layout = Layout.of(votes.codomains, votes.space)
    said = np.array([answer not in one.dummies for one in votes.codomains for answer in one.shortlists], np.float64)
    holding, answers = layout.per_labeler(said[:, None] * layout.member), layout.per_labeler(said)
    weighing: Mask = np.all((holding > 0) & (holding < answers[:, None]), axis=1)
    counts = vote_counts(votes.codes.T, np.ones(len(votes)), layout) * weighing[layout.owner]
    named = 1 + counts @ shares(layout)
    return dict(zip(votes.space, (named / named.sum()).tolist(), strict=True)) if counts.any() else None


def twice_as_frequent(often: str, votes: Votes) -> dict[str, float]:
    """Equal classes, but one of them."""
    k = len(votes.space)
    return {name: (2 if name == often else 1) / (k + 1) for name in votes.space}
