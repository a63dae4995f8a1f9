"""Theorem 1: search for a split of the labelers into S1, S2 and S3, and its certificate.

Sets of classes are integers here, with one bit for each class.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_, or_
from typing import Any, Literal

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from shortlist.labelmodel.layout import Panel
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Codomain


class TimeUp(Exception):  # noqa: N818  it is no error: it becomes "not decided"
    """The time limit of a search is over."""


@dataclass(frozen=True)
class Deadline:
    """End of a search."""

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


# -- votes as bit masks --------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelerMasks:
    """The shortlists of a labeler, as bit masks.

    A vote *rules out* the classes the labeler could have named and did not. With dummies counted, a labeler can name
    every class, so a shortlist rules out all it does not hold: the theorem to the letter. Without them, a labeler that
    only ever says {NUM} rules nothing out: its answer is known before it votes.
    """

    name: str
    shortlists: tuple[int, ...]
    k: int

    @cached_property
    def named(self) -> int:
        """Classes in some shortlist."""
        return reduce(or_, self.shortlists, 0)

    @cached_property
    def free(self) -> int:
        """Classes the labeler can be both right and wrong about, so that the accuracy is a parameter."""
        return self.named & ~reduce(and_, self.shortlists, -1)

    @cached_property
    def options(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each class y, the votes that leave y possible and rule out most: (classes ruled out, shortlist)."""
        return tuple(tuple(self._options(1 << y)) for y in range(self.k))

    def _options(self, y: int) -> Iterable[tuple[int, int]]:
        by_effect = {self.named & ~t: t for t in reversed(self.shortlists) if not self.named & ~t & y}
        for out, t in by_effect.items():
            if not any(out != other and out & ~other == 0 for other in by_effect):
                yield out, t

    @cached_property
    def reach(self) -> tuple[int, ...]:
        """For each class y, the classes that some vote rules out while y is possible."""
        return tuple(reduce(or_, (out for out, _ in options), 0) for options in self.options)

    @cached_property
    def effect(self) -> tuple[frozenset[int], ...]:
        """All that a split depends on: sets that may be ruled out for each class, and the free classes."""
        return (*(frozenset(out for out, _ in options) for options in self.options), frozenset({self.free}))


def bits(classes: Iterable[str], space: LabelSpace) -> int:
    """A set of names as an integer."""
    return sum(1 << space.position(name) for name in classes)


def names(mask: int, space: LabelSpace) -> Shortlist:
    """The set of names of an integer."""
    return frozenset(name for j, name in enumerate(space) if mask >> j & 1)


def masks_of(panel: Panel, *, dummies: bool) -> tuple[LabelerMasks, ...]:
    """Masks of all labelers, with or without their dummies."""
    return tuple(
        LabelerMasks(name, tuple(bits(t, panel.space) for t in (c.shortlists if dummies else c.says)), len(panel.space))
        for name, c in zip(panel.names, panel.codomains, strict=True)
    )


def _choose(group: Sequence[LabelerMasks], y: int, deadline: Deadline) -> list[int] | None:
    """A shortlist of each labeler, such that together they rule out every class but y; None if there are none."""
    if not group:
        return None
    order = sorted(range(len(group)), key=lambda i: len(group[i].options[y]))  # those without a choice first
    states: dict[int, tuple[int, ...]] = {0: ()}  # sets that can be ruled out so far, without parts of others
    for i in order:
        deadline.check()
        options = group[i].options[y]
        if not options:
            return None
        grown = {out | more: (*path, t) for out, path in states.items() for more, t in options}
        states = grown if len(options) == 1 else _largest(grown, deadline)
    path = states.get((1 << group[0].k) - 1 & ~(1 << y))
    return None if path is None else [t for _, t in sorted(zip(order, path, strict=True))]


