"""Repair: the fewest shortlists that labelers would have to say besides, for Theorem 1 to hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shortlist.identifiability.theorem import Deadline, LabelerMasks, TimeUp, Variant, bits, solve
from shortlist.labelmodel.layout import Panel
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Codomain

PENALTY = 0.01  # among equally small repairs: first what a labeler's dummy already is, then other shortlists


@dataclass(frozen=True)
class Repair:
    """Shortlists a labeler would have to say besides; a labeler of None is a new one."""

    labeler: str | None
    shortlists: tuple[Shortlist, ...]

    def show(self, space: LabelSpace) -> str:
        shown = " and ".join(space.show(t) for t in self.shortlists)
        return f"a new labeler said {shown}" if self.labeler is None else f"{self.labeler} also said {shown}"


@dataclass(frozen=True)
class _Idea:
    """A labeler as it is, with a shortlist more, or new; and its cost."""

    owner: int
    labeler: str | None
    says: tuple[Shortlist, ...]
    added: tuple[Shortlist, ...] = ()
    cost: float = 0.0

    def masks(self, space: LabelSpace, *, dummies: bool) -> LabelerMasks:
        codomain = Codomain.declare([*self.says, *self.added], space)  # an addition changes the dummy
        shortlists = codomain.shortlists if dummies else codomain.says
        return LabelerMasks(self.labeler or "", tuple(bits(t, space) for t in shortlists), len(space))


def find_repairs(panel: Panel, deadline: Deadline, *, dummies: bool) -> tuple[tuple[Repair, ...], bool]:
    """The smallest additions, shortlists of labelers or new labelers, and True if that is proved.

    Candidates for a labeler are the classes it never names (its dummy) and the complements of what it says; where it
    says several things already, every class alone or left out, too. New labelers tell one class from the others, or
    name every class.
    """
    space = panel.space
    speaking = [(name, c.says) for name, c in zip(panel.names, panel.codomains, strict=True) if c.says]
    ideas = [idea for i, (name, says) in enumerate(speaking) for idea in _extended(i, name, says, space)]
    optional = frozenset(range(len(speaking), len(speaking) + 3))  # three that name every class are always enough
    ideas += [idea for owner in optional for idea in _new(owner, space)]
    by_effect: dict[Any, tuple[_Idea, Variant]] = {}
    try:
        for idea in ideas:
            deadline.check()
            masks = idea.masks(space, dummies=dummies)
            by_effect.setdefault((idea.owner, masks.effect), (idea, Variant(idea.owner, masks, idea.cost)))
    except TimeUp:
        return (), False
    ideas, variants = map(list, zip(*by_effect.values(), strict=True))
    solution = solve(variants, len(space), optional=optional, time_limit=deadline.left)
    if solution is None or solution == "impossible":
        return (), False
    taken = [ideas[v] for v in sorted(v for group in solution.groups for v in group)]
    return tuple(Repair(idea.labeler, idea.added) for idea in taken if idea.added), solution.proved


def _extended(owner: int, name: str, says: tuple[Shortlist, ...], space: LabelSpace) -> Iterator[_Idea]:
    yield _Idea(owner, name, says)
    everything = frozenset(space)
    candidates = [everything.difference(*says), *(everything - t for t in says)]
    if len(says) > 1:
        candidates += [t for y in space for t in (frozenset({y}), everything - {y})]
    for order, t in enumerate(dict.fromkeys(t for t in candidates if t and t not in says)):
        yield _Idea(owner, name, says, (t,), 1 + PENALTY * (order > 0) + PENALTY**2 * owner)


def _new(owner: int, space: LabelSpace) -> Iterator[_Idea]:
    everything = frozenset(space)
    yield _Idea(owner, None, (), tuple(frozenset({y}) for y in space), len(space) + PENALTY)
    if len(space) > 2:
        for y in space:
            yield _Idea(owner, None, (), (frozenset({y}), everything - {y}), 2 + PENALTY)
