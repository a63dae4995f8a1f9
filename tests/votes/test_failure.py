"""What became of labelers that could not answer."""

from shortlist.votes import Failure
from shortlist.votes.failure import failed_alike


def test_the_first_error_in_a_line():
    assert Failure(2, "Traceback …\nValueError: no\n").last_line == "ValueError: no"
    assert Failure(2, "").last_line == "unknown"


def test_those_that_failed_alike_are_together():
    first, more, other = Failure(2, "a"), Failure(5, "a"), Failure(1, "b")
    told = list(failed_alike(["w", "x", "y", "z"], [first, None, other, more]))
    assert told == [(["w", "z"], more), (["y"], other)]
