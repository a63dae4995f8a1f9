"""Queue: which row a person should label next.

Rows with the same votes get the same belief, so what is learned about one bears on all. The row is chosen whose label
is expected to set most rows right (see `analysis/suggestions.py`). Labels that rows of the same votes have already are
counted in: after some, the belief about such rows is settled, and other rows promise more.

Such rows are the hard ones, so a score on them may be too low. For a fair score, rows are drawn at random from all:
also from those without a vote, since a labeler that is written later may vote there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from shortlist.analysis.suggestions import expected_rise
from shortlist.arrays import Floats, Positions
from shortlist.project.gold.file import Picked

if TYPE_CHECKING:
    from shortlist.project.session import Session

TRUST = 1.0  # labelled rows that a belief is worth


def next_rows(session: Session, n: int, also: frozenset[int] = frozenset()) -> list[int]:
    """The rows that promise most, one for each way the labelers vote. `also` are rows that are not to be asked."""
    patterns = session.analysis.patterns
    inverse, u = patterns.inverse, len(patterns.counts)
    left = np.ones(len(inverse), np.bool_)
    left[[*session.known.touched, *also]] = False
    like = np.bincount(inverse[left], minlength=u)
    gain = like * expected_rise(*_after_labels(session, inverse, u))
    order = np.argsort(-np.round(gain, 9), kind="stable")
    best = order[like[order] > 0][:n]
    first = _spread_first(inverse, left, u)
    return [int(first[kind]) for kind in best]


def random_rows(session: Session, n: int, also: frozenset[int] = frozenset()) -> list[int]:
    """Rows at random, whatever they say. Their order is fixed, so that a second sitting goes on where one ended."""
    left = np.setdiff1d(np.arange(len(session.rows)), [*session.known.touched, *also])
    order = np.argsort(_shuffled(left), kind="stable")
    return [int(row) for row in left[order[:n]]]


PICKS: dict[Picked, Callable[..., list[int]]] = {"gain": next_rows, "random": random_rows}


def next_row(session: Session, also: frozenset[int] = frozenset(), picked: Picked = "gain") -> int | None:
    """The row that promises most, or the next random one; None where all rows are labelled."""
    found = PICKS[picked](session, 1, also)
    return found[0] if found else None


def _after_labels(session: Session, inverse: Positions, u: int) -> tuple[Floats, Floats]:
    """(u, k) what is believed of each kind of rows after their labels, and (u, 1) how many rows that is worth."""
    analysis, k = session.analysis, len(session.votes.space)
    counts = np.zeros((u, k))
    if analysis.gold is not None:
        rows = np.flatnonzero(analysis.gold >= 0)
        np.add.at(counts, (inverse[rows], analysis.gold[rows]), 1)
    prior = np.zeros((u, k))
    prior[inverse] = analysis.distinct.at(slice(None))
    worth = TRUST + counts.sum(axis=1, keepdims=True)
    return (TRUST * prior + counts) / worth, worth


def _spread_first(inverse: Positions, left: np.ndarray[tuple[int], np.dtype[np.bool_]], u: int) -> Positions:
    """(u,): for each kind, a row that is left, chosen from anywhere: neighbours in a file are often alike."""
    rows = np.flatnonzero(left)
    rows = np.random.default_rng(0).permutation(rows)
    first = np.zeros(u, np.int64)
    first[inverse[rows]] = rows
    return first


def _shuffled(rows: Positions) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A random-looking number for each row, by its own number alone: rows that are added leave the others' order."""
    mixed = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)  # the steps of SplitMix64
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
