"""Engines: results in the order of the pieces, whoever does the work."""

import threading
import time

import pytest

from shortlist.engines import Local
from shortlist.errors import ShortlistError


def slow_if_first(piece):
    time.sleep(0.3 if piece == 0 else 0)
    return piece * 10


def slow(piece):
    time.sleep(0.1)
    return piece


def fails_late_on_the_first(piece):
    time.sleep(0.3 if piece == 0 else 0)
    raise ShortlistError(f"piece {piece}")


@pytest.mark.parametrize("workers", [1, 2])
def test_results_keep_the_order_of_the_pieces(workers):
    assert list(Local(workers).map(slow_if_first, iter(range(5)))) == [0, 10, 20, 30, 40]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_error_in_order_is_the_one_raised(workers):
    with pytest.raises(ShortlistError, match="piece 0") as error:
        list(Local(workers).map(fails_late_on_the_first, range(4)))
    if workers > 1:
        assert "fails_late_on_the_first" in str(error.value.__cause__)


def test_pieces_are_drawn_as_they_are_needed():
    drawn = []

    def pieces():
        for piece in range(100):
            drawn.append(piece)
            yield piece

    results = Local(2).map(slow, pieces())
    assert next(results) == 0
    assert len(drawn) < 50
    results.close()


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", None])
def test_workers_are_a_whole_number(workers):
    with pytest.raises(ShortlistError, match="workers"):
        Local(workers)


def test_what_cannot_travel_to_another_process_is_told_so():
    lock = threading.Lock()
    with pytest.raises(ShortlistError, match="workers=1"):
        list(Local(2).map(lambda piece: lock and piece, [1, 2]))
