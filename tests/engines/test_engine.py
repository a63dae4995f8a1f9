"""Engines: every piece once, as they finish or in their order, whoever does the work."""

import threading
import time
from itertools import count

import pytest

from shortlist.engines import Local, Threads, chosen_engine, make_engine, ordered
from shortlist.engines.engine import InFlight
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


ENGINES = [Local(1), Local(2), Threads(1), Threads(2)]
every_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda e: f"{type(e).__name__}({e.workers})")


@every_engine
def test_every_piece_comes_back_once_with_its_id(engine):
    pieces = [(7, 0), (3, 1), (5, 2), (1, 3)]
    assert sorted(engine.map(slow_if_first, iter(pieces))) == [(1, 30), (3, 10), (5, 20), (7, 0)]


@pytest.mark.parametrize("engine", [Local(2), Threads(2)])
def test_results_come_as_they_finish(engine):
    list(engine.map(slow, enumerate(range(2))))  # processes are there
    first, *_ = engine.map(slow_if_first, enumerate(range(5)))
    assert first != (0, 0)


@every_engine
def test_results_can_be_had_in_the_order_of_the_pieces(engine):
    assert list(ordered(engine, slow_if_first, iter(range(5)))) == [0, 10, 20, 30, 40]


@every_engine
def test_the_first_error_in_order_is_the_one_raised(engine):
    with pytest.raises(ShortlistError, match="piece 0") as error:
        list(ordered(engine, fails_late_on_the_first, range(4)))
    if engine.workers > 1 and not isinstance(engine, Threads):
        assert "fails_late_on_the_first" in str(error.value.__cause__)
    else:
        assert error.value.__cause__ is None


@every_engine
def test_pieces_are_drawn_as_they_are_needed(engine):
    drawn = []

    def pieces():
        for piece in range(100):
            drawn.append(piece)
            yield piece

    results = ordered(engine, slow, pieces())
    assert next(results) == 0
    assert len(drawn) < 50
    results.close()


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", None])
def test_workers_are_a_whole_number(workers):
    with pytest.raises(ShortlistError, match="workers"):
        Local(workers)


@pytest.mark.parametrize(
    "kind",
    ["local", "dask", pytest.param("ray", marks=pytest.mark.heavy), pytest.param("spark", marks=pytest.mark.spark)],
)
def test_zero_workers_are_a_mistake_on_every_engine(kind):
    with pytest.raises(ShortlistError, match="workers is a whole number from 1; got 0"):
        make_engine(kind, workers=0)


def test_what_cannot_travel_to_another_process_is_told_so():
    lock = threading.Lock()
    with pytest.raises(ShortlistError, match="workers=1"):
        list(Local(2).map(lambda piece: lock and piece, enumerate([1, 2])))


def test_workers_are_the_short_form_of_an_engine():
    assert chosen_engine(None, 3).workers == 3
    engine = Threads(2)
    assert chosen_engine(engine, 1) is engine
    with pytest.raises(ShortlistError, match=r"workers=2 were both given.*engine=Local\(n\)"):
        chosen_engine(engine, 2)


def test_pieces_are_drawn_until_two_a_worker_are_under_way():
    drawn = []

    def pieces():
        for number in count():
            drawn.append(number)
            yield number, f"piece {number}"

    in_flight = InFlight(lambda piece: f"handle of {piece}", pieces())
    assert in_flight.fill(2)
    assert drawn == [0, 1, 2, 3]
    assert in_flight.land("handle of piece 2") == (2, "piece 2")
    assert in_flight.fill(2)
    assert drawn == [0, 1, 2, 3, 4]
    assert in_flight.fill(1)  # workers went away: nothing is drawn, nothing is given up
    assert len(in_flight.running) == 4


def test_a_piece_that_got_lost_is_begun_again_under_its_id():
    handles = count()
    in_flight = InFlight(lambda piece: next(handles), [(7, "a")])
    in_flight.fill(1)
    in_flight.start(*in_flight.land(0))
    assert in_flight.running == {1: (7, "a")}
    assert in_flight.land(1) == (7, "a")
    assert not in_flight.fill(1)
