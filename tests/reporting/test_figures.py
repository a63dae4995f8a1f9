"""Where marks go."""

import numpy as np
import pytest

from shortlist.analysis.calibration import Calibration
from shortlist.reporting.figures import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    across,
    climb,
    compact,
    histogram,
    nice,
    path,
    reliability,
    up,
)


def test_the_frame():
    assert (across(0), across(1), up(0), up(1)) == (LEFT, RIGHT, BOTTOM, TOP)


def test_bars_are_as_high_as_rows_are_many():
    figure = histogram(np.array([0.52] * 5 + [0.97] * 10))
    low, high = figure.bars
    assert high.height == pytest.approx(2 * low.height, abs=0.02)
    assert high.height == BOTTOM - TOP  # 10 is round, so the axis ends there
    assert high.x > low.x
    assert "67%" in figure.label
    assert sum(bar.height for bar in histogram(np.ones(3)).bars) > 0


def test_beliefs_and_truth():
    figure = reliability(
        Calibration.of(np.array([0.25] * 4 + [0.95] * 4), np.array([True, False, False, False] + [True] * 4))
    )
    assert [(p.x, p.y) for p in figure.points] == [(across(0.25), up(0.25)), (across(0.95), up(1.0))]
    assert all(p.high <= p.y <= p.low for p in figure.points)


def test_a_climb_goes_up():
    figure = climb(np.array([-3.0, -2.0, -1.5]))
    assert [p.x for p in figure.points] == sorted(p.x for p in figure.points)
    assert [p.y for p in figure.points] == sorted((p.y for p in figure.points), reverse=True)
    assert "-3.0000 to -1.5000" in figure.label


def test_a_climb_of_one_step_and_of_many():
    assert len(climb(np.array([-3.0])).points) == 1
    assert len(climb(np.linspace(-3, -1, 500)).points) == 2


@pytest.mark.parametrize(
    ("count", "top"), [(0, 2), (2, 2), (3, 4), (10, 10), (11, 20), (57, 60), (480, 500), (999, 1000)]
)
def test_axes_end_at_round_numbers(count, top):
    assert nice(count) == top


def test_words_and_paths():
    assert [compact(v) for v in (0, 250, 1500, 2e6)] == ["0", "250", "1.5k", "2M"]
    assert path([1, 2], [3, 4.5]) == "M1 3 L2 4.5"
    assert path([], []) == ""
