"""Heat maps: tables whose cells are coloured by how much of something there is. Screen readers read them as tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shortlist.reporting.overview import Overview

LARGEST = 60  # lines: beyond, those are shown where most happens


@dataclass(frozen=True)
class Cell:
    """How warm (0 to 1) in which colour, with which number, and what to say about it."""

    warmth: float = 0.0
    colour: str = ""
    number: str = ""
    tip: str = ""
    marked: bool = False


@dataclass(frozen=True)
class Heat:
    """Lines and columns with their names, and a cell for each pair."""

    lines: list[str]
    columns: list[str]
    cells: list[list[Cell]]
    left_out: int = 0


def labeler_heat(overview: Overview) -> Heat:
    """Below the diagonal how often two labelers vote together, above it how often they then contradict each other."""
    names, m = overview.votes.names, len(overview.votes)
    bits = overview.analysis.bits
    overlap, conflict = bits.pairs() / m, bits.pairs(bits.disjoint) / m
    correlation = _square(overview, len(names))
    shown = _busiest(conflict.sum(axis=1))
    cells = [[_pair(names, i, j, overlap, conflict, correlation) for j in shown] for i in shown]
    for line, i in zip(cells, shown, strict=True):
        for at, j in enumerate(shown):
            if (names[min(i, j)], names[max(i, j)]) in overview.near_copies:
                line[at] = replace(line[at], marked=True)
    chosen = [names[i] for i in shown]
    return Heat(chosen, chosen, cells, len(names) - len(chosen))


def _square(overview: Overview, n: int) -> Any:
    """(n, n): correlations given the class, NaN where there is no model."""
    square = np.full((n, n), np.nan)
    if "correlation" in overview.pairs.columns:
        square[np.triu_indices(n, 1)] = overview.pairs["correlation"].to_numpy()
    return np.fmax(square, square.T)


def _busiest(activity: Any) -> list[int]:
    return [int(i) for i in np.sort(np.argsort(-activity, kind="stable")[:LARGEST])]


def _pair(names: tuple[str, ...], i: int, j: int, overlap: Any, conflict: Any, correlation: Any) -> Cell:
    both = overlap[i, j]
    if i == j:
        return Cell(both, "diagonal", _percent(both), f"{names[i]} votes on {both:.1%} of rows")
    rate = conflict[i, j] / both if both else 0.0
    tip = f"{names[i]} and {names[j]} both vote on {both:.1%} of rows and contradict each other on {rate:.1%} of these"
    close = correlation[i, j]
    if close == close:
        tip += f"; correlation given the class {close:.2f}"
    warmth, colour = (both, "overlap") if i > j else (rate, "conflict")
    return Cell(float(warmth), colour, _percent(warmth), tip)


def class_heat(overview: Overview) -> Heat:
    """How often the better guess between two classes is expected to be wrong; with gold, above the diagonal, is."""
    space, k = overview.votes.space, len(overview.votes.space)
    grid = [[Cell() for _ in range(k)] for _ in range(k)]
    for pair in overview.classes.iter_rows(named=True):
        i, j = space.position(pair["class"]), space.position(pair["other"])
        error = pair["error"]
        tip = f"{pair['class']} or {pair['other']}: {error:.1%} of guesses between the two expected to be wrong; "
        tell = "labeler tells" if pair["labelers"] == 1 else "labelers tell"
        tip += f"{pair['labelers']} {tell} them apart, on {pair['rows']:.0%} of rows"
        grid[j][i] = Cell((2 * error) ** 0.5, "conflict", _percent(error), tip)
        if pair.get("gold_error") is not None:
            gold = pair["gold_error"]
            said = f"{pair['class']} or {pair['other']}: {gold:.1%} of gold rows of the two are taken for the other"
            grid[i][j] = Cell((2 * min(gold, 0.5)) ** 0.5, "gold", _percent(gold), said)
    mixed = np.array([[cell.warmth for cell in line] for line in grid])
    shown = _busiest(mixed.sum(axis=0) + mixed.sum(axis=1))
    chosen = [space[j] for j in shown]
    return Heat(chosen, chosen, [[grid[i][j] for j in shown] for i in shown], k - len(chosen))


def accuracy_heat(overview: Overview) -> Heat:
    """α_ij: how often each labeler is right on rows of each class; empty where it has one thing to say.

    Such a labeler is right on all classes that it names and wrong on all others, whatever the votes are.
    """
    names, space = overview.votes.names, overview.votes.space
    told = [not codomain.one_sided for codomain in overview.votes.codomains]
    order = [overview.model.panel_.names.index(name) for name in names]
    alpha = overview.model.accuracy_[order]
    known = _gold_by_class(overview)
    cells = [
        [_alpha(names[i], space[j], alpha[i, j] if told[i] else None, known[i][j]) for j in range(len(space))]
        for i in range(len(names))
    ]
    return Heat(list(names), list(space), cells)


def _gold_by_class(overview: Overview) -> list[list[str]]:
    n, k = len(overview.votes.names), len(overview.votes.space)
    if overview.analysis.gold is None:
        return [[""] * k for _ in range(n)]
    layout, counts = overview.analysis.bits.layout, overview.analysis.gold_counts
    votes, right = layout.per_labeler(counts), layout.per_labeler(counts * layout.member)
    return [
        [f"; on {votes[i, j]:,.0f} gold rows {right[i, j] / votes[i, j]:.0%}" if votes[i, j] else "" for j in range(k)]
        for i in range(n)
    ]


def _alpha(name: str, label: str, value: float | None, gold: str) -> Cell:
    if value is None:
        return Cell(
            0.0, "good", "", f"{name} on {label}: it always gives the same answer, so this is not estimated{gold}"
        )
    return Cell(float(value) ** 2, "good", _percent(value), f"{name} on {label}: estimated right {value:.0%}{gold}")


def _percent(value: float) -> str:
    """A whole number of percent, without the sign, and nothing for next to nothing."""
    return "" if value < 0.0005 else "<1" if value < 0.005 else f"{100 * value:.0f}"
