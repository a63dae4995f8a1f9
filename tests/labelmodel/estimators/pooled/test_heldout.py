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
