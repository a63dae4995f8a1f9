"""Trials: the effect of a change, found by fitting the model again; and the expected effect of one more labeler.

Only rows with a known class measure a gain: by its own beliefs every new fit is better than the one before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.labeler_tables import fit_again, not_known
from shortlist.analysis.tables import confusion
from shortlist.arrays import Floats, Mask, Positions
from shortlist.beliefs import most_likely
from shortlist.joint.bayes import combine, likelihood_of
from shortlist.joint.joint_model import row_weights
from shortlist.joint.row_evidence import RowEvidence
from shortlist.joint.teacher import Teacher, mixed
from shortlist.labelmodel.layout import Layout
from shortlist.labelmodel.m_step import vote_counts
from shortlist.labelmodel.model_options import shares_of
from shortlist.labelmodel.predictor import MajorityVote, shares
from shortlist.votes import Codomain, Votes

if TYPE_CHECKING:
    from shortlist.reporting.overview import Overview
    from shortlist.reporting.snippets import Snippets

FEW = 20  # rows with a known class: fewer measure nothing
ENOUGH = 50  # rows with a known class, for a score to be worth something
TRIAL_ROWS = 3_000
Features = Callable[[Positions], Any]  # features of rows, by their numbers


class Trial(NamedTuple):
    """Rows that change their label, and what rows with a known class show.

    gain   rows set right, of all rows; None where it is not measured
    """

    gain: float | None
    changed: float
    known: int = 0
    sure: bool = False  # significant by a sign test

    @property
    def measured(self) -> bool:
        return self.gain is not None

    @property
    def better(self) -> bool:
        """True if known rows show more rows set right than chance would."""
        return self.sure and self.gain is not None and self.gain > 0

    @property
    def evidence(self) -> dict[str, Any]:
        """Fields of an `Advice` that rests on this trial."""
        return {"gain": self.gain, "measured": self.measured, "gold_rows": self.known}


class Lesson(NamedTuple):
    """What is learned from: gold rows but for those that are judged, and the features of all rows."""

    judged: Positions
    gold: Positions  # (m,), −1 where unknown
    evidence: RowEvidence
    weights: Floats

    @classmethod
    def of(cls, votes: Votes, gold: Positions, judged: Positions, X: Any, use_gold: bool) -> Lesson:
        seen = gold.copy() if use_gold else np.full(len(gold), -1)
        seen[judged] = -1
        return cls(judged, seen, RowEvidence(X), row_weights(votes.covered, seen))


class Trials:
    """The model fitted again to a sample of rows, as they are and with one change at a time.

    If the features of rows are at hand, labels are those of votes and rows together. If gold rows teach (`use_gold`),
    each half of them is judged by labels that the other half has taught.
    """

    def __init__(
        self,
        analysis: Analysis,
        features: Features | None = None,
        teacher: Teacher | None = None,
        *,
        use_gold: bool = False,
    ) -> None:
        self.analysis, self.model, self.m = analysis, analysis.model, len(analysis.votes)
        chosen, gold = chosen_rows(analysis), analysis.gold
        self.votes, self.teacher = analysis.votes[chosen], teacher or Teacher()
        self.gold = np.full(len(chosen), -1, np.int64) if gold is None else gold[chosen]
        self.lessons: list[Lesson] = []
        self._left_out: dict[str, Positions] = {}  # labeler → labels without it
        if features is not None:
            X, known = features(chosen), np.flatnonzero(self.gold >= 0)
            halves = [known[::2], known[1::2]] if use_gold and len(known) >= FEW else [known[:0]]
            self.lessons = [Lesson.of(self.votes, self.gold, judged, X, use_gold) for judged in halves]

    def without(self, name: str) -> Trial:
        """A labeler is left out."""
        return self._compared(self._labels_without(name))

    def right_without(self, name: str | None) -> Mask:
        """(n,): the gold rows of the sample that are right if a labeler is left out, or none."""
        labels, known = self._before if name is None else self._labels_without(name), self.gold >= 0
        return np.asarray((labels == self.gold)[known])

    def _labels_without(self, name: str) -> Positions:
        if name not in self._left_out:
            rest = self.votes[:, [other for other in self.votes.names if other != name]]
            self._left_out[name] = self._labels(rest)
        return self._left_out[name]

    def two_sided(self, names: list[str]) -> Trial:
        """One-sided labelers also say the contrary, wherever they abstain."""
        return self._tried(contradicting(self.votes, names))

    def one_sided(self, name: str) -> Trial:
        """A labeler abstains where it says the contrary of its first answer."""
        codes = self.votes.codes.copy()
        i = self.votes.names.index(name)
        codes[codes[:, i] == 2, i] = 0
        return self._tried(Votes(codes, self.votes.codomains, self.votes.space, self.votes.names))

    def balanced(self, balance: dict[str, float]) -> Trial:
        """The model is given this class balance."""
        return self._tried(self.votes, balance=balance)

    @cached_property
    def _before(self) -> Positions:
        return self._labels(self.votes)

    def _labels(self, votes: Votes, **options: Any) -> Positions:
        """Labels by a new fit; −1 for rows that have no vote, or had none before the change: they do not count."""
        model = fit_again(self.model, votes, options)
        if self.lessons:
            return self._joint_labels(votes, model, options.get("balance"))
        guess = most_likely(model.predict_proba(votes), model.class_balance_)
        return np.where(votes.covered & self.votes.covered, guess, -1)

    def _joint_labels(self, votes: Votes, model: Any, balance: Any) -> Positions:
        """Labels from votes and rows; every row has one."""
        tables = [likelihood_of(one, votes) for one in (MajorityVote().fit(votes), model)]
        table, labels = mixed(tables[0], tables[1], self.teacher.name), np.full(len(votes), -1)
        given = None if balance is None else shares_of(balance, votes.space)
        covered = votes.covered if votes.covered.any() else ~votes.covered  # without any vote, all rows are alike
        for judged, gold, evidence, weights in self.lessons:
            made = combine([table], [self.teacher.power], covered, gold, given, evidence, weights)
            best = made[0].beliefs.argmax(axis=1)
            labels = np.where(labels < 0, best, labels)
            labels[judged] = best[judged]
        return labels

    def _tried(self, votes: Votes, **options: Any) -> Trial:
        return self._compared(self._labels(votes, **options))

    def _compared(self, after: Positions) -> Trial:
        before, known = self._before, self.gold >= 0
        changed = self.m / len(self.votes) * float((before != after).sum())
        if known.sum() < FEW:
            return Trial(None, changed)
        was, now = (before == self.gold)[known], (after == self.gold)[known]
        mended, broken = int((now & ~was).sum()), int((was & ~now).sum())
        sure = surely_more(max(mended, broken), min(mended, broken), 3.0)  # the best of many trials is lucky, too
        return Trial(self.m * (mended - broken) / len(was), changed, len(was), sure)


def surely_more(more: float, less: float, errors: float = 2.0) -> bool:
    """Sign test: True if the difference is beyond so many standard errors."""
    return more - less > errors * math.sqrt(more + less)


def chosen_rows(analysis: Analysis) -> Positions:
    """All rows, or a sample of `TRIAL_ROWS`: half of them with a known class where there are so many."""
    m = len(analysis.votes)
    if m <= TRIAL_ROWS:
        return np.arange(m)
    gold = evenly_spaced(np.flatnonzero(analysis.known), TRIAL_ROWS // 2)
    others = evenly_spaced(np.flatnonzero(~analysis.known), TRIAL_ROWS - len(gold))
    return np.sort(np.concatenate([gold, others]))


def evenly_spaced(rows: Positions, most: int) -> Positions:
    """All of the rows, or `most` of them, evenly spaced."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def contradicting(votes: Votes, names: list[str]) -> Votes:
    """The votes if these labelers said the contrary of their one shortlist instead of abstaining."""
    codes, codomains = votes.codes.copy(), list(votes.codomains)
    for i in (votes.names.index(name) for name in names):
        (said,) = codomains[i].says
        codomains[i] = Codomain.declare([said, frozenset(votes.space) - said], votes.space)
        codes[:, i] = np.where(votes.codes[:, i] == 0, 2, 1)
    return Votes(codes, codomains, votes.space, votes.names)


