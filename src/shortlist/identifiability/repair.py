"""Repair: the fewest shortlists that labelers would have to say besides, for Theorem 1 to hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shortlist.identifiability.intersection import Deadline, TimeUp
from shortlist.identifiability.labeler_masks import LabelerMasks, bits
from shortlist.identifiability.program import Variant, solve
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Codomain

NEW = 3  # three labelers that name every class are always enough
PENALTY = 0.01  # among equally small repairs: first what a labeler's dummy already is, then other shortlists


@dataclass(frozen=True)
class Repair:
    """Shortlists a labeler would have to say besides; a labeler of None is one to be written."""

    labeler: str | None
    shortlists: tuple[Shortlist, ...]

    def show(self, space: LabelSpace) -> str:
        said = " and ".join(space.show(t) for t in self.shortlists)
        return f"a new labeler said {said}" if self.labeler is None else f"{self.labeler} also said {said}"

    def to_dict(self, space: LabelSpace) -> dict[str, Any]:
        return {"labeler": self.labeler, "shortlists": [list(space.ordered(t)) for t in self.shortlists]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Repair:
        return cls(record["labeler"], tuple(frozenset(t) for t in record["shortlists"]))


@dataclass(frozen=True)
class Repairs:
    """Additions that mend the split when all are made; `smallest` is whether fewer would not do."""

    additions: tuple[Repair, ...] = ()
    smallest: bool = False


@dataclass(frozen=True)
class _Idea:
    """A labeler as it is, with a shortlist more, or new; and what it costs."""

    owner: int
    labeler: str | None
    said: tuple[Shortlist, ...]
    added: tuple[Shortlist, ...] = ()
    cost: float = 0.0

    def masks(self, space: LabelSpace, *, dummies: bool) -> LabelerMasks:
        codomain = Codomain.declare([*self.said, *self.added], space)  # with more to say, the dummy is another
        shortlists = codomain.shortlists if dummies else codomain.says
        return LabelerMasks(self.labeler or "", tuple(bits(t, space) for t in shortlists), len(space))


def find_repairs(
    labelers: Sequence[str], codomains: Sequence[Codomain], space: LabelSpace, deadline: Deadline, *, dummies: bool
) -> Repairs:
    """The smallest additions: one shortlist more for some labelers, and new labelers where that is not enough.

    Considered for a labeler are the classes it never names (its dummy) and the complements of what it says; where it
    says several things already, every class alone or left out, too. New labelers tell one class from the others, or
    name every class.
    """
    speaking = [(name, c.says) for name, c in zip(labelers, codomains, strict=True) if c.says]
    ideas = [idea for i, (name, said) in enumerate(speaking) for idea in _more(i, name, said, space)]
    optional = frozenset(range(len(speaking), len(speaking) + NEW))
    ideas += [idea for owner in optional for idea in _new(owner, space)]
    try:
        ideas, variants = _different(ideas, space, deadline, dummies=dummies)
    except TimeUp:
        return Repairs()
    solution = solve(variants, len(space), optional=optional, time_limit=deadline.left)
    if solution is None or solution == "impossible":
        return Repairs()
    taken = sorted(v for group in solution.groups for v in group)
    additions = tuple(Repair(ideas[v].labeler, ideas[v].added) for v in taken if ideas[v].added)
    return Repairs(additions, solution.proved)


def _different(
    ideas: list[_Idea], space: LabelSpace, deadline: Deadline, *, dummies: bool
) -> tuple[list[_Idea], list[Variant]]:
    """The ideas without those that do for a labeler what an earlier one does."""
    kept: dict[Any, tuple[_Idea, Variant]] = {}
    for idea in ideas:
        deadline.check()
        masks = idea.masks(space, dummies=dummies)
        kept.setdefault((idea.owner, masks.effect), (idea, Variant(idea.owner, masks, idea.cost)))
    return [idea for idea, _ in kept.values()], [variant for _, variant in kept.values()]


def _more(owner: int, name: str, said: tuple[Shortlist, ...], space: LabelSpace) -> Iterator[_Idea]:
    yield _Idea(owner, name, said)
    everything = frozenset(space)
    found = [everything.difference(*said), *(everything - t for t in said)]
    if len(said) > 1:
        found += [t for y in space for t in (frozenset({y}), everything - {y})]
    for order, t in enumerate(dict.fromkeys(t for t in found if t and t not in said)):
        yield _Idea(owner, name, said, (t,), 1 + PENALTY * (order > 0) + PENALTY**2 * owner)


def _new(owner: int, space: LabelSpace) -> Iterator[_Idea]:
    everything = frozenset(space)
    yield _Idea(owner, None, (), tuple(frozenset({y}) for y in space), len(space) + PENALTY)
    if len(space) > 2:
        for y in space:
            yield _Idea(owner, None, (), (frozenset({y}), everything - {y}), 2 + PENALTY)
