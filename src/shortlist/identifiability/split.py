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
from shortlist.identifiability.program import Variant, solve
from shortlist.identifiability.voice import Voice

Groups = tuple[list[Voice], list[Voice], list[Voice]]
By = Literal["greedy", "counting", "integer program", "time limit"]


@dataclass(frozen=True)
class Found:
    """The three sets where there are any, whether that is decided, and what decided it."""

    groups: Groups | None
    decided: bool
    by: By


def find_split(voices: Sequence[Voice], k: int, deadline: Deadline) -> Found:
    """Decide exactly, within the time there is."""
    able = [voice for voice in voices if not voice.powerless]
    rest = [voice for voice in voices if voice.powerless]  # they change nothing wherever they are
    try:
        groups = greedy(able, deadline)
        if groups:
            return Found(_with(groups, rest), True, "greedy")
        if len(able) < 3 or next(scarce(able, k), None):
            return Found(None, True, "counting")
        return _program(able, rest, k, deadline)
    except TimeUp:
        return Found(None, False, "time limit")


def _program(able: list[Voice], rest: list[Voice], k: int, deadline: Deadline) -> Found:
    solution = solve([Variant(i, voice) for i, voice in enumerate(able)], k, time_limit=deadline.left)
    if solution == "impossible":
        return Found(None, True, "integer program")
    if solution is None:
        return Found(None, False, "time limit")
    first, second, _ = ([able[v] for v in group] for group in solution.groups)
    s1, s2 = shrunk(first, deadline), shrunk(second, deadline)
    s3 = [voice for voice in able if voice not in s1 and voice not in s2]
    holds = singles_out_all(s1, deadline) and singles_out_all(s2, deadline) and tells_apart(s3)
    return Found(_with((s1, s2, s3), rest), True, "integer program") if holds else Found(None, False, "time limit")


def _with(groups: Groups, rest: list[Voice]) -> Groups:
    return groups[0], groups[1], groups[2] + rest


def greedy(voices: Sequence[Voice], deadline: Deadline) -> Groups | None:
    """S1 of whoever rules out most, then S2 of whoever is left."""
    left = list(voices)
    groups = []
    for _ in range(2):
        group = grown(left, deadline)
        if group is None:
            return None
        groups.append(group)
        left = [voice for voice in left if voice not in group]
    return (groups[0], groups[1], left) if tells_apart(left) else None


def grown(voices: Sequence[Voice], deadline: Deadline) -> list[Voice] | None:
    """A set that singles out every class, small but not smallest; None where not even all together do."""
    group: list[Voice] = []
    left = list(voices)
    while not singles_out_all(group, deadline):
        if not left:
            return None
        best = max(left, key=lambda voice: _news(voice, group))
        left.remove(best)
        group.append(best)
    return shrunk(group, deadline)


def _news(voice: Voice, group: Sequence[Voice]) -> int:
    """How many (class, class ruled out) pairs a labeler adds."""
    count = 0
    for y, reach in enumerate(voice.reach):
        for other in group:
            reach &= ~other.reach[y]
        count += reach.bit_count()
    return count


def shrunk(group: list[Voice], deadline: Deadline) -> list[Voice]:
    """The set without those that are not needed, the least able tried first."""
    for voice in sorted(group, key=lambda voice: sum(reach.bit_count() for reach in voice.reach)):
        without = [other for other in group if other is not voice]
        if singles_out_all(without, deadline):
            group = without
    return group


def scarce(voices: Sequence[Voice], k: int) -> Iterator[tuple[int, int, list[Voice]]]:
    """(y, c, who): pairs for which fewer than two labelers rule c out while y stands. S1 and S2 need one each."""
    for y in range(k):
        for c in range(k):
            who = [voice for voice in voices if voice.reach[y] >> c & 1]
            if c != y and len(who) < 2:
                yield y, c, who
