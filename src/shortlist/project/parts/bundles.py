"""Bundles: small things that a worker does in one go, since sending it something takes as long as 2,000 rows do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def bundles(
    groups: Iterable[Sequence[Thing]], weight: Callable[[Thing], int], most: int
) -> Iterator[tuple[Thing, ...]]:
    """The things in their order, as many at a time as weigh at most `most`; what is one group stays together."""
    bundle: list[Thing] = []
    total = 0
    for group in groups:
        heavy = sum(map(weight, group))
        if bundle and total + heavy > most:
            yield tuple(bundle)
            bundle, total = [], 0
        bundle += group
        total += heavy
    if bundle:
        yield tuple(bundle)
