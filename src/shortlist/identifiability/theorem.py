"""Theorem 1: a split of the labelers into S1, S2 and S3, and the fewest additions that make one possible.

Both are found by one integer program. Sets of classes are integers here, with one bit for each class.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_, or_
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from shortlist.labelmodel.layout import Panel
from shortlist.labelspace import LabelSpace, Shortlist

Names = tuple[str, ...]  # of classes, in the order of the space; or of labelers
PENALTY = 0.01  # among equally small repairs: first what a labeler's dummy already is, then other shortlists


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


def names(mask: int, space: LabelSpace) -> Names:
    """The names of the classes in an integer."""
    return tuple(name for j, name in enumerate(space) if mask >> j & 1)


def masks_of(panel: Panel, *, dummies: bool) -> tuple[LabelerMasks, ...]:
    """Masks of all labelers, with or without their dummies."""
    return tuple(
        LabelerMasks(name, tuple(bits(t, panel.space) for t in (c.shortlists if dummies else c.says)), len(panel.space))
        for name, c in zip(panel.names, panel.codomains, strict=True)
    )


def scarce(labelers: Sequence[LabelerMasks], k: int) -> Iterator[tuple[int, int, list[LabelerMasks]]]:
    """(y, c, who): pairs for which fewer than two labelers rule c out while y is possible. S1 and S2 need one each."""
    for y in range(k):
        for c in range(k):
            who = [labeler for labeler in labelers if labeler.reach[y] >> c & 1]
            if c != y and len(who) < 2:
                yield y, c, who


# -- split ---------------------------------------------------------------------------------------------


class TripleSplit(NamedTuple):
    """Proof of a split: S1, S2 and S3 by name; for S1 and for S2, class by class, a shortlist of each labeler."""

    split: tuple[Names, Names, Names]
    choices: tuple[dict[str, dict[str, Names]], dict[str, dict[str, Names]]]


def find_split(labelers: Sequence[LabelerMasks], space: LabelSpace, end: float) -> TripleSplit | Literal[False] | None:
    """The proof of a split, False where there is none, or None where time (until `end`) was not enough."""
    able = [labeler for labeler in labelers if any(labeler.reach)]
    rest = [labeler.name for labeler in labelers if not any(labeler.reach)]  # they change nothing in any set
    if len(able) < 3:
        return False
    solution = solve([Variant(i, labeler) for i, labeler in enumerate(able)], len(space), end)
    if not isinstance(solution, Solution):
        return solution
    small = [_shrunk(able, taken) for taken in solution.taken]
    split = [[able[v].name for v in group] for group in small]
    s3 = [labeler.name for v, labeler in enumerate(able) if not any(v in group for group in small)]
    first, second = (
        {space[y]: {able[v].name: names(t, space) for v, (_, t) in votes.items() if v in group}
         for y, votes in enumerate(taken)}
        for taken, group in zip(solution.taken, small, strict=True)
    )  # fmt: skip
    return TripleSplit((tuple(split[0]), tuple(split[1]), (*s3, *rest)), (first, second))


def _shrunk(able: Sequence[LabelerMasks], taken: Sequence[dict[int, tuple[int, int]]]) -> list[int]:
    """The labelers whose chosen votes are needed to single out every class, the least able left out first."""
    group = sorted(taken[0])
    for v in sorted(group, key=lambda v: sum(reach.bit_count() for reach in able[v].reach)):
        others = [w for w in group if w != v]
        ruled_out = (reduce(or_, (votes[w][0] for w in others), 0) for votes in taken)
        if all(out.bit_count() == len(taken) - 1 for out in ruled_out):
            group = others
    return group


# -- repairs -------------------------------------------------------------------------------------------


class Repair(NamedTuple):
    """Shortlists a labeler would have to say besides; a labeler of None is a new one."""

    labeler: str | None
    shortlists: tuple[Names, ...]

    def show(self, space: LabelSpace) -> str:
        shown = " and ".join(space.show(t) for t in self.shortlists)
        return f"a new labeler said {shown}" if self.labeler is None else f"{self.labeler} also said {shown}"


def find_repairs(panel: Panel, end: float) -> tuple[tuple[Repair, ...], bool]:
    """The smallest additions, shortlists of labelers or new labelers, and True if that is proved.

    Candidates for a labeler are the classes it never names (its dummy) and the complements of what it says; where it
    says several things already, every class alone or left out, too. New labelers tell one class from the others, or
    name every class.
    """
    speaking = [(name, c.says) for name, c in zip(panel.names, panel.codomains, strict=True) if c.says]
    optional = frozenset(range(len(speaking), len(speaking) + 3))  # three that name every class are always enough
    by_effect: dict[tuple[int, tuple[frozenset[int], ...]], Variant] = {}
    for variant in _variants(speaking, optional, panel.space):
        if time.monotonic() > end:
            return (), False
        by_effect.setdefault((variant.owner, variant.masks.effect), variant)
    variants = list(by_effect.values())
    solution = solve(variants, len(panel.space), end, optional=optional)
    if not isinstance(solution, Solution):
        return (), False
    repairs = [variants[v].repair for v in sorted(v for group in solution.groups for v in group)]
    return tuple(repair for repair in repairs if repair is not None), solution.proved


def _variants(
    speaking: Sequence[tuple[str, tuple[Shortlist, ...]]], optional: Iterable[int], space: LabelSpace
) -> Iterator[Variant]:
    """Labelers as they are and with one shortlist more, and new ones."""
    everything = frozenset(space)
    alone = [frozenset({y}) for y in space]

    def variant(owner: int, name: str | None, says: Sequence[Shortlist], cost: float, *added: Shortlist) -> Variant:
        masks = LabelerMasks(name or "", tuple(bits(t, space) for t in (*says, *added)), len(space))
        repair = Repair(name, tuple(space.ordered(t) for t in added)) if added else None
        return Variant(owner, masks, cost, repair)

    for owner, (name, says) in enumerate(speaking):
        yield variant(owner, name, says, 0.0)
        candidates = [everything.difference(*says), *(everything - t for t in says)]
        if len(says) > 1:
            candidates += [t for y in alone for t in (y, everything - y)]
        for order, t in enumerate(dict.fromkeys(t for t in candidates if t and t not in says)):
            yield variant(owner, name, says, 1 + PENALTY * (order > 0) + PENALTY**2 * owner, t)
    for owner in optional:
        yield variant(owner, None, (), len(space) + PENALTY, *alone)
        if len(space) > 2:
            yield from (variant(owner, None, (), 2 + PENALTY, y, everything - y) for y in alone)


# -- integer program -----------------------------------------------------------------------------------


class Variant(NamedTuple):
    """A labeler as it is or could be (with one shortlist more, or new), and its cost."""

    owner: int
    masks: LabelerMasks
    cost: float = 0.0
    repair: Repair | None = None


class Solution(NamedTuple):
    """The three sets, as positions of variants; `proved` if none is cheaper.

    `taken` holds, for S1 and S2 and each class, the vote of each variant: (classes ruled out, shortlist).
    """

    groups: tuple[list[int], list[int], list[int]]
    taken: tuple[list[dict[int, tuple[int, int]]], list[dict[int, tuple[int, int]]]]
    proved: bool


@dataclass
class _Program:
    """Constraints, row by row, and the costs of the columns."""

    costs: list[float] = field(default_factory=list)
    rows: dict[tuple[tuple[tuple[int, float], ...], float, float], None] = field(default_factory=dict)  # an ordered set

    def column(self, cost: float = 0.0) -> int:
        self.costs.append(cost)
        return len(self.costs) - 1

    def add(self, row: dict[int, float], lower: float, upper: float) -> None:
        self.rows[tuple(sorted(row.items())), lower, upper] = None

    def at_least_one(self, columns: Iterable[int]) -> None:
        self.add(dict.fromkeys(columns, 1.0), 1.0, np.inf)

    def solve(self, seconds: float) -> tuple[int, np.ndarray | None]:
        """(status, values of the columns)."""
        rows, lower, upper = zip(*self.rows, strict=True)
        r, c, v = zip(*((r, c, v) for r, row in enumerate(rows) for c, v in row), strict=True)
        places = np.array([r, c], np.int32)  # scipy 1.13 solves with no other kind of number
        matrix = csr_array((v, places), shape=(len(rows), len(self.costs)))
        result = milp(
            np.array(self.costs),
            integrality=np.ones(len(self.costs)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, lower, upper),
            options={"time_limit": max(seconds, 0.001)},
        )
        return result.status, result.x


def solve(
    variants: Sequence[Variant], k: int, end: float, *, optional: frozenset[int] = frozenset()
) -> Solution | Literal[False] | None:
    """Find the cheapest split; False where there is none, or None where time ran out before either was known.

    Every owner is in one set in one variant; optional ones may be left out. One binary variable says that a variant is
    in a set; where it has several votes to choose from for a class, one more says which. For S1 and S2, every class y
    and every other class c, some chosen vote rules c out while y is possible.
    """
    program = _Program()
    member = [[program.column(variant.cost) for variant in variants] for _ in range(3)]
    _one_place_each(program, variants, member, optional)
    takes: list[list[list[list[int]]]] = [[], []]  # set, class, variant, option → column
    for s, y in ((s, y) for s in range(2) for y in range(k)):
        if time.monotonic() > end:
            return None
        takes[s].append(_single_out(program, variants, member[s], y))
    _tell_apart(program, variants, member[2], k)
    status, x = program.solve(end - time.monotonic())
    if x is None:
        return False if status == 2 else None
    s1, s2, s3 = ([v for v, column in enumerate(columns) if x[column] > 0.5] for columns in member)
    first, second = (
        [{v: max(zip(x[columns[v]], variants[v].masks.options[y], strict=True))[1] for v in group}
         for y, columns in enumerate(by_class)]
        for group, by_class in zip((s1, s2), takes, strict=True)
    )  # fmt: skip
    return Solution((s1, s2, s3), (first, second), proved=status == 0)


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


def _single_out(program: _Program, variants: Sequence[Variant], columns: list[int], y: int) -> list[list[int]]:
    """Votes of those in the set rule out every class but y. Returns the column of each option of each variant."""
    against: dict[int, list[int]] = {c: [] for c in range(variants[0].masks.k) if c != y}
    takes = []
    for variant, column in zip(variants, columns, strict=True):
        options = variant.masks.options[y]
        own = [column] if len(options) == 1 else [program.column() for _ in options]
        if len(options) > 1:
            program.add({**dict.fromkeys(own, 1.0), column: -1.0}, -np.inf, 0.0)
        for take, (out, _) in zip(own, options, strict=True):
            for c, helpers in against.items():
                if out >> c & 1:
                    helpers.append(take)
        takes.append(own)
    for helpers in against.values():
        program.at_least_one(helpers)
    return takes


def _tell_apart(program: _Program, variants: Sequence[Variant], columns: list[int], k: int) -> None:
    """All classes but one are free for someone in S3, and someone is in it."""
    program.at_least_one(columns)
    unseen = [program.column() for _ in range(k)]
    for c, column in enumerate(unseen):
        free = [at for variant, at in zip(variants, columns, strict=True) if variant.masks.free >> c & 1]
        program.at_least_one([column, *free])
    program.add(dict.fromkeys(unseen, 1.0), 0.0, 1.0)
