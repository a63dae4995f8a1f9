"""Diagnosis: what the doctor found, for people first and for programs too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from shortlist.identifiability import findings
from shortlist.identifiability.certificate import Certificate, Split
from shortlist.identifiability.generic import Rank
from shortlist.identifiability.repair import Repair
from shortlist.identifiability.verdict import Pair, Verdict
from shortlist.labelspace import LabelSpace, Shortlist


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Whether Theorem 1 of the paper promises that the parameters can be learned from votes alone.

    `said` is the verdict on what labelers really say, and the headline; `letter` is the theorem to the letter, which
    counts the dummies as if they were said. False means that no split exists, so that the theorem promises nothing;
    None that there was not time enough to know.
    """

    space: LabelSpace
    says: Mapping[str, tuple[Shortlist, ...]]  # labeler → what it says
    dummies: Mapping[str, Shortlist]  # labeler → the shortlist added to meet the two conditions on T(G)
    unheard: Mapping[str, tuple[Shortlist, ...]]  # labeler → what it never said in the rows at hand
    said: Verdict
    letter: Verdict
    heard: Verdict | None  # the verdict on what was heard in the rows at hand, where that is less than is said
    inseparable_pairs: tuple[Pair, ...]  # no shortlist of anyone holds one without the other
    untold_pairs: tuple[Pair, ...]  # no vote rules out one and leaves the other standing
    prior_only: Mapping[str, tuple[str, ...]]  # labeler → classes whose accuracy only a prior can move from 0 or 1
    generic: Rank | None  # where Theorem 1 promises nothing: what votes determine at random values
    open: frozenset[str] = frozenset()  # labelers that may say any set of classes: people

    @property
    def identifiable(self) -> bool | None:
        """Without relying on shortlists that are never said."""
        return self.said.identifiable

    @property
    def status(self) -> Literal["identifiable", "not guaranteed", "not identifiable", "not decided"]:
        """The verdict in two words.

        "not guaranteed" where Theorem 1 does not apply and yet nothing shows that the votes leave a parameter open.
        """
        if self.identifiable is None:
            return "not decided"
        if self.identifiable:
            return "identifiable"
        open_ones = self.generic is not None and self.generic.rank < self.generic.parameters
        return "not identifiable" if open_ones else "not guaranteed"

    @property
    def identifiable_with_dummies(self) -> bool | None:
        """Theorem 1 to the letter."""
        return self.letter.identifiable

    @property
    def certificate(self) -> Certificate | None:
        """The split and the chosen shortlists, for `verify`."""
        return self.said.certificate

    @property
    def split(self) -> Split | None:
        """S1, S2 and S3."""
        return self.said.split

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Shortlists that, all said besides, would make it identifiable."""
        return self.said.repairs.additions

    @cached_property
    def findings(self) -> list[str]:
        """What there is to say: what to know and to do first, then why."""
        return list(findings.of(self))

    def __str__(self) -> str:
        first, *rest = self.findings
        return "\n".join([first, *(f"  - {finding}" for finding in rest)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """What notebooks show: the verdict and what to do; the theory is folded away."""
        from shortlist.wording import html_list

        why = list(findings.theory(self))
        known = self.findings[: len(self.findings) - len(why)]
        return f"<div>{html_list(known)}<details><summary>Theory</summary>{html_list(why)}</details></div>"

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        order = self.space.ordered
        return {
            "classes": list(self.space),
            "says": {name: [list(order(t)) for t in said] for name, said in self.says.items()},
            "dummies": {name: list(order(t)) for name, t in self.dummies.items()},
            "unheard": {name: [list(order(t)) for t in never] for name, never in self.unheard.items()},
            "identifiable": self.identifiable,
            "status": self.status,
            "identifiable_with_dummies": self.identifiable_with_dummies,
            "said": self.said.to_dict(self.space),
            "letter": self.letter.to_dict(self.space),
            "heard": self.heard.to_dict(self.space) if self.heard else None,
            "inseparable_pairs": [list(pair) for pair in self.inseparable_pairs],
            "untold_pairs": [list(pair) for pair in self.untold_pairs],
            "prior_only": {name: list(classes) for name, classes in self.prior_only.items()},
            "generic": self.generic._asdict() if self.generic else None,
            "open": sorted(self.open),
            "findings": list(self.findings),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Diagnosis:
        """What `to_dict` gave."""
        return cls(
            space=LabelSpace(record["classes"]),
            says=_shortlists(record["says"]),
            dummies={name: frozenset(t) for name, t in record["dummies"].items()},
            unheard=_shortlists(record["unheard"]),
            said=Verdict.from_dict(record["said"]),
            letter=Verdict.from_dict(record["letter"]),
            heard=Verdict.from_dict(record["heard"]) if record["heard"] else None,
            inseparable_pairs=tuple((a, b) for a, b in record["inseparable_pairs"]),
            untold_pairs=tuple((a, b) for a, b in record["untold_pairs"]),
            prior_only={name: tuple(classes) for name, classes in record["prior_only"].items()},
            generic=Rank(**record["generic"]) if record["generic"] else None,
            open=frozenset(record.get("open", ())),
        )


def _shortlists(record: Mapping[str, Any]) -> dict[str, tuple[Shortlist, ...]]:
    """Labeler → shortlists, from lists of names."""
    return {name: tuple(map(frozenset, shortlists)) for name, shortlists in record.items()}
