"""Drawings of report and studio: figures as SVG, cells of the table of labelers, and heat maps.

Marks have no inline style, which the studio's content security policy forbids, and no text of users. Their look is in
`style.css`; a text in `data-tip` is shown by `tips.js`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shortlist.analysis.labeler_tables import LABELER_COLUMNS, LabelerColumn
from shortlist.analysis.measures import Calibration
from shortlist.arrays import Floats
from shortlist.reporting.overview import Overview
from shortlist.wording import number_of

LEFT, RIGHT, TOP, BOTTOM = 44.0, 390.0, 14.0, 214.0  # the frame of a figure, 400 units wide
Ticks = Iterable[tuple[float, str]]  # share of the axis, and what is written there


# -- figures -------------------------------------------------------------------------------------------


def histogram(belief: Floats, bins: int = 20) -> str:
    """Number of rows by their largest belief."""
    counts, edges = np.histogram(belief, bins, (0.0, 1.0))
    top = nice(int(counts.max()))
    bars = "".join(
        f'<rect class="bar" x="{across(a) + 1:g}" y="{up(c / top):g}" width="{across(b) - across(a) - 2:g}" '
        f'height="{BOTTOM - up(c / top):g}" rx="2" data-tip="{number_of(int(c), "row")}: {a:.0%} to {b:.0%}"/>'
        for c, a, b in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        if c
    )
    sure = float((belief >= 0.9).mean())
    label = f"Histogram of the largest belief of each row: {sure:.0%} of rows have a belief of at least 90 %."
    ticks = [(s, compact(s * top)) for s in (0.0, 0.5, 1.0)]
    return _plot("beliefs", label, ("belief in the best guess", "rows"), _percents(), ticks, bars)


def reliability(calibration: Calibration) -> str:
    """Accuracy by belief: calibrated beliefs lie on the diagonal."""
    most = max(b.rows for b in calibration.bins)
    marks = [f'<line class="ideal" x1="{LEFT:g}" y1="{BOTTOM:g}" x2="{RIGHT:g}" y2="{TOP:g}"/>']
    marks.append(_line([(across(b.belief), up(b.right)) for b in calibration.bins]))
    for b in calibration.bins:
        x, tip = across(b.belief), f"{number_of(b.rows, 'row')}, mean belief {b.belief:.0%}: {b.right:.0%} right"
        marks.append(f'<line class="reach" x1="{x:g}" x2="{x:g}" y1="{up(b.lower):g}" y2="{up(b.upper):g}"/>')
        tip += f" ({b.lower:.0%} to {b.upper:.0%})"
        marks.append(_point(x, up(b.right), round(3 + 5 * (b.rows / most) ** 0.5, 2), tip))
    label = (
        f"Calibration: mean belief {calibration.belief:.0%}, right {calibration.right:.0%}, "
        f"expected calibration error {calibration.error:.3f}."
    )
    return _plot("calibration", label, ("belief in the best guess", "right"), _percents(), _percents(), "".join(marks))


def _plot(name: str, label: str, titles: tuple[str, str], x_ticks: Ticks, y_ticks: Ticks, marks: str) -> str:
    """Axes, with the marks inside; the label says the whole figure in a sentence, for screen readers."""
    axes = [
        f'<line class="axis" x1="{LEFT:g}" x2="{RIGHT:g}" y1="{up(s):g}" y2="{up(s):g}"/>'
        f'<text x="38" y="{up(s) + 4:g}" text-anchor="end">{minus(text)}</text>'
        for s, text in y_ticks
    ]
    axes += [f'<text x="{across(s):g}" y="232" text-anchor="middle">{text}</text>' for s, text in x_ticks]
    axes += [f'<text x="217" y="250" text-anchor="middle">{titles[0]}</text>', f'<text x="44" y="6">{titles[1]}</text>']
    frame = f'class="plot" id="plot-{name}" viewBox="0 0 400 256" role="img" aria-label="{label}"'
    return f"<figure><svg {frame}><title>{label}</title>{''.join(axes)}{marks}</svg></figure>"


def _line(places: list[tuple[float, float]]) -> str:
    return f'<path class="line" d="M{" L".join(f"{x:g} {y:g}" for x, y in places)}"/>'


def _point(x: float, y: float, radius: float, tip: str) -> str:
    return f'<circle class="point" cx="{x:g}" cy="{y:g}" r="{radius:g}" data-tip="{tip}"/>'


def _percents() -> Ticks:
    return [(s, f"{s:.0%}") for s in (0.0, 0.25, 0.5, 0.75, 1.0)]


def across(share: float) -> float:
    """A share of the width."""
    return round(LEFT + share * (RIGHT - LEFT), 2)


def up(share: float) -> float:
    """A share of the height; up is less, as in SVG."""
    return round(BOTTOM - share * (BOTTOM - TOP), 2)


def nice(count: int) -> int:
    """The next round number, for the end of an axis; at least 2, since half of it is shown, too."""
    if count <= 2:
        return 2
    power = 10 ** int(np.floor(np.log10(count)))
    return next(int(step * power) for step in (1, 2, 4, 5, 6, 8, 10) if step * power >= count)


def compact(value: float) -> str:
    """12, 1.5k, 2M."""
    size, letter = (1e6, "M") if value >= 1e6 else (1e3, "k") if value >= 1e3 else (1, "")
    return f"{value / size:g}{letter}"


def minus(number: str) -> str:
    """A number with a typographic minus sign."""
    return number.replace("-", "−")


# -- cells of the table of labelers --------------------------------------------------------------------


def labeler_cells(line: Mapping[str, Any], k: int, level: float = 0.9) -> dict[str, str]:
    """A labeler's cells by column: text, beside a drawing where the column has one. k is the number of classes."""
    return {column.name: _cell(column, line, k, level) for column in LABELER_COLUMNS if column.name in line}


