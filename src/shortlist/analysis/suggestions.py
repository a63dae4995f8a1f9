"""Suggestions: which rows to label next, and which questions to ask, by how much is expected to be gained.

Rows with the same votes get the same belief b, so what is learned about one of them bears on all. Take b for a
Dirichlet distribution worth κ rows (`trust`). One gold label y, which comes up with probability b_y, moves it to
(κ b + e_y) / (κ + 1), and the chance that the best guess is right from max b to the largest of these. The gain of a
row is the expected rise times the number of rows with the same votes and no label yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shortlist.analysis.measures import Measures, frame
from shortlist.analysis.tables import row_columns, top_two
from shortlist.arrays import Floats, Positions
from shortlist.errors import BadFit
from shortlist.identifiability import diagnose
from shortlist.registry import check_amount, check_whole
from shortlist.uncertainty.questions import best_questions
from shortlist.votes import Votes


def suggestion_table(data: Measures, n: int, trust: float) -> pl.DataFrame:
    """The n rows with the largest expected gain, one for each pattern of votes."""
    if not n >= 1:
        raise BadFit(f"n is how many rows to suggest, from 1; got {n!r}")
    if not 0 < trust < np.inf:
        raise BadFit(f"trust says how many labelled rows a belief is worth, more than 0; got {trust!r}")
    votes = data.votes
    example, like = unlabelled(data)
    gain = like * expected_rise(data.distinct.at(example), trust)
    best = largest(gain, example, n)
    example, like, gain = example[best], like[best], gain[best]
    beliefs = data.distinct.at(example)
    order = np.argsort(-beliefs, axis=1, kind="stable")
    lead, follow = top_two(beliefs)
    columns: dict[str, Any] = row_columns(votes, example) | {
        "gain": gain,
        "rows": like,
        "class": pl.Series([votes.space[j] for j in order[:, 0]], dtype=pl.String),
        "belief": lead,
        "or": pl.Series([votes.space[j] for j in order[:, 1]], dtype=pl.String),
        "or_belief": follow,
        "said": pl.Series([_said(votes, int(a)) for a in example], dtype=pl.String),
    }
    return frame(columns)


def unlabelled(data: Measures) -> tuple[Positions, Positions]:
    """For each pattern of votes on rows without a label: the first such row, and how many there are."""
    inverse, u = data.patterns.inverse, len(data.patterns.counts)
    rows = np.arange(len(inverse)) if data.gold is None else np.flatnonzero(data.gold < 0)
    like = np.bincount(inverse[rows], minlength=u)
    first = np.zeros(u, np.int64)
    first[inverse[rows[::-1]]] = rows[::-1]  # what is written last stays: the first row
    return first[like > 0], like[like > 0]


def largest(gain: Floats, rows: Positions, n: int) -> Positions:
    """The n largest gains, of equal ones the first row."""
    rounded = np.round(gain, 9)
    least = np.partition(rounded, -n)[-n] if len(gain) > n else -np.inf
    near = np.flatnonzero(rounded >= least)
    return near[np.lexsort((rows[near], -rounded[near]))][:n]


def expected_rise(beliefs: Floats, trust: float | Floats) -> Floats:
    """Σ_y b_y max(κ b* , κ b_y + 1) / (κ + 1) − b*, with b* the largest belief."""
    best = beliefs.max(axis=1, keepdims=True)
    after = np.maximum(trust * best, trust * beliefs + 1) / (trust + 1)
    rise: Floats = (beliefs * after).sum(axis=1) - best[:, 0]
    return rise


def _said(votes: Votes, a: int) -> str:
    """Votes on row a: `goal: sports; abroad: world`."""
    return "; ".join(f"{name}: {votes.space.show(answer)}" for name, answer in votes.said(a).items())


def question_table(data: Measures, n: int, accuracy: float, largest: int) -> pl.DataFrame:
    """The n most informative questions, each given the ones above it."""
    check_whole("n", n)
    check_whole("largest", largest)
    check_amount("accuracy", accuracy, "how often answers are assumed to be right", least=0.5, above=True)
    if accuracy > 1:
        raise BadFit(f"accuracy is a probability, at most 1; got {accuracy}", option=("accuracy",))
    diagnosis = diagnose(data.votes, time_limit=0.0)
    hidden = [*diagnosis.inseparable_pairs, *diagnosis.untold_pairs]  # classes that no labeler tells apart
    rows = []
    for split, gain in best_questions(*heaviest(data), n, accuracy, largest):
        names = [data.votes.space[j] for j in split]
        rows.append((names, gain, sum((a in names) != (b in names) for a, b in hidden), question_text(names)))
    types: list[Any] = [pl.List(pl.String), pl.Float64, pl.Int64, pl.String]
    schema = dict(zip(("classes", "gain", "separates", "text"), types, strict=True))
    return pl.DataFrame(rows, schema=schema, orient="row")


def heaviest(data: Measures, most: int = 2_000) -> tuple[Floats, Floats]:
    """Beliefs of the patterns of votes with most rows, and the share of rows of each."""
    rows = data.distinct
    order = np.argsort(-rows.counts, kind="stable")[:most]
    counts = np.asarray(rows.counts, np.float64)[order]
    return rows.beliefs[order], counts / counts.sum()


def question_text(names: list[str]) -> str:
    """A question as a labeler to be edited."""
    listed = " or ".join(names)
    yes = repr(names[0]) if len(names) == 1 else "{" + ", ".join(map(repr, names)) + "}"
    no = f"Not({', '.join(map(repr, names))})"
    name = "_or_".join("".join(c if c.isalnum() else "_" for c in one) for one in names)
    return f'ask("Is this about {listed}?\\n{{text}}", yes={yes}, no={no}, model=lm, name={name!r})'
