"""When the next request may go."""

import time
from email.utils import formatdate

import pytest

from shortlist.models import gate
from shortlist.models.gate import LONGEST, Gate, backoff, retry_after


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only where somebody waits for it."""
    now = [100.0]
    monkeypatch.setattr(gate.time, "monotonic", lambda: now[0])

    def made(**options):
        found = Gate(**options)
        found.stop.wait = lambda seconds: now.__setitem__(0, now[0] + seconds)
        return found

    made.now = now
    return made


def test_so_many_a_minute(clock):
    found = clock(per_minute=120)
    for _ in range(10):
        found.wait()
    assert clock.now[0] == pytest.approx(100 + 9 * 0.5)


def test_what_the_server_asks_for_holds_for_everybody(clock):
    found = clock()
    found.wait()
    assert clock.now[0] == 100
    found.pause(7)
    found.wait()
    assert clock.now[0] == 107


def test_tries_are_spread_and_bounded():
    for attempt, most in ((1, 0.5), (2, 1.0), (3, 2.0), (20, LONGEST)):
        waits = [backoff(attempt, 0.5) for _ in range(50)]
        assert most / 2 <= min(waits) < max(waits) <= most


def test_all_ways_to_say_how_long():
    assert retry_after({"retry-after": "3"}) == 3
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert 50 < retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)}) <= 60
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None
