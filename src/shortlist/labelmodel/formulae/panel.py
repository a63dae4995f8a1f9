"""Panel: the labelers a model was fitted on, and how the votes of the same labelers are read later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shortlist.errors import BadVotes
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain, Votes
from shortlist.votes.patterns import Codes
from shortlist.votes.votes import not_votes

UNDECLARED = "declare all it may say, or fit on these votes too"
UNHEARD = "it may say any set, but the model knows those it has heard. Fit again: fit(Votes.concat([before, these]))"


@dataclass(frozen=True)
class Panel:
    """Who votes, on which classes, and what each may say."""

    space: LabelSpace
    names: tuple[str, ...]
    codomains: tuple[Codomain, ...]

    @classmethod
    def of(cls, votes: Votes) -> Panel:
        return cls(votes.space, votes.names, votes.codomains)

    @cached_property
    def layout(self) -> Layout:
        return Layout.of(self.codomains, self.space)

    def codes(self, votes: Votes) -> Codes:
        """The codes of Votes by the same labelers, in any order, as this panel writes them."""
        if not isinstance(votes, Votes):
            raise not_votes(votes)
        if votes.space != self.space:
            raise BadVotes(f"these votes are about {list(votes.space)}, the model is about {list(self.space)}")
        if (votes.names, votes.codomains) == (self.names, self.codomains):
            return votes.codes
        missing, unknown = set(self.names) - set(votes.names), set(votes.names) - set(self.names)
        if missing or unknown:
            raise BadVotes(
                "the model was fitted on other labelers: "
                + "; ".join(
                    f"{what} {sorted(who)}" for what, who in (("missing", missing), ("unknown", unknown)) if who
                )
            )
        codes = np.empty(votes.shape, np.min_scalar_type(max([0, *self.layout.sizes])), order="F")
        for i, name in enumerate(self.names):
            codes[:, i] = self._recoded(votes, votes.names.index(name), i)
        return codes

    def _recoded(self, votes: Votes, theirs: int, mine: int) -> Codes:
        """One column. A shortlist that was unknown when the model was fitted cannot be read."""
        says, column = self.codomains[mine], votes.codes[:, theirs]
        shortlists = votes.codomains[theirs].shortlists
        known = says.says if says.open else says.shortlists  # a dummy of who may say any set was not heard, either
        table = np.array([0, *(says.code(s) if s in known else -1 for s in shortlists)])
        if (table[column] < 0).any():
            a = int(np.flatnonzero(table[column] < 0)[0])
            said = self.space.show(shortlists[column[a] - 1])
            raise BadVotes(
                f"labeler {self.names[mine]!r} says {said} on row {a}; when the model was fitted it had only "
                f"{says.show(self.space)}: {UNHEARD if says.open else UNDECLARED}",
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