def _cell(column: LabelerColumn, line: Mapping[str, Any], k: int, level: float) -> str:
    text, value = minus(column.text(line)), line[column.name]
    if column.drawing == "interval":
        if value is None:
            text = f'<span class="quiet" title="Votes cannot show it: label some of its rows">{text}</span>'
        elif line.get("accuracy_low") is not None:
            text += f' <span class="quiet">{100 * line["accuracy_low"]:.0f}–{100 * line["accuracy_high"]:.0f}</span>'
        return f'<div class="estimate">{interval(line, (line["size"] or 0) / k, level)}<span>{text}</span></div>'
    if column.drawing == "meter" and value is not None:
        bar = f'<rect width="44" height="8"/><rect class="{column.name}" width="{44 * value:.2f}" height="8"/>'
        return f'<svg class="meter" viewBox="0 0 44 8" aria-hidden="true">{bar}</svg>{text}'
    return text


def interval(line: Mapping[str, Any], chance: float, level: float) -> str:
    """Estimated accuracy with its interval, accuracy on gold rows, and the accuracy of random answers."""
    value, low, high, gold = (line.get(f) for f in ("accuracy", "accuracy_low", "accuracy_high", "gold_accuracy"))
    if (unsure := line.get("accuracy_unsure")) is not None:
        low = high = None  # from 0 to 1
    at = {name: 5 + 160 * share for name, share in (("low", low), ("high", high), ("gold", gold)) if share is not None}
    marks = ['<line class="axis" x1="5" x2="165" y1="13" y2="13"/><path class="axis" d="M5 9v8M85 9v8M165 9v8"/>']
    marks.append(f'<path class="chance" d="M{5 + 160 * chance:.2f} 4v18"/>')
    if low is not None:
        marks.append(f'<line class="reach" x1="{at["low"]:.2f}" x2="{at["high"]:.2f}" y1="13" y2="13"/>')
        marks.append(f'<path class="ends" d="M{at["low"]:.2f} 6v14M{at["high"]:.2f} 6v14"/>')
    if gold is not None:
        marks.append(f'<path class="gold" d="M{at["gold"]:.2f} 6.5l4.5 6.5l-4.5 6.5l-4.5 -6.5z"/>')
    if value is not None:
        marks.append(f'<circle class="dot" cx="{5 + 160 * value:.2f}" cy="13" r="3.5"/>')
    if unsure is not None:
        marks.append(f'<circle class="dot" fill-opacity="0.35" cx="{5 + 160 * unsure:.2f}" cy="13" r="3.5"/>')
    label = _interval_label(line, chance, level)
    frame = f'class="interval" viewBox="0 0 170 26" role="img" aria-label="{label}" tabindex="0" data-tip="{label}"'
    return f"<svg {frame}>{''.join(marks)}</svg>"


def _interval_label(line: Mapping[str, Any], chance: float, level: float) -> str:
    unsure = line.get("accuracy_unsure")
    known = f"estimated {line['accuracy']:.0%}" if line["accuracy"] is not None else "not known from votes"
    parts = [known if unsure is None else f"about {unsure:.0%}, unsure: votes alone cannot show it"]
    if line["accuracy"] is not None and line.get("accuracy_low") is not None:
        ends = f"{line['accuracy_low']:.0%} and {line['accuracy_high']:.0%}"
        parts[0] += f", between {ends} ({level:.0%} interval)"
    if line.get("gold_accuracy") is not None:
        parts.append(f"{line['gold_accuracy']:.0%} of {line['gold_votes']:,} gold rows")
    return "; ".join([*parts, f"by chance {chance:.0%}"])


# -- heat maps -----------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """Warmth (0 to 1) and colour of a cell, with its number and its tip."""

    warmth: float = 0.0
    colour: str = ""
    number: str = ""
    tip: str = ""
    marked: bool = False