# -- one more labeler ----------------------------------------------------------------------------------


class Average(NamedTuple):
    """Mean coverage and accuracy of the labelers there are."""

    coverage: float
    accuracy: float

    @classmethod
    def of(cls, table: pl.DataFrame) -> Average:
        """From the table of labelers: known classes count before estimates, and estimates before guesses."""
        voting = table.filter(pl.col("votes") > 0)
        if voting.is_empty():
            return cls(0.0, 0.0)
        right = pl.coalesce([name for name in ("gold_accuracy", "accuracy", "believed") if name in table.columns])
        judged = voting.filter(_judgeable(table.columns))
        judged = (voting if judged.is_empty() else judged).with_columns(right=right.fill_null(0.5))
        votes = judged["votes"].to_numpy().astype(np.float64)
        accuracy = float(votes @ judged["right"].to_numpy() / votes.sum())
        return cls(float(voting["coverage"].mean() or 0.0), accuracy)  # type: ignore[arg-type]

    def show(self) -> str:
        """The assumption behind the gain of a new labeler."""
        right = f"right {self.accuracy:.0%}, votes on {self.coverage:.0%} of rows"
        return f"The gain is that of a labeler as good as your average one ({right})."


def _judgeable(columns: list[str]) -> pl.Expr:
    """True where gold rows or votes tell how accurate a labeler is."""
    estimated = ~not_known() if "accuracy_low" in columns else pl.lit(value=True)
    return estimated | pl.col("gold_accuracy").is_not_null() if "gold_accuracy" in columns else estimated


