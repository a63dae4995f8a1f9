"""Certificate: a split of the labelers, with the shortlists that prove it. Anyone can check it by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shortlist.identifiability.intersection import Deadline, choose
from shortlist.identifiability.labeler_masks import LabelerMasks, names
from shortlist.labelspace import LabelSpace, Shortlist
from shortlist.votes import Codomain

Split = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
Choice = Mapping[str, Shortlist]  # labeler → the shortlist chosen for it


@dataclass(frozen=True)
class Certificate:
    """S1, S2 and S3 by the names of the labelers; for S1 and for S2, class by class, a shortlist of each labeler."""

    split: Split
    choices: tuple[Mapping[str, Choice], Mapping[str, Choice]]
    dummies: bool  # whether dummies may be among the chosen

    @classmethod
    def of(cls, groups: Sequence[Sequence[LabelerMasks]], space: LabelSpace, *, dummies: bool) -> Certificate:
        """The certificate of a split that is known to hold."""
        never = Deadline(float("inf"))
        choices = []
        for group in groups[:2]:
            chosen = {name: choose(group, y, never) for y, name in enumerate(space)}
            choices.append(
                {
                    name: {labeler.name: names(t, space) for labeler, t in zip(group, found or (), strict=True)}
                    for name, found in chosen.items()
                }
            )
        s1, s2, s3 = (tuple(labeler.name for labeler in group) for group in groups)
        return cls((s1, s2, s3), (choices[0], choices[1]), dummies)

    def to_dict(self, space: LabelSpace) -> dict[str, Any]:
        shown = [
            {y: {name: list(space.ordered(t)) for name, t in choice.items()} for y, choice in choices.items()}
            for choices in self.choices
        ]
        return {"split": [list(group) for group in self.split], "choices": shown, "dummies": self.dummies}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Certificate:
        s1, s2, s3 = (tuple(group) for group in record["split"])
        first, second = (
            {y: {name: frozenset(t) for name, t in choice.items()} for y, choice in choices.items()}
            for choices in record["choices"]
        )
        return cls((s1, s2, s3), (first, second), record["dummies"])


def verify(certificate: Certificate, codomains: Mapping[str, Codomain], space: LabelSpace) -> bool:
    """Whether a certificate proves what Theorem 1 asks. A vote rules out what its labeler could name and did not."""
    says = {name: c.shortlists if certificate.dummies else c.says for name, c in codomains.items()}
    named = {name: frozenset[str]().union(*said) for name, said in says.items()}
    if not all(certificate.split) or sorted(i for group in certificate.split for i in group) != sorted(codomains):
        return False
    for group, choices in zip(certificate.split[:2], certificate.choices, strict=True):
        for y in space:
            if set(choices[y]) != set(group) or any(choices[y][i] not in says[i] for i in group):
                return False
            if frozenset[str]().union(*(named[i] - choices[y][i] for i in group)) != frozenset(space) - {y}:
                return False
    free = {y for i in certificate.split[2] for y in named[i] if not all(y in t for t in says[i])}
    return len(free) >= len(space) - 1
