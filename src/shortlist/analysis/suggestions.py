"""Suggestions: which rows to label next, and which questions to ask, by how much is expected to be gained.

Rows with the same votes get the same belief b, so what is learned about one of them bears on all. Take b for a
Dirichlet distribution worth κ rows, here one. One gold label y, which comes up with probability b_y, moves it to
(κ b + e_y) / (κ + 1), and the chance that the best guess is right from max b to the largest of these. The gain of a
row is the expected rise times the number of rows with the same votes and no label yet.

A question is a split of the classes. With p the belief in the yes side, an answer of accuracy a has the information
H(a p + (1 − a)(1 − p)) − H(a), in bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
from scipy.special import entr

from shortlist.analysis.measures import Measures, frame
from shortlist.analysis.tables import row_columns, top_two
from shortlist.arrays import Floats, Mask, Positions
from shortlist.identifiability import diagnose
from shortlist.registry import check_whole
from shortlist.votes import Votes

Split = tuple[int, ...]  # the classes on the yes side, by position
Separates = Callable[[Split], bool]  # whether a split tells classes apart that no labeler does
ACCURACY = 0.8  # how often answers to questions are assumed to be right
LEAST_GAIN = 0.14  # bits a row: half of what such an answer to a yes-or-no question can tell


def suggestion_table(data: Measures, n: int) -> pl.DataFrame:
    """The n rows with the largest expected gain, one for each pattern of votes."""
    check_whole("n", n)
    votes = data.votes
    example, like = unlabelled(data)
    gain = like * expected_rise(data.distinct.at(example), 1.0)
    best = np.lexsort((example, -np.round(gain, 9)))[:n]  # of equal gains the first row
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


def expected_rise(beliefs: Floats, trust: float | Floats) -> Floats:
    """Σ_y b_y max(κ b* , κ b_y + 1) / (κ + 1) − b*, with b* the largest belief."""
    best = beliefs.max(axis=1, keepdims=True)
    after = np.maximum(trust * best, trust * beliefs + 1) / (trust + 1)
    rise: Floats = (beliefs * after).sum(axis=1) - best[:, 0]
    return rise


def _said(votes: Votes, a: int) -> str:
    """Votes on row a: `goal: sports; abroad: world`."""
    return "; ".join(f"{name}: {votes.space.show(answer)}" for name, answer in votes.said(a).items())


# -- questions -----------------------------------------------------------------------------------------


def question_table(data: Measures, n: int, largest: int) -> pl.DataFrame:
    """The n most informative questions, each given the ones above it.

    A question that separates no new pair of classes is worth asking if it tells half of what a yes or no can tell.
    """
    check_whole("n", n)
    check_whole("largest", largest)
    diagnosis = diagnose(data.votes, time_limit=0.0)
    hidden = [*diagnosis.inseparable_pairs, *diagnosis.untold_pairs]  # classes that no labeler tells apart

    def separated(split: Split) -> int:
        names = [data.votes.space[j] for j in split]
        return sum((a in names) != (b in names) for a, b in hidden)

    rows = []
    for split, gain in best_questions(*heaviest(data), n, largest, lambda split: separated(split) > 0):
        names = [data.votes.space[j] for j in split]
        rows.append((names, gain, separated(split), question_text(names)))
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


def best_questions(
    beliefs: Floats, weights: Floats, n: int, largest: int, separates: Separates
) -> Iterator[tuple[Split, float]]:
    """At most n (split, expected information in bits a row), each given the ones before it."""
    asked: list[Split] = []
    for _ in range(n):
        split, gain = best_split(beliefs, weights, largest, separates)
        if gain <= 1e-9 or split in asked:
            return
        asked.append(split)
        yield split, gain
        beliefs, weights = answered(beliefs, weights, mask_of(split, beliefs.shape[1]))


def information(beliefs: Floats, weights: Floats, masks: Mask, accuracy: float = ACCURACY) -> Floats:
    """(c,): expected information of questions about c sets of classes, in bits a row."""
    p = beliefs @ masks.T.astype(np.float64)  # (u, c)
    yes, right = accuracy * p + (1 - accuracy) * (1 - p), np.array(accuracy)
    nats = entr(yes) + entr(1 - yes) - entr(right) - entr(1 - right)
    return np.asarray(weights @ nats / np.log(2))


def best_split(beliefs: Floats, weights: Floats, largest: int, separates: Separates) -> tuple[Split, float]:
    """The most informative set of at most `largest` classes, by beam search.

    A set of more classes is a question that fewer people would ask, so it has to tell a quarter more.
    """
    k = beliefs.shape[1]
    sets: list[Split] = [(j,) for j in range(k)]
    best, most = sets[0], -1.0
    for size in range(1, min(largest, k - 1) + 1):
        gains = information(beliefs, weights, np.array([mask_of(one, k) for one in sets]))
        order = np.argsort(-np.round(gains, 12), kind="stable")
        first = next((i for i in order if separates(sets[i]) or gains[i] >= LEAST_GAIN), None)
        if first is not None and gains[first] > 1.25 * most + 1e-9:
            best, most = sets[first], float(gains[first])
        if size < largest:
            grown = {tuple(sorted((*sets[i], j))) for i in order[:24] for j in range(k) if j not in sets[i]}
            sets = sorted(grown)
    return best, most


def answered(beliefs: Floats, weights: Floats, mask: Mask) -> tuple[Floats, Floats]:
    """Beliefs after the answer, for yes and for no, and the expected weight of each."""
    likely = np.where(mask, ACCURACY, 1 - ACCURACY)
    parts = [beliefs * likely, beliefs * (1 - likely)]
    chances = [part.sum(axis=1) for part in parts]
    updated = [part / np.maximum(chance, 1e-300)[:, None] for part, chance in zip(parts, chances, strict=True)]
    return np.concatenate(updated), np.concatenate([weights * chance for chance in chances])


def mask_of(split: Split, k: int) -> Mask:
    return np.isin(np.arange(k), split)
