"""Blocks: rows a few thousand at a time, counted side by side, with results in the order of the blocks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.engines import Engine, Threads, ordered
from shortlist.labelmodel.estep.cores import available_cores

BATCHES = 4  # for each worker: neighbouring blocks travel together, since handing one over takes time

Array = npt.NDArray[Any]
Block = TypeVar("Block")
Result = TypeVar("Result")


def threads_engine(threads: int | None) -> Threads:
    """So many threads; None for as many as there are cores."""
    return Threads(int(threads or available_cores()))


def in_order(engine: Engine, work: Callable[[Block], Result], blocks: Sequence[Block]) -> Iterator[Result]:
    """The results of all blocks in their order, so that sums over them do not depend on the engine."""
    if engine.workers == 1 or len(blocks) <= 1:
        return map(work, blocks)
    size = -(-len(blocks) // (BATCHES * engine.workers))
    batches = (blocks[a : a + size] for a in range(0, len(blocks), size))
    return chain.from_iterable(ordered(engine, lambda batch: [work(block) for block in batch], batches))


class Buffers:
    """Large arrays that are written again and again, each by one thread at a time. They do not travel."""

    def __init__(self) -> None:
        self._free: dict[Hashable, list[Array]] = {}
        self._kept: dict[Hashable, Array] = {}

    def take(self, shape: tuple[int, ...], dtype: type[np.generic]) -> Array:
        """An array that nobody uses, with anything in it."""
        try:
            return self._free[shape, dtype].pop()
        except (KeyError, IndexError):
            return np.empty(shape, dtype)

    def give(self, array: Array) -> None:
        """An array that is needed no more."""
        self._free.setdefault((array.shape, array.dtype.type), []).append(array)

    def keep(self, key: Hashable, made: Callable[[], Array]) -> Array:
        """The array of a key, made when it is first asked for."""
        if key not in self._kept:
            self._kept[key] = made()
        return self._kept[key]

    def __reduce__(self) -> tuple[type[Buffers], tuple[()]]:
        return Buffers, ()
