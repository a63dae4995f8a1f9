"""LabelerMasks: the shortlists of one labeler as bit masks, and what its votes rule out. Theorem 1 reads no more.

A set of classes is an integer here, with one bit for each class. So splits of hundreds of labelers are found quickly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_, or_

from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Codomain


@dataclass(frozen=True)
class LabelerMasks:
    """What a labeler can say, as sets of classes.

    A vote *rules out* the classes the labeler could have named and did not. With the dummies counted, a labeler
    can name every class, so a shortlist rules out all it does not hold, and this is the theorem to the letter.
    Without them, a labeler that only ever says {NUM} rules nothing out: its answer is known before it votes.
    """

    name: str
    shortlists: tuple[int, ...]
    k: int

    @cached_property
    def named(self) -> int:
        """The classes in some shortlist."""
        return reduce(or_, self.shortlists, 0)

    @cached_property
    def free(self) -> int:
        """The classes it can be both right and wrong about: those whose accuracy is a parameter."""
        return self.named & ~reduce(and_, self.shortlists, -1)

    @cached_property
    def options(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each class y, the votes that leave y standing and rule out most: (classes ruled out, shortlist)."""
        return tuple(tuple(self._options(1 << y)) for y in range(self.k))

    def _options(self, y: int) -> Iterable[tuple[int, int]]:
        by_effect = {self.named & ~t: t for t in reversed(self.shortlists) if not self.named & ~t & y}
        for out, t in by_effect.items():
            if not any(out != other and out & ~other == 0 for other in by_effect):
                yield out, t

    @cached_property
    def reach(self) -> tuple[int, ...]:
        """For each class y, the classes that some vote rules out while y stands."""
        return tuple(reduce(or_, (out for out, _ in options), 0) for options in self.options)

    @cached_property
    def effect(self) -> tuple[frozenset[int], ...]:
        """All that a split can depend on: what may be ruled out for each class, and which classes are free."""
        return (*(frozenset(out for out, _ in options) for options in self.options), frozenset({self.free}))

    @property
    def powerless(self) -> bool:
        """Whether no vote of this labeler rules anything out."""
        return not any(self.reach)


def bits(classes: Iterable[str], space: LabelSpace) -> int:
    """A set of names as an integer."""
    return sum(1 << space.position(name) for name in classes)


def names(mask: int, space: LabelSpace) -> Shortlist:
    """The set of names an integer stands for."""
    return frozenset(name for j, name in enumerate(space) if mask >> j & 1)


def masks_of(
    labelers: Sequence[str], codomains: Sequence[Codomain], space: LabelSpace, *, dummies: bool
) -> tuple[LabelerMasks, ...]:
    """All labelers, with their dummies as if they were said, or with what they say only."""
    return tuple(
        LabelerMasks(name, tuple(bits(t, space) for t in (c.shortlists if dummies else c.says)), len(space))
        for name, c in zip(labelers, codomains, strict=True)
    )
