"""Trial: the expected effect of a rule on the final labels, before it is saved.

A sample of rows is labelled twice as `run` does it, from votes and text together (`JointModel`): with the labelers as
they are, and with the rule. A row that changes its label is expected to gain the belief in its new class over that in
the old one, by the mean of beliefs before and after. Beliefs before know nothing about a class that hardly any row has:
if a rule is the first that finds it, only beliefs after count. With gold rows, beliefs are calibrated, so that surer
labels are a gain, too. On gold rows the gain is also counted, and corrects the expectation, the more so the more gold
rows change their label.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from shortlist.arrays import Floats, Mask, Positions
from shortlist.classifier import TextFeatures
from shortlist.joint.bayes import SURENESS, combine, tempered
from shortlist.joint.joint_model import JointModel, row_weights
from shortlist.joint.row_evidence import RowEvidence
from shortlist.joint.teacher import CAUTIOUS, Teacher
from shortlist.project.stages.train import make_joint, numbers
from shortlist.votes import Votes

if TYPE_CHECKING:
    from shortlist.project.session import Session

ROWS = 2_000  # of the sample, at most
FEWEST_GOLD = 30  # rows; with fewer, the effect is expected only
# As in benchmarks/effect.py: share of rows of a class that is hardly found yet, of an even share; gold rows that change
# their label which the expectation is worth; its standard error, as a share of the rows that change their label.
RARE, TRUST, DOUBT = 0.5, 30, 0.5


@dataclass(frozen=True)
class Effect:
    """Expected change of the number of right labels, and its standard error.

    changed    rows that would get another label
    gold       gold rows that this is based on; 0 if beliefs of other labelers and text are all there is
    """

    rows: float
    error: float
    changed: int
    gold: int


class TrialRows:
    """The sample: row numbers (s,) in ascending order, and what the rows hold; half of it may be gold rows."""

    MOST_GOLD = ROWS // 2

    def __init__(self, session: Session) -> None:
        draw, m = np.random.default_rng(0), len(session.rows)
        known = draw.permutation(np.flatnonzero(session.known.positions >= 0))[: self.MOST_GOLD]
        others = draw.permutation(np.setdiff1d(draw.permutation(m)[: 4 * ROWS], known))
        self.rows = np.sort(np.concatenate([known, others[: ROWS - len(known)]]))
        self.inputs = inputs_of(session, self.rows)

    @cached_property
    def evidence(self) -> RowEvidence:
        return SteadyEvidence(
            TextFeatures(characters=None).fit_transform(self.inputs) if isinstance(self.inputs, list) else self.inputs
        )


class SteadyEvidence(RowEvidence):
    """Evidence from a sample, in tenths of a second.

    All rows are in one chunk, so that predictions need no features once the inverse is there. It is not computed again
    for weights that are nearly the same: each rule changes them a little.
    """

    def predict(self, beliefs: Floats, weights: Floats) -> Floats:
        if len(self.chunks) > 1:
            return super().predict(beliefs, weights)
        self._prepare(weights)
        (inverse,), mean = self._inverses, weights @ beliefs / weights.sum()
        alpha = inverse @ (beliefs - mean).astype(np.float32)
        return np.asarray(beliefs - alpha / inverse.diagonal()[:, None])

    def _prepare(self, weights: Floats) -> None:
        if self._weights is None or not np.allclose(weights, self._weights, rtol=0.25):
            super()._prepare(weights)


def inputs_of(session: Session, rows: Positions) -> Any:
    """Texts of rows, or a matrix of their columns of numbers."""
    settings, frame = session.settings, session.rows.take(rows)
    if settings.data.text is not None:
        return [one or "" for one in frame[settings.data.text]]
    names = settings.data.features or [n for n, kind in frame.schema.items() if kind.is_numeric()]
    frame = frame.select(n for n in names if n not in (settings.data.id, settings.data.gold))
    return numbers(frame) if frame.width else np.ones((len(rows), 1))


class TrialFit:
    """Labels of the sample by the labelers of a session, and what they would be with another one."""

    def __init__(
        self,
        votes: Votes,
        gold: Positions,
        evidence: RowEvidence,
        joint: JointModel | None = None,
        gold_teaches: bool = True,
    ) -> None:
        self.votes, self.gold, self.evidence, self.joint = votes, gold, evidence, joint or JointModel()
        self.taught = gold if gold_teaches else np.full_like(gold, -1)  # else, gold rows only measure

    @classmethod
    def of(cls, session: Session, sample: TrialRows) -> TrialFit:
        """The trial of a session; without labelers, only gold rows teach."""
        votes = session.votes[sample.rows]
        votes = votes if session.roster.labelers else votes[:, []]
        joint = make_joint(session.settings, None)
        return cls(votes, session.known.positions[sample.rows], sample.evidence, joint)

    @cached_property
    def blind(self) -> TrialFit:
        """The same where gold rows only measure, and teach nothing."""
        return TrialFit(self.votes, self.gold, self.evidence, self.joint, gold_teaches=False)

    @cached_property
    def beliefs(self) -> Floats:
        """(s, k): beliefs with the labelers as they are; those of a gold row have not seen its gold label."""
        return self.label(self.votes)

    @cached_property
    def truth(self) -> Floats:
        """(s, k): the best that is known about each row: its gold class, or else beliefs, as sure as their evidence."""
        known = self.gold >= 0
        beliefs = self.beliefs if known.sum() >= FEWEST_GOLD else tempered(self.beliefs, 1 / SURENESS)
        return np.where(known[:, None], np.eye(len(self.votes.space))[np.maximum(self.gold, 0)], beliefs)

    def without(self, name: str | None) -> Votes:
        """Votes of all labelers but one."""
        return self.votes[:, [i for i, other in enumerate(self.votes.names) if other != name]]

    def label(self, votes: Votes) -> Floats:
        """(s, k): beliefs from votes, rows and the gold of other rows."""
        if not votes.covered.any():
            k, weights = len(votes.space), row_weights(np.ones(len(votes), np.bool_), self.taught)
            table, everyone = np.full((len(votes), k), 1 / k), np.ones(len(votes), np.bool_)
            made = combine([table], [CAUTIOUS], everyone, self.taught, None, self.evidence, weights)
            return tempered(made[0].beliefs)
        return np.asarray(self._combined(votes, self._teacher).out_of_fold_)

    @cached_property
    def _teacher(self) -> Teacher | None:
        """The teacher by the labelers as they are. It stays the same: a trial is about a rule."""
        return self._combined(self.votes, None).teacher_ if self.votes.covered.any() else None

    def _combined(self, votes: Votes, teacher: Teacher | None) -> JointModel:
        joint: JointModel = clone(self.joint)
        joint._combine(votes, self.taught, self.evidence, teacher)
        return joint

    def effect(self, draft: Votes, replaces: str | None, rows: int) -> Effect:
        """Effect of a rule's votes (s, 1) on so many rows without gold."""
        return measured(self.beliefs, self.label(Votes.beside([self.without(replaces), draft])), self.gold, rows)


