"""Mean class accuracy on unseen and seen classes, and the harmonic mean."""

import pytest

from shortlist.errors import BadFit
from shortlist.zeroshot import zero_shot_scores


def test_scores_by_hand():
    gold = ["cat", "cat", "cat", "dog", "yak", "yak", "gnu"]
    guess = ["cat", "cat", "dog", "dog", "yak", "gnu", "cat"]
    scores = zero_shot_scores(gold, guess, ["yak", "gnu"])
    assert scores.seen == pytest.approx((2 / 3 + 1) / 2)
    assert scores.unseen == pytest.approx((1 / 2 + 0) / 2)
    assert scores.harmonic == pytest.approx(2 * (5 / 6) * 0.25 / (5 / 6 + 0.25))
    assert "harmonic" in str(scores)
    assert zero_shot_scores(["yak"], ["gnu"], ["yak"]).unseen == 0
    with pytest.raises(BadFit):
        zero_shot_scores(["yak"], ["gnu", "yak"], ["yak"])
