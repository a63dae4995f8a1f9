"""Verdict: what Theorem 1 says of a structure, read in one of two ways, and what stands in its way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shortlist.identifiability.certificate import Certificate, Split
from shortlist.identifiability.intersection import Deadline, TimeUp, singles_out
from shortlist.identifiability.labeler_masks import LabelerMasks, masks_of
from shortlist.identifiability.repair import Repair, Repairs, find_repairs
from shortlist.identifiability.split import By, find_split, scarce
from shortlist.labelspace import LabelSpace
from shortlist.votes import Codomain

Pair = tuple[str, str]
PATIENCE = 10.0  # seconds at most for a repair: a good suggestion soon beats a proof that it is smallest


@dataclass(frozen=True)
class Verdict:
    """True with its certificate, False, or None where time ran out; what decided it, and where not True, why not."""

    identifiable: bool | None
    certificate: Certificate | None
    by: By
    scarce: Mapping[Pair, tuple[str, ...]] = field(default_factory=dict)  # (y, c) → who rules c out while y stands
    unreachable: tuple[str, ...] = ()  # classes that not even all labelers together single out
    repairs: Repairs = field(default_factory=Repairs)

    @property
    def split(self) -> Split | None:
        return self.certificate.split if self.certificate else None

    def to_dict(self, space: LabelSpace) -> dict[str, Any]:
        return {
            "identifiable": self.identifiable,
            "decided_by": self.by,
            "certificate": self.certificate.to_dict(space) if self.certificate else None,
            "scarce": [[*pair, list(who)] for pair, who in self.scarce.items()],
            "unreachable": list(self.unreachable),
            "repairs": [repair.to_dict(space) for repair in self.repairs.additions],
            "repairs_smallest": self.repairs.smallest,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Verdict:
        return cls(
            identifiable=record["identifiable"],
            certificate=Certificate.from_dict(record["certificate"]) if record["certificate"] else None,
            by=record["decided_by"],
            scarce={(y, c): tuple(who) for y, c, who in record["scarce"]},
            unreachable=tuple(record["unreachable"]),
            repairs=Repairs(tuple(map(Repair.from_dict, record["repairs"])), record["repairs_smallest"]),
        )


def decide(
    labelers: Sequence[str], codomains: Sequence[Codomain], space: LabelSpace, deadline: Deadline, *, dummies: bool
) -> Verdict:
    """The verdict with dummies counted as if they were said (the theorem to the letter), or not."""
    heard = masks_of(labelers, codomains, space, dummies=dummies)
    found = find_split(heard, len(space), deadline)
    if found.groups is not None:
        return Verdict(True, Certificate.of(found.groups, space, dummies=dummies), found.by)
    return replace(_obstacles(heard, space, deadline), identifiable=False if found.decided else None, by=found.by)


def mended(
    verdict: Verdict, labelers: Sequence[str], codomains: Sequence[Codomain], space: LabelSpace, deadline: Deadline,
    *, dummies: bool,
) -> Verdict:  # fmt: skip
    """The verdict with the smallest repair, where it is False."""
    if verdict.identifiable is not False:
        return verdict
    soon = Deadline(min(deadline.at, Deadline.after(PATIENCE).at))
    return replace(verdict, repairs=find_repairs(labelers, codomains, space, soon, dummies=dummies))


def _obstacles(heard: Sequence[LabelerMasks], space: LabelSpace, deadline: Deadline) -> Verdict:
    pairs = {(space[y], space[c]): tuple(labeler.name for labeler in who) for y, c, who in scarce(heard, len(space))}
    able = [labeler for labeler in heard if labeler.shortlists]
    try:
        unreachable = tuple(name for y, name in enumerate(space) if not singles_out(able, y, deadline))
    except TimeUp:
        unreachable = ()
    return Verdict(None, None, "time limit", pairs, unreachable)