def _largest(states: dict[int, tuple[int, ...]], deadline: Deadline) -> dict[int, tuple[int, ...]]:
    kept: list[int] = []
    for out in sorted(states, key=int.bit_count, reverse=True):
        deadline.check()
        if all(out & ~other for other in kept):
            kept.append(out)
    return {out: states[out] for out in kept}


def singles_out(group: Sequence[LabelerMasks], y: int, deadline: Deadline) -> bool:
    """True if votes of the group can rule out every class but y."""
    if not group:
        return False
    reached = reduce(or_, (labeler.reach[y] for labeler in group))
    return reached == (1 << group[0].k) - 1 & ~(1 << y) and _choose(group, y, deadline) is not None


def _singles_out_all(group: Sequence[LabelerMasks], deadline: Deadline) -> bool:
    """Condition of Theorem 1 on S1 and S2."""
    return bool(group) and all(singles_out(group, y, deadline) for y in range(group[0].k))


def _tells_apart(group: Sequence[LabelerMasks]) -> bool:
    """Condition on S3: for all classes but one, the accuracy of some labeler is a parameter."""
    return bool(group) and reduce(or_, (labeler.free for labeler in group)).bit_count() >= group[0].k - 1


# -- search --------------------------------------------------------------------------------------------

Groups = tuple[list[LabelerMasks], list[LabelerMasks], list[LabelerMasks]]
By = Literal["greedy", "counting", "integer program", "time limit"]


def find_split(labelers: Sequence[LabelerMasks], k: int, deadline: Deadline) -> tuple[Groups | None, By]:
    """The three sets, or None where there are none, and what decided it.

    A set that singles out every class still does with one more labeler, so S1 and S2 are small and S3 gets the rest.
    """
    able = [labeler for labeler in labelers if any(labeler.reach)]
    rest = [labeler for labeler in labelers if not any(labeler.reach)]  # they change nothing in any set

    def completed(s1: list[LabelerMasks], s2: list[LabelerMasks]) -> Groups | None:
        s3 = [labeler for labeler in able if labeler not in s1 and labeler not in s2]
        return (s1, s2, s3 + rest) if _tells_apart(s3) else None

    try:
        first = _grown(able, deadline)  # of the labelers that rule out most
        second = first and _grown([labeler for labeler in able if labeler not in first], deadline)
        if first and second and (groups := completed(first, second)):
            return groups, "greedy"
        if len(able) < 3 or next(scarce(able, k), None):
            return None, "counting"
        solution = solve([Variant(i, labeler) for i, labeler in enumerate(able)], k, time_limit=deadline.left)
        if solution == "impossible":
            return None, "integer program"
        if solution is not None:
            s1, s2 = (_shrunk([able[v] for v in group], deadline) for group in solution.groups[:2])
            if all(_singles_out_all(s, deadline) for s in (s1, s2)) and (groups := completed(s1, s2)):
                return groups, "integer program"
    except TimeUp:
        pass
    return None, "time limit"


def _grown(labelers: Sequence[LabelerMasks], deadline: Deadline) -> list[LabelerMasks] | None:
    """A small set that singles out every class; None if not even all labelers together do."""
    group: list[LabelerMasks] = []
    left = list(labelers)
    while not _singles_out_all(group, deadline):
        if not left:
            return None
        best = max(left, key=lambda labeler: _gain(labeler, group))
        left.remove(best)
        group.append(best)
    return _shrunk(group, deadline)


def _gain(labeler: LabelerMasks, group: Sequence[LabelerMasks]) -> int:
    """Number of (class, class ruled out) pairs that a labeler adds to a group."""
    before = [reduce(or_, each, 0) for each in zip(*(other.reach for other in group), strict=True)] or [0] * labeler.k
    return sum((reach & ~other).bit_count() for reach, other in zip(labeler.reach, before, strict=True))


def _shrunk(group: list[LabelerMasks], deadline: Deadline) -> list[LabelerMasks]:
    """The set without labelers that are not needed, the least able tried first."""
    for labeler in sorted(group, key=lambda labeler: sum(reach.bit_count() for reach in labeler.reach)):
        without = [other for other in group if other is not labeler]
        if _singles_out_all(without, deadline):
            group = without
    return group