class Pair(NamedTuple):
    """Two classes, how often one is taken for the other, and the rows that a labeler could set right.

    error     share of the rows of either, with a vote, that are labelled as the other
    counted   True if that was counted on gold rows, False if it is as believed
    """

    one: str
    other: str
    error: float
    gain: float
    counted: bool


def mixed_pairs(analysis: Analysis, average: Average, final: Floats | None = None, most: int = 30) -> list[Pair]:
    """Pairs of the most frequent classes, by the gain of an average labeler that tells them apart.

    `final` are the beliefs (m, k) from votes and rows, if there are any.
    """
    space, (beliefs, counts) = analysis.votes.space, _sampled_beliefs(analysis)
    if final is not None:
        beliefs, counts = final, np.ones(len(final))
    guess = most_likely(beliefs, analysis.model.class_balance_)
    expected = np.zeros((len(space), len(space)))
    np.add.at(expected.T, guess, beliefs * counts[:, None])  # line j, column l: rows of j that are taken for l
    gold = gold_confusion(analysis, final)
    pairs = []
    for j, other in combinations(sorted(np.argsort(-analysis.mass, kind="stable")[:most].tolist()), 2):
        gain = average.coverage * float(counts @ value_of_a_vote(beliefs[:, [j, other]], average.accuracy))
        mistakes, error = expected[j, other] + expected[other, j], _share_mixed(expected, j, other)
        if gold is not None:  # beliefs may be too sure, or not sure enough: scaled by the mistakes that gold rows show
            real, error = gold[j, other] + gold[other, j], _share_mixed(gold, j, other)
            gain = min(gain * real / max(mistakes, 1e-9), average.coverage * float(real))
        pairs.append(Pair(space[j], space[other], error, gain, gold is not None))
    return sorted(pairs, key=lambda pair: -pair.gain)


def _sampled_beliefs(analysis: Analysis, most: int = 20_000) -> tuple[Floats, Floats]:
    """Beliefs of distinct rows with a vote, and how many rows each stands for: all, or a sample that weighs as much."""
    rows = analysis.distinct
    voted = np.flatnonzero(rows.votes.covered)
    chosen = evenly_spaced(voted, most)
    counts = rows.counts[chosen].astype(np.float64)
    return rows.beliefs[chosen], counts * (rows.counts[voted].sum() / max(counts.sum(), 1))


def gold_confusion(analysis: Analysis, final: Floats | None = None) -> Floats | None:
    """(k, k): confusion on gold rows that have a label, scaled to all such rows; None where they are few."""
    scored = analysis.scored if final is None else analysis.known
    if analysis.gold is None or scored.sum() < FEW:
        return None
    known, labelled = np.flatnonzero(scored), analysis.votes.covered.sum() if final is None else len(final)
    guess = analysis.guess if final is None else final.argmax(axis=1)
    table = confusion(analysis.gold[known], guess[known], len(analysis.votes.space))
    return table * (float(labelled) / len(known))


