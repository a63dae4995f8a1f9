"""Next steps: how many independent labelers the panel is worth, and what one more labeler or gold rows would bring.

**Independent labelers.** Labelers that err on the same rows count less: n labelers whose hits correlate by ρ on
average are worth n / (1 + (n − 1) ρ) independent ones (the design effect of a survey). Hits are judged by gold rows,
or by the labels themselves without gold; then errors that all labelers share are not seen, and the number is an upper
bound.

**One more labeler of the kind that is there.** With gold rows, labelers are left out one at a time: the mean loss,
times (n − 1) / (n + 1), is the expected gain. Without gold, and mixed in by precision with it, is what 26 real panels
gained on average: 0.6 × (rows that are wrong) / (labelers), give or take 1.5 points. Beliefs alone did not predict
gains (`benchmarks/certificate.py`).
The form and the factor were chosen on those panels, so on others the error is larger.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shortlist.arrays import Floats, Mask, Positions
from shortlist.errors import BadRows
from shortlist.labelmodel import LabelModel
from shortlist.labelmodel.layout import Layout
from shortlist.uncertainty.gold_sample import GoldSample, RandomGold
from shortlist.votes import Votes

SHARE_OF_ERRORS, SPREAD = 0.6, 0.015  # of the expected gain on real panels
FEWEST_GOLD, LEFT_OUT, MOST_ROWS = 30, 10, 5_000  # gold rows that judge; labelers left out at most; rows for that
FEWEST_OF_A_KIND = 3
GOLD_ROWS = 100
Right = Callable[[str | None], Mask]


@dataclass(frozen=True)
class Gain:
    """Something to add, the expected gain in the share of the `rows` with the right label, and its standard error."""

    name: str
    gain: float
    error: float
    rows: int

    def __str__(self) -> str:
        return f"{self.name}: {self.gain * self.rows:+z,.0f} rows right (± {self.error * self.rows:,.0f})"


@dataclass(frozen=True, eq=False)
class NextSteps:
    """What the panel is worth, and what to add, the best first.

    labelers      number of labelers
    worth         number of independent labelers that they are worth; an upper bound unless `judged` by gold rows
    by_class      class → the same, from rows of that class
    steps         what to add
    """

    labelers: int
    worth: float
    judged: bool
    by_class: dict[str, float]
    steps: tuple[Gain, ...]

    def __str__(self) -> str:
        most = "" if self.judged else "at most "
        worth = f"{self.labelers} labelers are worth {most}{self.worth:.1f} independent ones."
        return f"{worth} Expected gains: {'; '.join(map(str, self.steps))}."


def next_steps(
    votes: Votes, beliefs: Any, gold: RandomGold | None = None, *, model: Any = None, right: Right | None = None
) -> NextSteps:
    """Expected gains of a further labeler and of gold rows. Gold was drawn at random; beliefs have not seen it.

    `right` returns the gold rows (n,) that are right if a labeler is left out, or none (None). Without it, `model` is
    fitted again, by default a `LabelModel`.
    """
    sample = GoldSample.read(beliefs, gold or {}, votes.space)
    if len(sample.beliefs) != len(votes):
        raise BadRows(f"there are {len(sample.beliefs):,} rows of beliefs and votes about {len(votes):,}")
    judged = len(sample.rows) >= FEWEST_GOLD
    rows = sample.rows if judged else np.flatnonzero(votes.covered)
    truth = sample.gold if judged else sample.beliefs.argmax(axis=1)[rows]
    hits = hits_of(votes[rows], truth)
    by_class = {name: effective_number(hits[truth == j]) for j, name in enumerate(votes.space) if (truth == j).any()}
    wrong = float((sample.beliefs.argmax(axis=1)[rows] != truth).mean()) if judged else None
    wrong = 1 - float(sample.beliefs.max(axis=1).mean()) if wrong is None else wrong
    right = right or (_refitted(votes, sample, LabelModel() if model is None else model) if judged else None)
    m, kinds = len(votes), kinds_of(votes)
    own = min(GOLD_ROWS, m) / m * wrong
    steps = [Gain(f"{GOLD_ROWS} gold rows, by themselves", own, own / np.sqrt(GOLD_ROWS * max(wrong, 0.01)), m)]
    for kind, names in kinds.items():
        gain, error = _one_more(names, len(votes.names), right if judged else None, wrong)
        steps.append(Gain(f"one more {kind}", gain, error, m))
    steps.sort(key=lambda step: -step.gain)
    return NextSteps(len(votes.names), effective_number(hits), judged, by_class, tuple(steps))


def kinds_of(votes: Votes) -> dict[str, list[str]]:
    """Kind → labelers. Those that vote on half of the rows or more are models, if there are three of each kind."""
    wide = votes.coverage >= 0.5
    rules, models = ([name for name, one in zip(votes.names, wide, strict=True) if one == kind] for kind in (0, 1))
    if min(len(rules), len(models)) < FEWEST_OF_A_KIND:
        return {"labeler of the average kind": list(votes.names)}
    return {"rule of the average kind": rules, "model like these": models}


def hits_of(votes: Votes, truth: Positions) -> Floats:
    """(m, n): 1 where the true class is in a labeler's shortlist, 0 where it is not, NaN where it abstains."""
    layout = Layout.of(votes.codomains, votes.space)
    member = np.vstack([layout.member, np.zeros(len(votes.space), np.bool_)])  # a row even if no labeler says anything
    right = member[layout.rows_of(votes.codes), np.maximum(truth, 0)[:, None]] & (truth >= 0)[:, None]
    return np.where(votes.codes > 0, right, np.nan)


