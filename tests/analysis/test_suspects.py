"""Gold labels that are probably wrong."""

import numpy as np
import pytest

from shortlist import Analysis, LabelModel, Votes
from shortlist.errors import BadFit


@pytest.fixture(scope="module")
def drawn():
    """600 rows, three labelers that are right on nine rows in ten, and the classes."""
    draw = np.random.default_rng(3)
    truth = draw.integers(0, 3, 600)
    codes = [np.where(draw.random(600) < 0.9, truth, (truth + draw.integers(1, 3, 600)) % 3) + 1 for _ in range(4)]
    votes = Votes(np.stack(codes, axis=1), [["a", "b", "c"]] * 4, ["a", "b", "c"])
    return votes, LabelModel().fit(votes), truth


def test_labels_that_were_made_wrong_are_found(drawn):
    votes, model, truth = drawn
    spoilt = truth.copy()
    spoilt[:30] = (spoilt[:30] + 1) % 3
    table = Analysis(votes, model, gold=[votes.space[j] for j in spoilt]).suspects()
    first = table["row"][:20].to_numpy()
    assert (first < 30).mean() >= 0.9
    assert (table["row"].to_numpy() < 30).sum() >= 25
    assert table["belief"].is_sorted()
    assert (table["gold"] != table["class"]).all()


def test_right_labels_are_seldom_suspected(drawn):
    votes, model, truth = drawn
    table = Analysis(votes, model, gold=[votes.space[j] for j in truth]).suspects()
    assert len(table) < 0.03 * len(votes)


def test_without_known_classes_there_is_nothing_to_suspect(drawn):
    votes, model, _ = drawn
    with pytest.raises(BadFit):
        Analysis(votes, model).suspects()
