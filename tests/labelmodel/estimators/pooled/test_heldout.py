import numpy as np
import pytest

from shortlist import Votes
from shortlist.labelmodel.estimators.pooled.heldout import TEMPERATURES, HeldOut, best_temperature
from tests.labelmodel.estimators.pooled.parts import parts


def test_held_out_labelers_by_hand():
    """Two labelers that name one of two classes: from the vote of one follows what the other will say."""
    _, rows, table = parts(Votes([[1, 1], [1, 2], [2, 1], [2, 2]], [["x", "y"]] * 2, ["x", "y"]))
    same = [0.8**g / (0.8**g + 0.2**g) for g in TEMPERATURES]  # P(class of the other's vote), tempered
    says = [np.log([p * 0.8 + (1 - p) * 0.2, p * 0.2 + (1 - p) * 0.8]) for p in same]
    counted = [(agree + differ) / 2 for agree, differ in says]
    held = HeldOut(rows, table)
    assert [held.score(g) for g in TEMPERATURES] == pytest.approx(counted, abs=1e-9)
    assert best_temperature(rows, table) == TEMPERATURES[np.argmax(counted)]


def test_rows_with_one_vote_tell_nothing():
    _, rows, table = parts(Votes([[1, 0], [0, 2], [2, 0]], [["x", "y"]] * 2, ["x", "y"]))
    assert best_temperature(rows, table) == 1


@pytest.mark.parametrize("best", [0, 1, 3, 4, 7, 10, 15, 18, 19])
@pytest.mark.parametrize("at_one", [-30.0, 0.0, 30.0])
def test_the_best_of_all_is_found_wherever_it_is(best, at_one, monkeypatch):
    """Scores that rise to the best one and fall again; g = 1 may have one of its own, higher or lower."""
    scores = -np.abs(np.arange(len(TEMPERATURES)) - best).astype(float)
    scores[0] += at_one
    _, rows, table = parts(Votes([[1, 1]], [["x", "y"]] * 2, ["x", "y"]))
    monkeypatch.setattr(HeldOut, "score", lambda held, g: scores[int(np.argmin(np.abs(TEMPERATURES - g)))])
    assert best_temperature(rows, table) == TEMPERATURES[np.argmax(scores)]
