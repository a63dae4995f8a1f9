"""Program: Theorem 1's split as an integer program, for `scipy.optimize.milp`.

One binary variable says that a labeler is in a set. Where a labeler has several votes worth choosing for a class,
one more says which it is. For S1 and S2, every class y and every other class c, some chosen vote rules c out while
y stands; for S3, all classes but one have someone who can be right and wrong about them.

A labeler may come in several *variants* (as it is, or with a shortlist more), of which one is taken: the same
program finds a split, and the smallest repair where there is none.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from shortlist.identifiability.labeler_masks import LabelerMasks

FEASIBLE, TIME_LIMIT, INFEASIBLE = 0, 1, 2  # what milp answers


@dataclass(frozen=True)
class Variant:
    """A labeler as it is or could be, and what that would cost."""

    owner: int
    masks: LabelerMasks
    cost: float = 0.0


@dataclass(frozen=True)
class Solution:
    """The three sets, as positions of variants; `proved` is whether none is cheaper."""

    groups: tuple[list[int], list[int], list[int]]
    proved: bool


@dataclass
class _Rows:
    """Constraints, row by row, and the columns they are about."""

    costs: list[float] = field(default_factory=list)
    rows: list[dict[int, float]] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    seen: set[tuple[int, ...]] = field(default_factory=set)

    def column(self, cost: float = 0.0) -> int:
        self.costs.append(cost)
        return len(self.costs) - 1

    def add(self, row: dict[int, float], lower: float, upper: float) -> None:
        self.rows.append(row)
        self.lower.append(lower)
        self.upper.append(upper)

    def some(self, columns: Iterable[int]) -> None:
        """At least one of these. The same wish twice is one wish."""
        wish = tuple(sorted(set(columns)))
        if wish not in self.seen:
            self.seen.add(wish)
            self.add(dict.fromkeys(wish, 1.0), 1.0, np.inf)

    def matrix(self) -> csr_array:
        data = [(r, c, v) for r, row in enumerate(self.rows) for c, v in row.items()]
        r, c, v = zip(*data, strict=True) if data else ((), (), ())
        return csr_array((v, (r, c)), shape=(len(self.rows), len(self.costs)))


def solve(
    variants: Sequence[Variant], k: int, *, optional: frozenset[int] = frozenset(), time_limit: float
) -> Solution | Literal["impossible"] | None:
    """The cheapest split, "impossible", or None where time ran out before either was known.

    Every owner is in one set in one variant; optional ones may be left out.
    """
    if time_limit <= 0:
        return None
    deadline = time.monotonic() + time_limit  # writing the program down takes time, too
    rows = _Rows()
    member = [[rows.column(variant.cost) for variant in variants] for _ in range(3)]
    _one_place_each(rows, variants, member, optional)
    for columns in member[:2]:
        for y in range(k):
            _single_out(rows, variants, columns, y)
    _tell_apart(rows, variants, member[2], k)
    result = milp(
        np.array(rows.costs),
        integrality=np.ones(len(rows.costs)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(rows.matrix(), np.array(rows.lower), np.array(rows.upper)),
        options={"time_limit": max(deadline - time.monotonic(), 0.001)},
    )
    if result.status == INFEASIBLE:
        return "impossible"
    if result.x is None:
        return None
    s1, s2, s3 = ([v for v, column in enumerate(columns) if result.x[column] > 0.5] for columns in member)
    return Solution((s1, s2, s3), result.status == FEASIBLE)


def _one_place_each(
    rows: _Rows, variants: Sequence[Variant], member: list[list[int]], optional: frozenset[int]
) -> None:
    places: dict[int, dict[int, float]] = defaultdict(dict)
    for columns in member:
        for variant, column in zip(variants, columns, strict=True):
            places[variant.owner][column] = 1.0
    for owner, place in places.items():
        rows.add(place, 0.0 if owner in optional else 1.0, 1.0)
    first = variants[0].owner  # S1 and S2 can be swapped, so one labeler is not in S2 without loss
    rows.add({c: 1.0 for v, c in zip(variants, member[1], strict=True) if v.owner == first}, 0.0, 0.0)


def _single_out(rows: _Rows, variants: Sequence[Variant], columns: list[int], y: int) -> None:
    """Votes of those in the set rule out every class but y."""
    against: dict[int, list[int]] = {c: [] for c in range(variants[0].masks.k) if c != y}
    for variant, column in zip(variants, columns, strict=True):
        options = variant.masks.options[y]
        takes = [column] if len(options) == 1 else [rows.column() for _ in options]
        if len(options) > 1:
            rows.add({**dict.fromkeys(takes, 1.0), column: -1.0}, -np.inf, 0.0)
        for take, (out, _) in zip(takes, options, strict=True):
            for c, helpers in against.items():
                if out >> c & 1:
                    helpers.append(take)
    for helpers in against.values():
        rows.some(helpers)


def _tell_apart(rows: _Rows, variants: Sequence[Variant], columns: list[int], k: int) -> None:
    """All classes but one are free for someone in the set, and someone is in it."""
    rows.some(columns)
    unseen = [rows.column() for _ in range(k)]
    for c, column in enumerate(unseen):
        free = [at for variant, at in zip(variants, columns, strict=True) if variant.masks.free >> c & 1]
        rows.some([column, *free])
    rows.add(dict.fromkeys(unseen, 1.0), 0.0, 1.0)
