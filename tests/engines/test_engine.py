"""InFlight: two pieces a worker are under way, drawn as they are needed; each lands once."""

from itertools import count

from shortlist.engines.engine import InFlight


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