def effective_number(hits: Floats) -> float:
    """Number of independent labelers that those with these hits (m, n) are worth."""
    voted = ~np.isnan(hits)
    n = int(voted.any(axis=0).sum())
    counts = np.maximum(voted.sum(axis=0), 1)
    centred = np.where(voted, np.nan_to_num(hits) - np.nansum(hits, axis=0) / counts, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / counts)
    scaled = centred / np.where(spread > 1e-9, spread, 1.0)
    varied = voted & (spread > 1e-9)
    pairs = (varied.sum(axis=1) ** 2 - varied.sum(axis=1)).sum()
    shared = float((scaled.sum(axis=1) ** 2).sum() - (scaled**2).sum())
    rho = float(np.clip(shared / pairs, 0.0, 1.0)) if pairs > 0 else 0.0
    return n / (1 + (n - 1) * rho) if n else 0.0


def _refitted(votes: Votes, sample: GoldSample, model: Any) -> Right:
    """Right gold rows by a model that is fitted to gold rows and some others."""
    rng = np.random.default_rng(0)
    others = rng.permutation(np.setdiff1d(np.arange(len(votes)), sample.rows))[: max(MOST_ROWS - len(sample.rows), 0)]
    some, drawn = votes[np.concatenate([sample.rows, others])], len(sample.rows)

    def right(left_out: str | None) -> Mask:
        panel = some[:, [name for name in votes.names if name != left_out]]
        with warnings.catch_warnings(action="ignore"):  # a model of some of the labelers is nobody's concern
            fitted = type(model)(**model.get_params(deep=False)).fit(panel)
        return np.asarray(fitted.predict_proba(panel[:drawn]).argmax(axis=1) == sample.gold)

    return right


def _one_more(names: Sequence[str], n: int, right: Right | None, wrong: float) -> tuple[float, float]:
    """Expected gain of one more labeler like these, among n, and its standard error.

    If errors fall as 1 / n, the gain of one more is (n - 1) / (n + 1) of the loss of one less.
    """
    usual = SHARE_OF_ERRORS * wrong / (n + 1)
    if right is None or n < 3:
        return usual, SPREAD
    whole = right(None).astype(np.float64)
    left_out = np.random.default_rng(0).permutation(len(names))[:LEFT_OUT]
    losses = np.mean([whole - right(names[i]) for i in left_out], axis=0) * (n - 1) / (n + 1)  # (gold rows,)
    variance = float(losses.var(ddof=1)) / len(losses) + 1e-6
    trust = SPREAD**2 / (SPREAD**2 + variance)
    return trust * float(losses.mean()) + (1 - trust) * usual, float(np.sqrt(1 / (1 / variance + 1 / SPREAD**2)))