class Heat(NamedTuple):
    """Lines and columns with their names, and a cell for each pair: a table, for screen readers too."""

    lines: list[str]
    columns: list[str]
    cells: list[list[Cell]]
    left_out: int = 0


def labeler_heat(overview: Overview) -> Heat:
    """Below the diagonal how often two labelers vote together, above it how often they then contradict each other."""
    votes, bits = overview.votes, overview.analysis.bits
    shown = busiest(bits.pairs(bits.disjoint).sum(axis=1))
    place = {votes.names[i]: at for at, i in enumerate(shown)}
    cells = [[Cell() for _ in shown] for _ in shown]
    for (name, at), both in zip(place.items(), votes.coverage[shown].tolist(), strict=True):
        cells[at][at] = Cell(both, "diagonal", _percent(both), f"{name} votes on {both:.1%} of rows")
    inside = pl.col("labeler").is_in(list(place)) & pl.col("other").is_in(list(place))
    for pair in overview.pairs.filter(inside).iter_rows(named=True):
        one, other, both = pair["labeler"], pair["other"], pair["overlap"]
        rate, marked = pair["conflict"] / both if both else 0.0, (one, other) in overview.near_copies
        tip = f"{one} and {other} both vote on {both:.1%} of rows and contradict each other on {rate:.1%} of these"
        by_design = not _can_agree(votes, one, other)
        tip += ": they name different classes, so they cannot agree" if by_design else ""
        if pair.get("correlation") is not None:
            tip += f"; correlation given the class {pair['correlation']:.2f}"
        cells[place[other]][place[one]] = Cell(both, "overlap", _percent(both), tip, marked)
        cells[place[one]][place[other]] = Cell(0.0 if by_design else rate, "conflict", _percent(rate), tip, marked)
    return Heat(list(place), list(place), cells, len(votes.names) - len(shown))


def _can_agree(votes: Any, one: str, other: str) -> bool:
    """Whether two labelers may name a class in common."""
    mine, theirs = (votes.codomains[votes.names.index(name)].says for name in (one, other))
    return any(a & b for a in mine for b in theirs)


def class_heat(overview: Overview) -> Heat:
    """Expected error of the better guess between two classes; above the diagonal, the error on gold rows."""
    space, k = overview.votes.space, len(overview.votes.space)
    grid, activity = [[Cell() for _ in range(k)] for _ in range(k)], np.zeros(k)
    for (i, j), pair in zip(combinations(range(k), 2), overview.analysis.classes().iter_rows(named=True), strict=True):
        either, error, gold = f"{pair['class']} or {pair['other']}", pair["error"], pair.get("gold_error")
        tell = "labeler tells" if pair["labelers"] == 1 else "labelers tell"
        tip = f"{either}: {error:.1%} of guesses between the two expected to be wrong; "
        tip += f"{pair['labelers']} {tell} them apart, on {pair['rows']:.0%} of rows"
        grid[j][i] = Cell((2 * error) ** 0.5, "conflict", _percent(error), tip)
        if gold is not None:
            tip = f"{either}: {gold:.1%} of gold rows of the two are taken for the other"
            grid[i][j] = Cell((2 * min(gold, 0.5)) ** 0.5, "gold", _percent(gold), tip)
        activity[[i, j]] += grid[i][j].warmth + grid[j][i].warmth
    shown = busiest(activity)
    chosen = [space[j] for j in shown]
    return Heat(chosen, chosen, [[grid[i][j] for j in shown] for i in shown], k - len(shown))


def busiest(activity: Floats, most: int = 60) -> list[int]:
    """Positions of the largest numbers, in order."""
    positions: list[int] = np.sort(np.argsort(-activity, kind="stable")[:most]).tolist()
    return positions


def accuracy_heat(overview: Overview) -> Heat:
    """α_ij: accuracy of each labeler on rows of each class; empty where it is 0 or 1 by construction."""
    names, space = overview.votes.names, overview.votes.space
    cells = [_alpha(line) for line in overview.analysis.accuracies(level=None).iter_rows(named=True)]
    return Heat(list(names), list(space), [cells[i : i + len(space)] for i in range(0, len(cells), len(space))])


def _alpha(line: Mapping[str, Any]) -> Cell:
    value, where = line["accuracy"], f"{line['labeler']} on {line['class']}"
    gold = f"; on {line['gold_votes']:,} gold rows {line['gold_accuracy']:.0%}" if line.get("gold_votes") else ""
    if value is None:
        return Cell(0.0, "good", "", f"{where}: its answers alone decide this, so it is not estimated{gold}")
    return Cell(value**2, "good", _percent(value), f"{where}: estimated right {value:.0%}{gold}")


def _percent(value: float) -> str:
    """A whole number of percent, without the sign; empty for next to nothing."""
    return "" if value < 0.0005 else "<1" if value < 0.005 else f"{100 * value:.0f}"
