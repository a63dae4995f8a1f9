"""Alarms: false ones as rarely as stated, real ones soon, each once."""

import json

import numpy as np
import pytest

from shortlist import Votes
from shortlist.errors import BadFit, BadRows, BadVotes
from shortlist.uncertainty import Monitor, agreement
from shortlist.uncertainty.alarms import LEVELS, _ranks


def test_false_alarms_are_rare_however_often_one_looks():
    """Five scores, 60 reference rows, 500 new ones in ten parts: at most 5 % of 300 runs, and 3 standard errors."""
    rng, alarms = np.random.default_rng(0), 0
    for seed in range(300):
        watch = Monitor({str(i): rng.random(60) < 0.7 for i in range(5)}, seed=seed)
        alarms += any(watch.update({str(i): rng.random(50) < 0.7 for i in range(5)}) for _ in range(10))
    assert alarms <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)


@pytest.mark.parametrize("now", [0.5, 0.95])
def test_a_change_is_seen_once(now):
    rng = np.random.default_rng(1)
    watch = Monitor({"a": rng.random(1_000) < 0.75, "b": rng.random(1_000) < 0.75})
    new = [{"a": rng.random(300) < 0.75, "b": rng.random(300) < now} for _ in range(4)]
    raised = [alarm.name for part in new for alarm in watch.update(part)]
    assert raised == ["b"]
    alarm = watch.alarms["b"]
    assert alarm.before == pytest.approx(0.75, abs=0.04)
    assert alarm.since == pytest.approx(now, abs=0.06)
    assert alarm.after <= 600
    assert "b: 7" in str(alarm)


def test_parts_add_up():
    rng = np.random.default_rng(2)
    before, new = rng.random(100), rng.random(9_000) ** 1.1
    whole, parts = Monitor({"a": before}, seed=3), Monitor({"a": before}, seed=3)
    whole.update({"a": new})
    for part in np.split(new, 9):
        parts.update({"a": part})
    assert whole.log_wealth["a"] == pytest.approx(parts.log_wealth["a"])
    assert whole.alarms == parts.alarms or whole.alarms["a"].after == parts.alarms["a"].after


def test_a_monitor_goes_on_from_a_file():
    rng = np.random.default_rng(4)
    before, new = rng.random(100), rng.random(400) ** 3
    watch = Monitor({"a": before})
    assert not watch.update({"a": new[:5]})
    again = Monitor.from_dict(json.loads(json.dumps(watch.to_dict())))
    assert again.log_wealth["a"] == pytest.approx(watch.log_wealth["a"])
    assert [alarm.name for alarm in again.update({"a": new[5:]})] == ["a"]
    assert Monitor.from_dict(json.loads(json.dumps(again.to_dict()))).update({"a": new}) == []  # it was said


def test_ranks_by_hand():
    """Before: 0, 0, 1. New: ½, which is third of four: its rank lies in (2/4, 3/4); then 1, in (3/5, 1)."""
    past = np.bincount([0, 0, 100], minlength=LEVELS)
    ranks = np.array([_ranks(past, np.array([50, 100]), np.random.default_rng(s)) for s in range(200)])
    assert ranks[:, 0].min() >= 0.5
    assert ranks[:, 0].max() <= 0.75
    assert ranks[:, 1].min() >= 0.6
    assert ranks[:, 1].mean() == pytest.approx(0.8, abs=0.03)


def test_agreement_by_hand():
    """Row 1: a, a, {b, c}. The first agrees with one of the two others; the third with neither."""
    votes = Votes([[1, 1, 1], [1, 0, 0], [2, 3, 1]], [["a", "b", "c"]] * 2 + [[{"b", "c"}, "a"]], ["a", "b", "c"])
    found = [values.tolist() for values in agreement(votes).values()]
    assert found[0] == [0.5, pytest.approx(float("nan"), nan_ok=True), 0.25]
    assert found[1][0] == 0.5
    assert found[2][0] == 0
    assert found[2][2] == 1


def test_rows_without_a_score_are_left_out():
    watch = Monitor({"a": [0.5] * 30})
    assert watch.update({"a": [np.nan] * 10, "unknown": [1.0]}) == []
    assert watch.new["a"].sum() == 0


def test_what_is_refused():
    with pytest.raises(BadRows, match="30 reference rows"):
        Monitor({"a": [1.0] * 29})
    with pytest.raises(BadFit, match="false alarm"):
        Monitor({"a": [1.0] * 40}, rate=5)
    with pytest.raises(BadRows, match="0 to 1"):
        Monitor({"a": [1.0] * 40 + [3.0]})
    with pytest.raises(BadVotes, match="Votes"):
        agreement([[1]])
