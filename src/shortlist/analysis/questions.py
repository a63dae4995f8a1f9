"""Questions: which split of the classes would tell most, were somebody asked about every row.

A question splits the classes into S and the rest. Its answer is right with probability a. With p the belief in S on a
row, the answer is expected to tell

    I = H(a p + (1 − a)(1 − p)) − H(a)          (H the entropy of a coin, in bits)

about the class of that row: the mutual information of class and answer, given the votes so far. Questions are chosen
one after another, each given that those before it are answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shortlist.arrays import Floats, Mask
from shortlist.errors import BadFit
from shortlist.identifiability import diagnose
from shortlist.labelspace import LabelSpace
from shortlist.options import check_amount, check_whole

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis

MOST = 2_000  # patterns of votes that are looked at, the heaviest
BEAM = 24  # sets of classes that are made larger by one more
SCHEMA: dict[str, Any] = {"classes": pl.List(pl.String), "gain": pl.Float64, "separates": pl.Int64, "text": pl.String}


def question_table(analysis: Analysis, n: int, accuracy: float, largest: int) -> pl.DataFrame:
    """The n questions that would tell most, each given the ones above it."""
    check_whole("n", n)
    check_whole("largest", largest)
    check_amount("accuracy", accuracy, "how often answers are assumed to be right", least=0.5, above=True)
    if accuracy > 1:
        raise BadFit(f"accuracy is a probability, at most 1; got {accuracy}", option=("accuracy",))
    space, pairs = analysis.votes.space, hidden_pairs(analysis)
    beliefs, weights = heaviest(analysis)
    lines: list[tuple[tuple[int, ...], float, int]] = []
    for _ in range(n):
        split, gain = best_split(beliefs, weights, accuracy, largest)
        if gain <= 1e-9 or any(split == line[0] for line in lines):
            break
        inside = {space[j] for j in split}
        lines.append((split, gain, sum((a in inside) != (b in inside) for a, b in pairs)))
        beliefs, weights = answered(beliefs, weights, mask_of(split, len(space)), accuracy)
    rows = [(_names(split, space), gain, told, written(_names(split, space))) for split, gain, told in lines]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def hidden_pairs(analysis: Analysis) -> list[tuple[str, str]]:
    """The pairs of classes that the doctor says no labeler tells apart."""
    found = diagnose(analysis.votes, time_limit=0.0)
    return [*found.inseparable_pairs, *found.untold_pairs]


def heaviest(analysis: Analysis) -> tuple[Floats, Floats]:
    """Beliefs of the patterns of votes with most rows, and the share of rows of each."""
    rows = analysis.distinct
    order = np.argsort(-rows.counts, kind="stable")[:MOST]
    counts = np.asarray(rows.counts, np.float64)[order]
    return rows.beliefs[order], counts / counts.sum()


def entropy(p: Floats) -> Floats:
    """Of a coin, in bits."""
    inside = np.clip(p, 1e-300, 1.0)
    other = np.clip(1.0 - p, 1e-300, 1.0)
    bits: Floats = -(p * np.log2(inside) + (1.0 - p) * np.log2(other))
    return bits


def information(beliefs: Floats, weights: Floats, masks: Mask, accuracy: float) -> Floats:
    """(c,): expected information of questions about c sets of classes, in bits a row."""
    p = beliefs @ masks.T.astype(np.float64)  # (u, c)
    told = entropy(accuracy * p + (1 - accuracy) * (1 - p)) - entropy(np.array(accuracy))
    mean: Floats = weights @ told
    return mean


def best_split(beliefs: Floats, weights: Floats, accuracy: float, largest: int) -> tuple[tuple[int, ...], float]:
    """The set of at most `largest` classes whose question tells most; of equals the smallest. By beam search."""
    k = beliefs.shape[1]
    sets: list[tuple[int, ...]] = [(j,) for j in range(k)]
    best, most = sets[0], -1.0
    for size in range(1, min(largest, k - 1) + 1):
        gains = information(beliefs, weights, np.array([mask_of(one, k) for one in sets]), accuracy)
        order = np.argsort(-np.round(gains, 12), kind="stable")
        if gains[order[0]] > most + 1e-9:
            best, most = sets[order[0]], float(gains[order[0]])
        if size < largest:
            grown = {tuple(sorted((*sets[i], j))) for i in order[:BEAM] for j in range(k) if j not in sets[i]}
            sets = sorted(grown)
    return best, most


def answered(beliefs: Floats, weights: Floats, mask: Mask, accuracy: float) -> tuple[Floats, Floats]:
    """Beliefs once the question is answered, for yes and for no, and how often each is expected."""
    likely = np.where(mask, accuracy, 1 - accuracy)
    parts = [beliefs * likely, beliefs * (1 - likely)]
    chances = [part.sum(axis=1) for part in parts]
    found = [part / np.maximum(chance, 1e-300)[:, None] for part, chance in zip(parts, chances, strict=True)]
    return np.concatenate(found), np.concatenate([weights * chance for chance in chances])


def mask_of(split: tuple[int, ...], k: int) -> Mask:
    mask: Mask = np.isin(np.arange(k), split)
    return mask


def _names(split: tuple[int, ...], space: LabelSpace) -> list[str]:
    return [space[j] for j in split]


def written(names: list[str]) -> str:
    """The question as a labeler to be edited."""
    listed = " or ".join(names)
    yes = repr(names[0]) if len(names) == 1 else "{" + ", ".join(map(repr, names)) + "}"
    no = f"Not({', '.join(map(repr, names))})"
    name = "_or_".join("".join(c if c.isalnum() else "_" for c in one) for one in names)
    return f'ask("Is this about {listed}?\\n{{text}}", yes={yes}, no={no}, model=lm, name={name!r})'
