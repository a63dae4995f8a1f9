"""Layout: which shortlist of which labeler each row of an emission table stands for.

The shortlists of all labelers stand one below the other, S = Σ |T(G_i)| of them. A class may be in several
shortlists of one labeler, so everything here tests membership and nothing asks for "the" group of a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain

LONG = 16  # shortlists a labeler, on average: sums over them are long


@dataclass(frozen=True, eq=False)
class Layout:
    """The shape of a problem: how many shortlists each labeler has, and which classes are in them.

    Where some of the shortlists take no part (`only`), what a labeler can be right and wrong about is said of the
    others.
    """

    sizes: tuple[int, ...]  # (n,)
    member: npt.NDArray[np.bool_]  # (S, k)
    part: npt.NDArray[np.bool_] | None = None  # (S,): shortlists that take part; None for all

    @classmethod
    def of(cls, codomains: Sequence[Codomain], space: LabelSpace) -> Layout:
        members = [codomain.member(space) for codomain in codomains]
        member = np.concatenate(members) if members else np.zeros((0, len(space)), np.bool_)
        return cls(tuple(len(codomain) for codomain in codomains), member)

    def only(self, part: npt.NDArray[np.bool_]) -> Layout:
        """The same rows, of which those outside `part` (S,) take no part."""
        return replace(self, part=part)

    @property
    def n(self) -> int:
        return len(self.sizes)

    @property
    def k(self) -> int:
        return int(self.member.shape[1])

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """(n,): where the shortlists of each labeler begin."""
        return np.cumsum([0, *self.sizes[:-1]], dtype=np.int64)[: self.n]

    @cached_property
    def owner(self) -> npt.NDArray[np.int64]:
        """(S,): the labeler of each shortlist."""
        return np.repeat(np.arange(self.n), self.sizes)

    @cached_property
    def side(self) -> npt.NDArray[np.int64]:
        """(S, k): where P(right) of its labeler (for members) or P(wrong) is, in a table (2, n, k) of both."""
        right = self.owner[:, None] * self.k + np.arange(self.k)
        return np.where(self.member, right, right + self.n * self.k)

    @cached_property
    def no_right(self) -> npt.NDArray[np.bool_]:
        """(n, k): classes in no shortlist of the labeler, |N_ij| = 0: it cannot be right about them."""
        return self._empty(self.member)

    @cached_property
    def no_wrong(self) -> npt.NDArray[np.bool_]:
        """(n, k): classes in every shortlist of the labeler, |N^C_ij| = 0: it cannot be wrong about them."""
        return self._empty(~self.member)

    def _empty(self, table: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        table = table if self.part is None else table & self.part[:, None]
        none: npt.NDArray[np.bool_] = self.per_labeler(table.astype(np.float64)) == 0
        return none & self._speaks[:, None]

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """(n, k): where the accuracy is a parameter at all."""
        return ~self.no_right & ~self.no_wrong & self._speaks[:, None]

    @cached_property
    def _speaks(self) -> npt.NDArray[np.bool_]:
        """(n,): labelers with a shortlist that takes part."""
        return self._any if self.part is None else self.per_labeler(self.part.astype(np.float64)) > 0

    @cached_property
    def _any(self) -> npt.NDArray[np.bool_]:
        """(n,): labelers with a shortlist at all."""
        return np.asarray(self.sizes, np.int64) > 0

    @cached_property
    def _all(self) -> bool:
        return bool(self._any.all()) and self.n > 0

    def by_code(self, i: int, votes: Floats, abstain: Floats | None = None) -> Floats:
        """The rows of labeler i in the order of its codes: abstaining first, then its shortlists. (1 + |T(G_i)|, …)

        They are taken from `votes` (S, …) and `abstain` (n, …); None for zeros.
        """
        own = votes[self.starts[i] : self.starts[i] + self.sizes[i]]
        first = np.zeros((1, *votes.shape[1:])) if abstain is None else abstain[i : i + 1]
        return np.concatenate([first, own])

    def rows_of(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """(m, n): which of the S shortlists each vote is; where there is no vote, any of them."""
        rows: npt.NDArray[np.int64] = np.clip(self.starts + codes.astype(np.int64) - 1, 0, max(len(self.member) - 1, 0))
        return rows

    def per_labeler(self, table: Floats) -> Floats:
        """Sum the rows (S, …) of each labeler: (n, …). Labelers without shortlists get zeros."""
        if self._all and len(table) > LONG * self.n:  # one labeler after the other: `reduceat` is slow in long sums
            return np.stack([part.sum(axis=0) for part in np.split(table, self.starts[1:])])
        if self._all:
            return np.add.reduceat(table, self.starts, axis=0)
        sums = np.zeros((self.n, *table.shape[1:]))
        if len(table):
            sums[self._any] = np.add.reduceat(table, self.starts[self._any], axis=0)
        return sums


def one_hot(columns: npt.NDArray[np.integer], sizes: Sequence[int], out: npt.NDArray[Any]) -> None:
    """Write votes as zeros and ones: from columns of codes (n, rows) to one line a shortlist, (Σ sizes, rows)."""
    t = 0
    for column, size in zip(columns, sizes, strict=True):
        for code in range(1, size + 1):
            np.equal(column, code, out=out[t])
            t += 1