def measured(before: Floats, after: Floats, gold: Positions, rows: int) -> Effect:
    """Effect of beliefs before and after, both (s, k), on `rows` rows without gold."""
    old, new, known = before.argmax(axis=1), after.argmax(axis=1), gold >= 0
    n = int(known.sum())
    gain, doubt = expected_gain(before, after, calibrated=n >= FEWEST_GOLD)
    others = ~known if not known.all() else known
    mean, changed = float(gain[others].mean()), float((old != new)[others].mean())
    variance = float(doubt[others].mean() / others.sum() + (DOUBT * changed) ** 2)
    if n >= FEWEST_GOLD:
        deciding = int((old != new)[known].sum())
        off = ((new == gold).astype(float) - (old == gold) - gain)[known]  # counted less expected gain of gold rows
        share = deciding / (deciding + TRUST)
        mean += share * float(off.mean())
        variance = share**2 * off.var() / n + (1 - share) ** 2 * variance
    mean, error = min(max(mean, -changed), changed), rows * float(np.sqrt(variance))
    return Effect(rows * mean, error, round(rows * changed), n if n >= FEWEST_GOLD else 0)


def expected_gain(before: Floats, after: Floats, *, calibrated: bool = False) -> tuple[Floats, Floats]:
    """(s,): expected gain in right labels of each row, and its variance.

    Of calibrated beliefs, it is the mean of three: by beliefs after, by beliefs before, and the gain in belief.
    """
    old, new, every = before.argmax(axis=1), after.argmax(axis=1), np.arange(len(before))
    m, k = before.shape
    unknown = np.bincount(old, minlength=k) < RARE * m / k
    share = np.where(unknown[new], 1.0, 0.5)[:, None]
    belief = share * after + (1 - share) * before
    right, wrong = belief[every, new], belief[every, old]
    gain, same = right - wrong, old == new
    variance = np.where(same, 0.0, right + wrong - gain**2)
    if calibrated:
        gain = (2 * gain + after.max(axis=1) - before.max(axis=1)) / 3
    return gain, variance


def answers(codes: Positions, member: Mask, truth: Floats) -> list[dict[str, Any]]:
    """Precision and recall of each answer of a rule, by what is known about rows: `truth` (s, k), and chance levels.

    `codes` (s,) are votes, 0 for none; `member` (c, k) are the classes of each answer. Recall is the share of rows of
    these classes on which it is given; by chance, both would be what they are if votes fell on random rows.
    """
    lines: list[dict[str, Any]] = []
    for c, classes in enumerate(member, 1):
        right, voted = truth[:, classes].sum(axis=1), codes == c
        total, n = float(right.sum()), int(voted.sum())
        lines.append({
            "judged": n,
            "precision": float(right[voted].mean()) if n else None,
            "chance": total / len(truth) if len(truth) else None,
            "recall": float(right[voted].sum()) / total if total > 0 else None,
            "recall_chance": n / len(truth) if len(truth) else None,
        })  # fmt: skip
    return lines
