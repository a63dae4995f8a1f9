"""Layout of the rows of an emission table, and Panel: the labelers a model was fitted on.

The shortlists of all labelers stand one below the other, S = Σ |T(G_i)| of them. A class may be in several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadVotes
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain, Votes
from shortlist.votes.patterns import Codes
from shortlist.votes.votes import not_votes


@dataclass(frozen=True, eq=False)
class Layout:
    """The number of shortlists of each labeler, and the classes in them."""

    sizes: tuple[int, ...]  # (n,)
    member: npt.NDArray[np.bool_]  # (S, k)

    @classmethod
    def of(cls, codomains: Sequence[Codomain], space: LabelSpace) -> Layout:
        members = [codomain.member(space) for codomain in codomains]
        member = np.concatenate(members) if members else np.zeros((0, len(space)), np.bool_)
        return cls(tuple(len(codomain) for codomain in codomains), member)

    @property
    def n(self) -> int:
        return len(self.sizes)

    @property
    def k(self) -> int:
        return int(self.member.shape[1])

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """(n,): first row of each labeler."""
        return np.cumsum([0, *self.sizes[:-1]], dtype=np.int64)[: self.n]

    @cached_property
    def owner(self) -> npt.NDArray[np.int64]:
        """(S,): the labeler of each shortlist."""
        return np.repeat(np.arange(self.n), self.sizes)

    @cached_property
    def side(self) -> npt.NDArray[np.int64]:
        """(S, k): flat position of P(right), for members, or P(wrong) of the labeler in a table (2, n, k) of both."""
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
        none: npt.NDArray[np.bool_] = self.per_labeler(table.astype(np.float64)) == 0
        return none & self._any[:, None]

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """(n, k): accuracies that are parameters."""
        return ~self.no_right & ~self.no_wrong & self._any[:, None]

    @cached_property
    def _any(self) -> npt.NDArray[np.bool_]:
        """(n,): labelers with a shortlist."""
        return np.asarray(self.sizes, np.int64) > 0

    @cached_property
    def _all(self) -> bool:
        return bool(self._any.all()) and self.n > 0

    def by_code(self, i: int, votes: Floats, abstain: Floats | None = None) -> Floats:
        """(1 + |T(G_i)|, …): rows of labeler i by code, from `abstain` (n, …; None for zeros) and `votes` (S, …)."""
        own = votes[self.starts[i] : self.starts[i] + self.sizes[i]]
        first = np.zeros((1, *votes.shape[1:])) if abstain is None else abstain[i : i + 1]
        return np.concatenate([first, own])

    def rows_of(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """(m, n): row of each vote among the S shortlists; any row where there is no vote."""
        return np.clip(self.starts + codes.astype(np.int64) - 1, 0, max(len(self.member) - 1, 0))

    def per_labeler(self, table: Floats) -> Floats:
        """Sum the rows (S, …) of each labeler: (n, …). Labelers without shortlists get zeros."""
        if self._all and len(table) > 16 * self.n:  # `reduceat` is slow in long sums
            return np.stack([part.sum(axis=0) for part in np.split(table, self.starts[1:])])
        if self._all:
            return np.add.reduceat(table, self.starts, axis=0)
        sums = np.zeros((self.n, *table.shape[1:]))
        if len(table):
            sums[self._any] = np.add.reduceat(table, self.starts[self._any], axis=0)
        return sums


def one_hot(columns: npt.NDArray[np.integer], sizes: Sequence[int], out: npt.NDArray[Any]) -> None:
    """Write columns of codes (n, rows) as zeros and ones to `out`, one line a shortlist: (Σ sizes, rows)."""
    t = 0
    for column, size in zip(columns, sizes, strict=True):
        for code in range(1, size + 1):
            np.equal(column, code, out=out[t])
            t += 1


@dataclass(frozen=True)
class Panel:
    """The classes, the names of the labelers, and the codomain of each."""

    space: LabelSpace
    names: tuple[str, ...]
    codomains: tuple[Codomain, ...]

    @classmethod
    def of(cls, votes: Votes) -> Panel:
        return cls(votes.space, votes.names, votes.codomains)

    @cached_property
    def layout(self) -> Layout:
        return Layout.of(self.codomains, self.space)

    @cached_property
    def may_name(self) -> npt.NDArray[np.bool_]:
        """(n, k): classes that a labeler declared, dummies aside; all where its answers are inferred or open."""
        real = np.array([s not in c.dummies for c in self.codomains for s in c.shortlists], np.bool_)
        declared = self.layout.per_labeler((self.layout.member & real[:, None]).astype(np.float64)) > 0
        any_class = np.array([c.inferred or c.open for c in self.codomains], np.bool_)
        return np.asarray(declared | any_class[:, None])

    def codes(self, votes: Votes) -> Codes:
        """Codes (m, n) of Votes by the same labelers, which may come in another order or with other codomains."""
        if not isinstance(votes, Votes):
            raise not_votes(votes)
        if votes.space != self.space:
            raise BadVotes(f"these votes are about {list(votes.space)}, the model is about {list(self.space)}")
        if (votes.names, votes.codomains) == (self.names, self.codomains):
            return votes.codes
        missing, unknown = set(self.names) - set(votes.names), set(votes.names) - set(self.names)
        if missing or unknown:
            sides = [f"{side} {sorted(who)}" for side, who in (("missing", missing), ("unknown", unknown)) if who]
            raise BadVotes(f"the model was fitted on other labelers: {'; '.join(sides)}")
        codes = np.empty(votes.shape, np.min_scalar_type(max([0, *self.layout.sizes])), order="F")
        for i, name in enumerate(self.names):
            codes[:, i] = self._recoded(votes, votes.names.index(name), i)
        return codes

    def _recoded(self, votes: Votes, theirs: int, mine: int) -> Codes:
        """One column. A shortlist that was not there when the model was fitted is an error."""
        says, column = self.codomains[mine], votes.codes[:, theirs]
        shortlists = votes.codomains[theirs].shortlists
        readable = says.says if says.open else says.shortlists  # the dummy of an open codomain was never voted
        table = np.array([0, *(says.code(s) if s in readable else -1 for s in shortlists)])
        if (table[column] < 0).any():
            a = int(np.flatnonzero(table[column] < 0)[0])
            vote = self.space.show(shortlists[column[a] - 1])
            remedy = "declare all it may say, or fit on these votes too"
            if says.open:
                remedy = "it may say any set, but the model knows those it has heard. Fit again: "
                remedy += "fit(Votes.concat([before, these]))"
            raise BadVotes(
                f"labeler {self.names[mine]!r} says {vote} on row {a}; when the model was fitted it had only "
                f"{says.show(self.space)}: {remedy}",
                labeler=self.names[mine],
                row=a,
            )
        return table[column].astype(votes.codes.dtype)

    def to_json(self) -> dict[str, Any]:
        labelers = [
            {"name": name, **codomain.to_json(self.space)}
            for name, codomain in zip(self.names, self.codomains, strict=True)
        ]
        return {"classes": list(self.space), "labelers": labelers}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Panel:
        labelers = record["labelers"]
        return cls(
            LabelSpace(record["classes"]),
            tuple(labeler["name"] for labeler in labelers),
            tuple(Codomain.from_json(labeler) for labeler in labelers),
        )
