"""Heat maps say what the tables say."""

import pytest

from shortlist import Votes
from shortlist.reporting import heat
from tests.analysis.worked import GOLD, newspaper, oracle, quietly_fitted
from tests.reporting.showing import overview_of


def test_overlap_below_and_conflict_above():
    found = heat.labeler_heat(overview_of(newspaper(), oracle()))
    goal, abroad, money = found.cells
    assert (abroad[0].colour, abroad[0].warmth) == ("overlap", 3 / 6)
    assert (goal[1].colour, goal[1].warmth) == ("conflict", pytest.approx(1 / 3))
    assert (money[2].colour, money[2].number) == ("diagonal", "33")
    assert "both vote on 50.0% of rows and contradict each other on 33.3%" in goal[1].tip


def test_classes_expected_below_and_gold_above():
    found = heat.class_heat(overview_of(newspaper(), oracle(), gold=GOLD))
    assert found.cells[1][0].number == "22"  # 0.9 / 4
    assert (found.cells[0][1].colour, found.cells[0][1].number) == ("gold", "25")
    assert found.cells[0][0].colour == ""


def test_accuracy_by_class():
    votes = newspaper()
    model = quietly_fitted(votes)
    found = heat.accuracy_heat(overview_of(votes, model, gold=GOLD))
    assert found.columns == ["business", "sports", "world"]
    assert found.cells[0][1].number == f"{100 * model.accuracy_[0, 1]:.0f}"
    assert "on 3 gold rows 100%" in found.cells[0][1].tip


def test_a_labeler_with_one_thing_to_say_is_not_shown_as_perfect():
    """Newcomer M2: a deep green 100, by construction."""
    votes = Votes([[1, 1], [0, 2], [1, 2], [0, 1]] * 10, [["a"], ["a", "b"]], ["a", "b"], ["film", "both"])
    found = heat.accuracy_heat(overview_of(votes, quietly_fitted(votes)))
    assert [cell.number for cell in found.cells[0]] == ["", ""]
    assert "always gives the same answer" in found.cells[0][0].tip
    assert all(cell.number for cell in found.cells[1])


def test_with_very_many_labelers_the_busiest_are_shown():
    n = heat.LARGEST + 5
    codes = [[1] * n, [2] * n]
    codes[0][n - 1] = 2  # the last contradicts all others
    votes = Votes(codes, [["a", "b"]] * n, ["a", "b"])
    found = heat.labeler_heat(overview_of(votes))
    assert len(found.lines) == heat.LARGEST
    assert found.left_out == 5
    assert f"labeler_{n}" in found.lines


def test_copies_are_marked():
    rows = [[1, 1, 2], [2, 2, 1], [1, 1, 1], [2, 2, 2], [1, 1, 0], [2, 2, 0]] * 20
    votes = Votes(rows, [["a", "b"]] * 3, ["a", "b"])
    found = heat.labeler_heat(overview_of(votes, quietly_fitted(votes)))
    assert found.cells[0][1].marked
    assert not found.cells[0][0].marked