def scarce(labelers: Sequence[LabelerMasks], k: int) -> Iterator[tuple[int, int, list[LabelerMasks]]]:
    """(y, c, who): pairs for which fewer than two labelers rule c out while y is possible. S1 and S2 need one each."""
    for y in range(k):
        for c in range(k):
            who = [labeler for labeler in labelers if labeler.reach[y] >> c & 1]
            if c != y and len(who) < 2:
                yield y, c, who


# -- integer program -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """A labeler as it is or could be (with one shortlist more, or new), and its cost."""

    owner: int
    masks: LabelerMasks
    cost: float = 0.0


@dataclass(frozen=True)
class Solution:
    """The three sets, as positions of variants; `proved` if none is cheaper."""

    groups: tuple[list[int], list[int], list[int]]
    proved: bool


@dataclass
class _Program:
    """Constraints, row by row, and the costs of the columns."""

    costs: list[float] = field(default_factory=list)
    rows: list[dict[int, float]] = field(default_factory=list)
    limits: list[tuple[float, float]] = field(default_factory=list)
    seen: set[tuple[int, ...]] = field(default_factory=set)

    def column(self, cost: float = 0.0) -> int:
        self.costs.append(cost)
        return len(self.costs) - 1

    def add(self, row: dict[int, float], lower: float, upper: float) -> None:
        self.rows.append(row)
        self.limits.append((lower, upper))

    def at_least_one(self, columns: Iterable[int]) -> None:
        wish = tuple(sorted(set(columns)))
        if wish not in self.seen:
            self.seen.add(wish)
            self.add(dict.fromkeys(wish, 1.0), 1.0, np.inf)

    def constraint(self) -> LinearConstraint:
        data = [(r, c, v) for r, row in enumerate(self.rows) for c, v in row.items()]
        r, c, v = zip(*data, strict=True) if data else ((), (), ())
        matrix = csr_array((v, (r, c)), shape=(len(self.rows), len(self.costs)))
        return LinearConstraint(matrix, *np.array(self.limits).T)


def solve(
    variants: Sequence[Variant], k: int, *, optional: frozenset[int] = frozenset(), time_limit: float
) -> Solution | Literal["impossible"] | None:
    """Find the cheapest split by an integer program; "impossible", or None where time ran out before either was known.

    Every owner is in one set in one variant; optional ones may be left out. One binary variable says that a variant is
    in a set; where it has several votes to choose from for a class, one more says which. For S1 and S2, every class y
    and every other class c, some chosen vote rules c out while y is possible.
    """
    if time_limit <= 0:
        return None
    deadline = Deadline.after(time_limit)  # setting the program up takes time, too
    program = _Program()
    member = [[program.column(variant.cost) for variant in variants] for _ in range(3)]
    _one_place_each(program, variants, member, optional)
    for columns in member[:2]:
        for y in range(k):
            _single_out(program, variants, columns, y)
    _tell_apart(program, variants, member[2], k)
    result = milp(
        np.array(program.costs),
        integrality=np.ones(len(program.costs)),
        bounds=Bounds(0, 1),
        constraints=program.constraint(),
        options={"time_limit": max(deadline.left, 0.001)},
    )
    if result.status == 2:  # infeasible
        return "impossible"
    if result.x is None:
        return None
    s1, s2, s3 = ([v for v, column in enumerate(columns) if result.x[column] > 0.5] for columns in member)
    return Solution((s1, s2, s3), result.status == 0)  # optimal


def _one_place_each(
    program: _Program, variants: Sequence[Variant], member: list[list[int]], optional: frozenset[int]
) -> None:
    places: dict[int, dict[int, float]] = defaultdict(dict)
    for columns in member:
        for variant, column in zip(variants, columns, strict=True):
            places[variant.owner][column] = 1.0
    for owner, place in places.items():
        program.add(place, 0.0 if owner in optional else 1.0, 1.0)
    first = variants[0].owner  # S1 and S2 can be swapped, so one labeler is not in S2 without loss
    program.add({c: 1.0 for v, c in zip(variants, member[1], strict=True) if v.owner == first}, 0.0, 0.0)


