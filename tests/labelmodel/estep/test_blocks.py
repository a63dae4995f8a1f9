import numpy as np
import pytest

from shortlist.engines import Local, Threads
from shortlist.labelmodel.estep.blocks import Buffers, in_order, threads_engine


def tenfold(block):
    return 10 * block


@pytest.mark.parametrize("engine", [Threads(1), Threads(3), Local(2)])
@pytest.mark.parametrize("blocks", [0, 1, 2, 7, 50])
def test_every_block_is_worked_on_once_and_in_order(engine, blocks):
    if isinstance(engine, Local) and blocks not in (0, 7):
        return  # processes are slow to ask
    assert list(in_order(engine, tenfold, range(blocks))) == [10 * block for block in range(blocks)]


def test_threads_are_those_asked_for_or_all_cores():
    assert threads_engine(3).workers == 3
    assert threads_engine(np.int64(2)).workers == 2
    assert threads_engine(None).workers >= 1


def test_an_array_that_was_given_back_is_used_again_and_never_by_two():
    buffers = Buffers()
    one, two = buffers.take((2, 3), np.float32), buffers.take((2, 3), np.float32)
    assert one is not two
    buffers.give(one)
    assert buffers.take((2, 3), np.float64) is not one
    assert buffers.take((2, 3), np.float32) is one
    assert buffers.keep("x", lambda: two) is buffers.keep("x", lambda: one) is two
