"""Figures: where the marks of each drawing go, in the units of its frame (0 to 400 across)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shortlist.analysis.calibration import Bin, Calibration
from shortlist.arrays import Floats
from shortlist.wording import number_of

LEFT, RIGHT, TOP, BOTTOM = 44.0, 390.0, 14.0, 214.0


@dataclass(frozen=True)
class Tick:
    """A place on an axis and what is written there."""

    at: float
    label: str


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    tip: str


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    low: float
    high: float
    radius: float
    tip: str


@dataclass(frozen=True)
class Figure:
    """Axes and marks."""

    label: str  # the whole figure in a sentence, for those who do not see it
    across: list[Tick]
    up: list[Tick]
    bars: list[Bar] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    line: str = ""


def across(share: float) -> float:
    """A share of the width."""
    return round(LEFT + share * (RIGHT - LEFT), 2)


def up(share: float) -> float:
    """A share of the height; up is less, as in SVG."""
    return round(BOTTOM - share * (BOTTOM - TOP), 2)


SHARES = [0.0, 0.25, 0.5, 0.75, 1.0]


def histogram(belief: Floats, bins: int = 20) -> Figure:
    """How many rows have which largest belief."""
    counts, edges = np.histogram(belief, bins, (0.0, 1.0))
    top = nice(int(counts.max()))
    bars = [
        Bar(
            across(a) + 1,
            up(c / top),
            across(b) - across(a) - 2,
            BOTTOM - up(c / top),
            f"{number_of(int(c), 'row')}: {a:.0%} to {b:.0%}",
        )
        for c, a, b in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        if c
    ]
    sure = float((belief >= 0.9).mean())
    return Figure(
        f"Histogram of the largest belief of each row: {sure:.0%} of rows have a belief of at least 90 %.",
        [Tick(across(s), f"{s:.0%}") for s in SHARES],
        [Tick(up(s), compact(s * top)) for s in (0.0, 0.5, 1.0)],
        bars=bars,
    )


def reliability(calibration: Calibration) -> Figure:
    """Belief across, truth up: honest beliefs lie on the diagonal."""
    most = max(b.rows for b in calibration.bins)
    points = [_bin_point(b, most) for b in calibration.bins]
    return Figure(
        f"Calibration: mean belief {calibration.belief:.0%}, right {calibration.right:.0%}, "
        f"expected calibration error {calibration.error:.3f}.",
        [Tick(across(s), f"{s:.0%}") for s in SHARES],
        [Tick(up(s), f"{s:.0%}") for s in SHARES],
        points=points,
        line=path([p.x for p in points], [p.y for p in points]),
    )


def _bin_point(b: Bin, most: int) -> Point:
    said = (
        f"{number_of(b.rows, 'row')}, mean belief {b.belief:.0%}: {b.right:.0%} right ({b.lower:.0%} to {b.upper:.0%})"
    )
    return Point(
        across(b.belief), up(b.right), up(b.lower), up(b.upper), round(3 + 5 * (b.rows / most) ** 0.5, 2), said
    )


def climb(history: Floats) -> Figure:
    """The penalised log-likelihood per row, step by step."""
    low, high = float(history.min()), float(history.max())
    span, last = (high - low) or 1.0, max(1, len(history) - 1)
    x = [across(s / last) for s in range(len(history))]
    y = [up(0.05 + 0.9 * (value - low) / span) for value in history.tolist()]
    points = [
        Point(a, b, b, b, 2.5, f"step {s + 1}: {value:.5f}")
        for s, (a, b, value) in enumerate(zip(x, y, history.tolist(), strict=True))
        if len(history) <= 60 or s in (0, last)
    ]
    steps = sorted({0, last // 2, last})
    return Figure(
        f"Penalised log-likelihood per row over {len(history)} steps, from {history[0]:.4f} to {history[-1]:.4f}.",
        [Tick(across(s / last), f"{s + 1}") for s in steps],
        [Tick(up(0.05 + 0.9 * s), f"{low + s * span:.3f}") for s in (0.0, 0.5, 1.0)],
        points=points,
        line=path(x, y),
    )


def path(x: list[float], y: list[float]) -> str:
    """SVG's way to say a line through these points."""
    return "M" + " L".join(f"{a:g} {b:g}" for a, b in zip(x, y, strict=True)) if x else ""


def nice(count: int) -> int:
    """The next round number: 1, 2 or 5 times a power of ten; half of it is on the axis, so even where small."""
    if count <= 2:
        return 2
    power = 10 ** int(np.floor(np.log10(count)))
    return next(int(step * power) for step in (1, 2, 4, 5, 6, 8, 10) if step * power >= count)


def compact(value: float) -> str:
    """12, 1.5k, 2M: what fits beside an axis."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"
