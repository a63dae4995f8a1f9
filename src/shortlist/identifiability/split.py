"""Split: whether the labelers fall into S1, S2 and S3 as Theorem 1 asks.

A set that singles out every class still does with another labeler in it, so S1 and S2 may be taken as small as
they can be and S3 gets the rest. A greedy split usually does; where it does not, counting who separates which
classes often shows that none exists; else an integer program decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from shortlist.identifiability.intersection import Deadline, TimeUp, singles_out_all, tells_apart
from shortlist.identifiability.labeler_masks import LabelerMasks
from shortlist.identifiability.program import Variant, solve

Groups = tuple[list[LabelerMasks], list[LabelerMasks], list[LabelerMasks]]
By = Literal["greedy", "counting", "integer program", "time limit"]


@dataclass(frozen=True)
class Found:
    """The three sets where there are any, whether that is decided, and what decided it."""

    groups: Groups | None
    decided: bool
    by: By


def find_split(labelers: Sequence[LabelerMasks], k: int, deadline: Deadline) -> Found:
    """Decide exactly, within the time there is."""
    able = [labeler for labeler in labelers if not labeler.powerless]
    rest = [labeler for labeler in labelers if labeler.powerless]  # they change nothing wherever they are
    try:
        groups = greedy(able, deadline)
        if groups:
            return Found(_with(groups, rest), True, "greedy")
        if len(able) < 3 or next(scarce(able, k), None):
            return Found(None, True, "counting")
        return _program(able, rest, k, deadline)
    except TimeUp:
        return Found(None, False, "time limit")


def _program(able: list[LabelerMasks], rest: list[LabelerMasks], k: int, deadline: Deadline) -> Found:
    solution = solve([Variant(i, labeler) for i, labeler in enumerate(able)], k, time_limit=deadline.left)
    if solution == "impossible":
        return Found(None, True, "integer program")
    if solution is None:
        return Found(None, False, "time limit")
    first, second, _ = ([able[v] for v in group] for group in solution.groups)
    s1, s2 = shrunk(first, deadline), shrunk(second, deadline)
    s3 = [labeler for labeler in able if labeler not in s1 and labeler not in s2]
    holds = singles_out_all(s1, deadline) and singles_out_all(s2, deadline) and tells_apart(s3)
    return Found(_with((s1, s2, s3), rest), True, "integer program") if holds else Found(None, False, "time limit")


def _with(groups: Groups, rest: list[LabelerMasks]) -> Groups:
    return groups[0], groups[1], groups[2] + rest


def greedy(labelers: Sequence[LabelerMasks], deadline: Deadline) -> Groups | None:
    """S1 of whoever rules out most, then S2 of whoever is left."""
    left = list(labelers)
    groups = []
    for _ in range(2):
        group = grown(left, deadline)
        if group is None:
            return None
        groups.append(group)
        left = [labeler for labeler in left if labeler not in group]
    return (groups[0], groups[1], left) if tells_apart(left) else None


def grown(labelers: Sequence[LabelerMasks], deadline: Deadline) -> list[LabelerMasks] | None:
    """A set that singles out every class, small but not smallest; None where not even all together do."""
    group: list[LabelerMasks] = []
    left = list(labelers)
    while not singles_out_all(group, deadline):
        if not left:
            return None
        best = max(left, key=lambda labeler: _news(labeler, group))
        left.remove(best)
        group.append(best)
    return shrunk(group, deadline)


def _news(labeler: LabelerMasks, group: Sequence[LabelerMasks]) -> int:
    """How many (class, class ruled out) pairs a labeler adds."""
    count = 0
    for y, reach in enumerate(labeler.reach):
        for other in group:
            reach &= ~other.reach[y]
        count += reach.bit_count()
    return count


def shrunk(group: list[LabelerMasks], deadline: Deadline) -> list[LabelerMasks]:
    """The set without those that are not needed, the least able tried first."""
    for labeler in sorted(group, key=lambda labeler: sum(reach.bit_count() for reach in labeler.reach)):
        without = [other for other in group if other is not labeler]
        if singles_out_all(without, deadline):
            group = without
    return group


def scarce(labelers: Sequence[LabelerMasks], k: int) -> Iterator[tuple[int, int, list[LabelerMasks]]]:
    """(y, c, who): pairs for which fewer than two labelers rule c out while y stands. S1 and S2 need one each."""
    for y in range(k):
        for c in range(k):
            who = [labeler for labeler in labelers if labeler.reach[y] >> c & 1]
            if c != y and len(who) < 2:
                yield y, c, who
