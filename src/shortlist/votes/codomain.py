"""Codomain: the shortlists one labeler may answer, T(G_i) of the paper (Section 3.1); and Failure, its errors.

The paper asks two things of a codomain: every class is in some shortlist, and no class is in all of them. Where the
shortlists of a labeler break that, a *dummy* is added: a shortlist it never answers, which makes its accuracy
well-defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from shortlist.errors import BadShortlist
from shortlist.labelspace import LabelSpace, Not, Shortlist
from shortlist.wording import number_of, some_of


@dataclass(frozen=True)
class Codomain:
    """The shortlists of a labeler, in the order of their codes: code c stands for `shortlists[c - 1]`.

    An `open` codomain holds the shortlists that were seen, and any other may follow: a person who shortlists.
    """

    shortlists: tuple[Shortlist, ...]
    dummies: frozenset[Shortlist] = field(default_factory=frozenset)
    inferred: bool = False
    open: bool = False

    @classmethod
    def declare(cls, says: Iterable[Any], space: LabelSpace, *, inferred: bool = False, open: bool = False) -> Codomain:
        """The codomain of a labeler that says these; a dummy is added where the paper's conditions ask."""
        if isinstance(says, (str, Not, set, frozenset)):
            raise BadShortlist(f"what a labeler says is an ordered list, such as ['A', {{'B', 'C'}}]; got {says!r}")
        shortlists = tuple(s for s in (space.shortlist(answer) for answer in says) if s is not None)
        if len(set(shortlists)) < len(shortlists):
            twice = next(s for s in shortlists if shortlists.count(s) > 1)
            raise BadShortlist(f"{space.show(twice)} is declared twice")
        dummy = missing_dummy(shortlists, space)
        if dummy is None:
            return cls(shortlists, inferred=inferred, open=open)
        return cls((*shortlists, dummy), frozenset({dummy}), inferred, open)

    def __len__(self) -> int:
        return len(self.shortlists)

    def code(self, shortlist: Shortlist) -> int:
        """The code of a shortlist, from 1."""
        if shortlist not in self.shortlists:
            raise BadShortlist(f"{sorted(shortlist)} is not one of {[sorted(s) for s in self.shortlists]}")
        return self.shortlists.index(shortlist) + 1

    @property
    def says(self) -> tuple[Shortlist, ...]:
        """The shortlists without the dummies: what the labeler really answers."""
        return tuple(s for s in self.shortlists if s not in self.dummies)

    @property
    def one_sided(self) -> bool:
        """True where the labeler has one answer, so that it only decides when to vote."""
        return len(self.says) == 1

    def member(self, space: LabelSpace) -> npt.NDArray[np.bool_]:
        """(c, k): which classes are in which shortlist."""
        member = np.zeros((len(self), len(space)), np.bool_)
        for row, shortlist in zip(member, self.shortlists, strict=True):
            row[[space.position(name) for name in shortlist]] = True
        return member

    def show(self, space: LabelSpace, *, dummies: bool = True) -> str:
        """`HUM | {DESC, NUM} | dummy ABBR`, for people; without `dummies`, what the labeler says."""
        shortlists = self.shortlists if dummies else self.says
        shown = [("dummy " if s in self.dummies else "") + space.show(s) for s in shortlists]
        return (
            (" | ".join(shown) or "nothing") + (" | …" if self.open else "") + (" (inferred)" if self.inferred else "")
        )

    def to_json(self, space: LabelSpace) -> dict[str, Any]:
        return {
            "shortlists": [list(space.ordered(s)) for s in self.shortlists],
            "dummies": [list(space.ordered(s)) for s in self.shortlists if s in self.dummies],
            "inferred": self.inferred,
            **({"open": True} if self.open else {}),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Codomain:
        return cls(
            tuple(frozenset(names) for names in record["shortlists"]),
            frozenset(frozenset(names) for names in record["dummies"]),
            bool(record["inferred"]),
            bool(record.get("open", False)),
        )


@lru_cache(maxsize=4096)  # parts of one table have the same codomains, thousands of times
def check_codomain(codomain: Codomain, space: LabelSpace) -> None:
    """Raise unless these are different shortlists of the space that meet the paper's conditions."""
    for shortlist in codomain.shortlists:
        space.shortlist(shortlist)
    different = set(codomain.shortlists)
    if len(different) < len(codomain.shortlists) or not codomain.dummies <= different:
        raise BadShortlist(f"shortlists are repeated, or a dummy is not among them: {codomain.show(space)}")
    missing = missing_dummy(codomain.shortlists, space)
    if missing is not None:
        raise BadShortlist(
            f"{codomain.show(space)} leaves a class out of all shortlists, or has one in all of them; "
            f"Codomain.declare adds the dummy {space.show(missing)}"
        )


def missing_dummy(shortlists: Sequence[Shortlist], space: LabelSpace) -> Shortlist | None:
    """The shortlist that mends the paper's two conditions on T(G), or None where they hold.

    When some class is in no shortlist, the dummy is all such classes (it then leaves out every class that is
    in all shortlists, too); otherwise, when some class is in all of them, it is every class that is not.
    """
    if not shortlists:
        return None
    everything = frozenset(space.names)
    nowhere = everything.difference(*shortlists)
    if nowhere:
        return nowhere
    everywhere = everything.intersection(*shortlists)
    return everything - everywhere if everywhere else None


def infer_codomain(seen: set[Shortlist], space: LabelSpace, *, open: bool = False) -> Codomain:
    """The codomain of a labeler from the shortlists it was seen to answer, in an order that depends on them alone."""
    ordered = sorted(seen, key=lambda s: (len(s), [space.position(name) for name in space.ordered(s)]))
    return Codomain.declare(ordered, space, inferred=True, open=open)


# -- failures ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failure:
    """Number of rows a labeler failed on while it was applied with `on_error="abstain"`, and the first traceback."""

    count: int
    first: str

    @property
    def last_line(self) -> str:
        """The first error in one line."""
        return self.first.strip().splitlines()[-1] if self.first.strip() else "unknown"


def merged_failure(failures: Iterable[Failure | None]) -> Failure | None:
    """The failures of one labeler over several parts: counts add up, the first traceback is kept."""
    real = [failure for failure in failures if failure]
    return Failure(sum(failure.count for failure in real), real[0].first) if real else None


def failed_alike(names: Iterable[str], failures: Iterable[Failure | None]) -> Iterator[tuple[list[str], Failure]]:
    """Labelers that failed, grouped by their first error (a feature may fail for several), and the largest failure."""
    groups: dict[str, list[tuple[str, Failure]]] = {}
    for name, failure in zip(names, failures, strict=True):
        if failure:
            groups.setdefault(failure.first, []).append((name, failure))
    for group in groups.values():
        yield [name for name, _ in group], max((failure for _, failure in group), key=lambda failure: failure.count)


def failure_notes(names: Iterable[str], failures: Iterable[Failure | None]) -> list[str]:
    """A sentence for each kind of failure: the labelers, the number of rows, and the first error."""
    return [
        f"{'labeler' if len(alike) == 1 else 'labelers'} {some_of(map(repr, alike))} failed on "
        f"{number_of(failure.count, 'row')} and abstained there: {failure.last_line}"
        for alike, failure in failed_alike(names, failures)
    ]