def _share_mixed(table: Floats, j: int, other: int) -> float:
    """Share of the rows of either class that are taken for the other."""
    total = float(table[[j, other]].sum())
    return float(table[j, other] + table[other, j]) / total if total else 0.0


def value_of_a_vote(beliefs: Floats, accuracy: float) -> Floats:
    """(rows,): value of information of a vote between two classes, from the beliefs in them.

    The guess is right max(p, q) of the time without the vote, and max(p a, q (1 − a)) + max(p (1 − a), q a) with it.
    """
    (p, q), a = beliefs.T, max(accuracy, 1 - accuracy)
    gain: Floats = np.maximum(p * a, q * (1 - a)) + np.maximum(p * (1 - a), q * a) - np.maximum(p, q)
    return gain


def uncovered_gain(analysis: Analysis, average: Average, final: Floats | None = None) -> float:
    """Rows without any vote that an average labeler, naming one class, would set right."""
    silent = ~analysis.votes.covered
    right = float(np.max(analysis.model.class_balance_)) if final is None else float(final[silent].max(axis=1).mean())
    return float(silent.sum()) * average.coverage * max(0.0, average.accuracy - right)


# -- what advice is made from --------------------------------------------------------------------------


class Case:
    """The input of rules: an overview, and the average labeler."""

    def __init__(self, overview: Overview, snippets: Snippets) -> None:
        self.overview, self.snippets = overview, snippets
        self.votes, self.model = overview.votes, overview.model

    @property
    def trials(self) -> Trials | None:
        return self.overview.trials

    @cached_property
    def average(self) -> Average:
        return Average.of(self.overview.plain_labelers)

    @cached_property
    def one_sided(self) -> list[str]:
        """Labelers that vote, and always give the same answer."""
        votes = self.votes
        columns = zip(votes.names, votes.codomains, votes.coverage, strict=True)
        return [name for name, codomain, coverage in columns if codomain.one_sided and coverage]

    @cached_property
    def unnamed(self) -> dict[str, tuple[int, int]]:
        """Classes that fewer than `FEW` votes and gold labels name, but five times as many labels: both numbers.

        A vote for more than half of the classes names none.
        """
        if self.model is None:
            return {}
        votes, k, gold = self.votes, len(self.votes.space), self.overview.analysis.gold
        layout = Layout.of(votes.codomains, votes.space)
        member = layout.member & (2 * layout.member.sum(axis=1) <= k)[:, None]
        named = vote_counts(votes.codes.T, np.ones(len(votes)), layout) @ member
        known = np.zeros(k) if gold is None else np.bincount(gold[gold >= 0], minlength=k)
        final = self.overview.final
        guess = self.overview.analysis.guess[votes.covered] if final is None else final.beliefs.argmax(axis=1)
        labels = np.bincount(guess, minlength=k)
        few = np.flatnonzero((named + known < FEW) & (labels >= 5 * np.maximum(named + known, 2)))
        return {votes.space[j]: (int(named[j]), int(labels[j])) for j in few.tolist()}

    @property
    def most_tried(self) -> int:
        """Number of labelers that are tried: a fit takes longer with more labelers and classes."""
        return max(1, min(20, 5_000 // (len(self.votes.names) * len(self.votes.space))))


def named_shares(votes: Votes) -> dict[str, float] | None:
    """Class shares among votes of labelers that have answers with and without each class; None if there are none.

    Rules only show for which classes they were written. A vote for several classes counts for each in part, and every
    class has one vote more.
    """
    layout = Layout.of(votes.codomains, votes.space)
    counts = vote_counts(votes.codes.T, np.ones(len(votes)), layout)
    said = np.array([answer not in one.dummies for one in votes.codomains for answer in one.shortlists], np.float64)
    holding, answers = layout.per_labeler(said[:, None] * layout.member), layout.per_labeler(said)
    weighing: Mask = np.all((holding > 0) & (holding < answers[:, None]), axis=1)
    weighing &= layout.per_labeler(said * (counts > 0)) > 1  # it never gives its other answers
    counts = counts * weighing[layout.owner]
    named = 1 + counts @ shares(layout)
    return dict(zip(votes.space, (named / named.sum()).tolist(), strict=True)) if counts.any() else None
