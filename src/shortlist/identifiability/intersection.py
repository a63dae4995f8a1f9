"""Intersection: shortlists, one for each labeler of a set, that leave exactly one class standing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from shortlist.identifiability.labeler_masks import LabelerMasks


class TimeUp(Exception):  # noqa: N818  it is no error: it becomes "not decided"
    """The search has had its time."""


@dataclass(frozen=True)
class Deadline:
    """When to stop searching."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        return self.at - time.monotonic()

    def check(self) -> None:
        if self.left <= 0:
            raise TimeUp


def choose(group: Sequence[LabelerMasks], y: int, deadline: Deadline) -> list[int] | None:
    """A shortlist of each labeler, such that together they rule out every class but y; None where there are none.

    Exact: labeler by labeler, the sets that can have been ruled out so far are carried along, without those that
    are part of another.
    """
    if not group:
        return None
    wanted = (1 << group[0].k) - 1 & ~(1 << y)
    order = sorted(range(len(group)), key=lambda i: len(group[i].options[y]))  # those without a choice first
    states: dict[int, tuple[int, ...]] = {0: ()}
    for i in order:
        deadline.check()
        options = group[i].options[y]
        if not options:
            return None
        grown = {out | more: (*path, t) for out, path in states.items() for more, t in options}
        states = grown if len(options) == 1 else _largest(grown, deadline)
    if wanted not in states:
        return None
    chosen = dict(zip(order, states[wanted], strict=True))
    return [chosen[i] for i in range(len(group))]


def _largest(states: dict[int, tuple[int, ...]], deadline: Deadline) -> dict[int, tuple[int, ...]]:
    kept: list[int] = []
    for out in sorted(states, key=int.bit_count, reverse=True):
        deadline.check()
        if all(out & ~other for other in kept):
            kept.append(out)
    return {out: states[out] for out in kept}


def reaches(group: Sequence[LabelerMasks], y: int) -> int:
    """The classes that someone of the group can rule out while y stands, each by itself."""
    reached = 0
    for labeler in group:
        reached |= labeler.reach[y]
    return reached


def singles_out(group: Sequence[LabelerMasks], y: int, deadline: Deadline) -> bool:
    """Whether the group can leave y, and y only, standing."""
    if not group or reaches(group, y) != (1 << group[0].k) - 1 & ~(1 << y):
        return False
    return choose(group, y, deadline) is not None


def singles_out_all(group: Sequence[LabelerMasks], deadline: Deadline) -> bool:
    """Whether the group meets the condition of Theorem 1 on S1 and S2."""
    return bool(group) and all(singles_out(group, y, deadline) for y in range(group[0].k))


def tells_apart(group: Sequence[LabelerMasks]) -> bool:
    """What is asked of S3: no two classes of which the whole group has nothing to learn.

    The proof needs two classes never to look the same to S3. They do where the accuracy on neither is a parameter of
    any labeler in it; with dummies that never happens, so that any labeler will do.
    """
    if not group:
        return False
    free = 0
    for labeler in group:
        free |= labeler.free
    return free.bit_count() >= group[0].k - 1