def _single_out(program: _Program, variants: Sequence[Variant], columns: list[int], y: int) -> None:
    """Votes of those in the set rule out every class but y."""
    against: dict[int, list[int]] = {c: [] for c in range(variants[0].masks.k) if c != y}
    for variant, column in zip(variants, columns, strict=True):
        options = variant.masks.options[y]
        takes = [column] if len(options) == 1 else [program.column() for _ in options]
        if len(options) > 1:
            program.add({**dict.fromkeys(takes, 1.0), column: -1.0}, -np.inf, 0.0)
        for take, (out, _) in zip(takes, options, strict=True):
            for c, helpers in against.items():
                if out >> c & 1:
                    helpers.append(take)
    for helpers in against.values():
        program.at_least_one(helpers)


def _tell_apart(program: _Program, variants: Sequence[Variant], columns: list[int], k: int) -> None:
    """All classes but one are free for someone in the set, and someone is in it."""
    program.at_least_one(columns)
    unseen = [program.column() for _ in range(k)]
    for c, column in enumerate(unseen):
        free = [at for variant, at in zip(variants, columns, strict=True) if variant.masks.free >> c & 1]
        program.at_least_one([column, *free])
    program.add(dict.fromkeys(unseen, 1.0), 0.0, 1.0)


# -- certificate ---------------------------------------------------------------------------------------

Split = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
Choice = Mapping[str, Shortlist]  # labeler → the shortlist chosen for it


@dataclass(frozen=True)
class Certificate:
    """Proof of a split: S1, S2 and S3 by name; for S1 and for S2, class by class, a shortlist of each labeler."""

    split: Split
    choices: tuple[Mapping[str, Choice], Mapping[str, Choice]]
    dummies: bool  # dummies may be among the chosen

    @classmethod
    def of(cls, groups: Groups, space: LabelSpace, *, dummies: bool) -> Certificate:
        """The certificate of a split that holds."""

        def choice(group: list[LabelerMasks], y: int) -> Choice:
            masks = _choose(group, y, Deadline(float("inf"))) or ()
            return {labeler.name: names(t, space) for labeler, t in zip(group, masks, strict=True)}

        s1, s2, s3 = (tuple(labeler.name for labeler in group) for group in groups)
        first, second = ({name: choice(group, y) for y, name in enumerate(space)} for group in groups[:2])
        return cls((s1, s2, s3), (first, second), dummies)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Certificate:
        s1, s2, s3 = (tuple(group) for group in record["split"])
        first, second = (
            {y: {name: frozenset(t) for name, t in choice.items()} for y, choice in choices.items()}
            for choices in record["choices"]
        )
        return cls((s1, s2, s3), (first, second), record["dummies"])


def verify(certificate: Certificate, codomains: Mapping[str, Codomain], space: LabelSpace) -> bool:
    """Check that a certificate proves the conditions of Theorem 1."""
    says = {name: c.shortlists if certificate.dummies else c.says for name, c in codomains.items()}
    named = {name: frozenset[str]().union(*shortlists) for name, shortlists in says.items()}
    if not all(certificate.split) or sorted(i for group in certificate.split for i in group) != sorted(codomains):
        return False
    for group, choices in zip(certificate.split[:2], certificate.choices, strict=True):
        for y in space:
            if set(choices[y]) != set(group) or any(choices[y][i] not in says[i] for i in group):
                return False
            if frozenset[str]().union(*(named[i] - choices[y][i] for i in group)) != frozenset(space) - {y}:
                return False
    free = {y for i in certificate.split[2] for y in named[i] if not all(y in t for t in says[i])}
    return len(free) >= len(space) - 1
