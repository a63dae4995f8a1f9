"""Where marks go, and what heat maps say."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from shortlist import Votes
from shortlist.analysis.measures import Calibration
from shortlist.reporting.drawings import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    accuracy_heat,
    across,
    class_heat,
    compact,
    histogram,
    labeler_cells,
    labeler_heat,
    nice,
    reliability,
    up,
)
from tests.analysis.worked import GOLD, newspaper, oracle, quietly_fitted
from tests.reporting.showing import overview_of


def marks(drawing, kind):
    """The attributes of the marks of one class, with numbers as numbers."""
    found = [one.attrib for one in ElementTree.fromstring(drawing).iter() if one.get("class") == kind]
    return [{name: float(v) if re.fullmatch(r"-?[\d.]+", v) else v for name, v in one.items()} for one in found]


def test_the_frame():
    assert (across(0), across(1), up(0), up(1)) == (LEFT, RIGHT, BOTTOM, TOP)


def test_bars_are_as_high_as_rows_are_many():
    figure = histogram(np.array([0.52] * 5 + [0.97] * 10))
    low, high = marks(figure, "bar")
    assert high["height"] == pytest.approx(2 * low["height"], abs=0.02)
    assert high["height"] == BOTTOM - TOP  # 10 is round, so the axis ends there
    assert high["x"] > low["x"]
    assert "67%" in figure
    assert sum(bar["height"] for bar in marks(histogram(np.ones(3)), "bar")) > 0


def test_beliefs_and_truth():
    right = np.array([True, False, False, False] + [True] * 4)
    figure = reliability(Calibration.of(np.array([0.25] * 4 + [0.95] * 4), right))
    points, reaches = marks(figure, "point"), marks(figure, "reach")
    assert [(p["cx"], p["cy"]) for p in points] == [(across(0.25), up(0.25)), (across(0.95), up(1.0))]
    assert all(r["y2"] <= p["cy"] <= r["y1"] for p, r in zip(points, reaches, strict=True))


@pytest.mark.parametrize(
    ("count", "top"), [(0, 2), (2, 2), (3, 4), (10, 10), (11, 20), (57, 60), (480, 500), (999, 1000)]
)
def test_axes_end_at_round_numbers(count, top):
    assert nice(count) == top


def test_numbers_beside_an_axis_are_short():
    assert [compact(v) for v in (0, 250, 1500, 2e6)] == ["0", "250", "1.5k", "2M"]


def test_cells_of_a_labeler():
    line = {"labeler": "goal", "coverage": 0.25, "size": 1.5, "accuracy": 0.8, "accuracy_low": 0.7,
            "accuracy_high": 0.9, "gold_accuracy": 0.75, "gold_votes": 12, "worth": -0.5}  # fmt: skip
    cells = labeler_cells(line, 3)
    assert list(cells) == ["coverage", "size", "gold_accuracy", "accuracy", "worth"]
    assert cells["coverage"].endswith("</svg>25.0%")
    assert 'width="11.00"' in cells["coverage"]
    assert 'estimated 80%, between 70% and 90% (90% interval); 75% of 12 gold rows; by chance 50%"' in cells["accuracy"]
    assert '80.0% <span class="quiet">70–90</span>' in cells["accuracy"]
    assert cells["worth"] == "−0.50"
    assert "style=" not in "".join(cells.values())  # the studio's policy forbids it
    silent = labeler_cells(line | {"accuracy": None}, 3)["accuracy"]
    assert "not known" in silent
    assert "dot" not in silent


def test_overlap_below_and_conflict_above():
    found = labeler_heat(overview_of(newspaper(), oracle()))
    goal, abroad, money = found.cells
    assert (abroad[0].colour, abroad[0].warmth) == ("overlap", 3 / 6)
    assert (goal[1].colour, goal[1].warmth) == ("conflict", pytest.approx(1 / 3))
    assert (money[2].colour, money[2].number) == ("diagonal", "33")
    assert "both vote on 50.0% of rows and contradict each other on 33.3%" in goal[1].tip


def test_classes_expected_below_and_gold_above():
    found = class_heat(overview_of(newspaper(), oracle(), gold=GOLD))
    assert found.cells[1][0].number == "22"  # 0.9 / 4
    assert (found.cells[0][1].colour, found.cells[0][1].number) == ("gold", "25")
    assert found.cells[0][0].colour == ""


def test_accuracy_by_class():
    votes = newspaper()
    model = quietly_fitted(votes)
    found = accuracy_heat(overview_of(votes, model, gold=GOLD))
    assert found.columns == ["business", "sports", "world"]
    assert found.cells[0][1].number == f"{100 * model.accuracy_[0, 1]:.0f}"
    assert "on 3 gold rows 100%" in found.cells[0][1].tip


def test_a_labeler_with_one_thing_to_say_is_not_shown_as_perfect():
    """Newcomer M2: a deep green 100, by construction."""
    votes = Votes([[1, 1], [0, 2], [1, 2], [0, 1]] * 10, [["a"], ["a", "b"]], ["a", "b"], ["film", "both"])
    found = accuracy_heat(overview_of(votes, quietly_fitted(votes)))
    assert [cell.number for cell in found.cells[0]] == ["", ""]
    assert "so it is not estimated" in found.cells[0][0].tip
    assert all(cell.number for cell in found.cells[1])


def test_with_very_many_labelers_the_busiest_are_shown():
    n = 60 + 5
    codes = [[1] * n, [2] * n]
    codes[0][n - 1] = 2  # the last contradicts all others
    votes = Votes(codes, [["a", "b"]] * n, ["a", "b"])
    found = labeler_heat(overview_of(votes))
    assert len(found.lines) == 60
    assert found.left_out == 5
    assert f"labeler_{n}" in found.lines


def test_copies_are_marked():
    rows = [[1, 1, 2], [2, 2, 1], [1, 1, 1], [2, 2, 2], [1, 1, 0], [2, 2, 0]] * 20
    votes = Votes(rows, [["a", "b"]] * 3, ["a", "b"])
    found = labeler_heat(overview_of(votes, quietly_fitted(votes)))
    assert found.cells[0][1].marked
    assert not found.cells[0][0].marked


def test_labelers_that_cannot_agree_are_not_alarming():
    """Newcomer: a matrix full of orange 100s, for rules that name different classes by design."""
    codes = [[1, 1, 1], [1, 1, 2], [0, 1, 1], [1, 0, 2]] * 10
    votes = Votes(codes, [["a"], ["b"], ["a", "b"]], ["a", "b"], ["film", "song", "both"])
    found = labeler_heat(overview_of(votes, quietly_fitted(votes)))
    place = {name: at for at, name in enumerate(found.lines)}
    pairs = [sorted((place["film"], place[other])) for other in ("song", "both")]
    apart, mixed = (found.cells[first][second] for first, second in pairs)
    assert (apart.warmth, apart.number, "cannot agree" in apart.tip) == (0.0, "100", True)
    assert (mixed.warmth > 0.3, "cannot agree" in mixed.tip) == (True, False)
