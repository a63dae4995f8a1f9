"""Flight: two pieces a worker are under way, drawn as they are needed; each lands once."""

from itertools import count

from shortlist.engines.engine import Flight


def test_pieces_are_drawn_until_two_a_worker_are_under_way():
    drawn = []

    def pieces():
        for number in count():
            drawn.append(number)
            yield number, f"piece {number}"

    flight = Flight(lambda piece: f"handle of {piece}", pieces())
    assert flight.fill(2)
    assert drawn == [0, 1, 2, 3]
    assert flight.land("handle of piece 2") == (2, "piece 2")
    assert flight.fill(2)
    assert drawn == [0, 1, 2, 3, 4]
    assert flight.fill(1)  # workers went away: nothing is drawn, nothing is given up
    assert len(flight.running) == 4


def test_a_piece_that_got_lost_is_begun_again_under_its_id():
    handles = count()
    flight = Flight(lambda piece: next(handles), [(7, "a")])
    flight.fill(1)
    flight.start(*flight.land(0))
    assert flight.running == {1: (7, "a")}
    assert flight.land(1) == (7, "a")
    assert not flight.fill(1)
