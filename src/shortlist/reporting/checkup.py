"""Checkup: what to do about labelers, and whether their accuracies can be learned at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from shortlist.identifiability import Diagnosis
from shortlist.identifiability.findings import REMEDY


@dataclass(frozen=True)
class Advice:
    """One thing to do.

    what, why   what to do, and the reason for it
    code        the line that does it
    command     in a project: the command that does it, or shows the rows in question
    gain        rows that are expected to be set right; None where that is not known
    measured    whether rows with a known class show the gain; else it is an estimate
    gold_rows   how many of them do
    about       the labeler, or the class, that it is about
    """

    kind: str
    what: str
    why: str
    code: str
    gain: float | None = None
    measured: bool = False
    gold_rows: int = 0
    command: str = ""
    about: str = ""

    @property
    def in_project(self) -> Advice:
        """This advice with its command beside the code, or in its place."""
        if self.kind in ("uncovered", "label", "contradiction"):
            return replace(self, code=self.command)
        return replace(self, code=f"{self.code}\n# see such rows: {self.command}") if self.command else self

    def show_gain(self, m: int) -> str:
        """The gain in words; empty where it is not known."""
        if self.gain is None:
            return ""
        how = f"measured on {self.gold_rows:,} gold rows" if self.gold_rows else "estimate"
        return f"About {self.gain:,.0f} more of {m:,} rows right ({how})"


@dataclass(frozen=True, repr=False)
class Checkup:
    """A to-do list in its `order`, and the diagnosis of identifiability."""

    rows: int
    advice: tuple[Advice, ...]
    diagnosis: Diagnosis
    right: float | None = None  # accuracy of the labels on gold rows with a vote, if there are any
    gold_fits: bool = False  # whether known classes take part in the fit
    agreement: str = ""  # of people who labelled the same rows
    to_add: str = ""  # what the labelers are worth, and what one more, or gold rows, would bring
    promise: str = ""  # which labels can be used as they are, or what is needed to know it

    @property
    def identifiable(self) -> bool | None:
        """True if accuracies can be learned from votes alone; None where that is not decided."""
        return self.diagnosis.identifiable

    @property
    def in_project(self) -> Checkup:
        """This checkup with the commands of a project beside the code."""
        return replace(self, advice=tuple(one.in_project for one in self.advice))

    @property
    def verdict(self) -> str:
        """A sentence that says if accuracies can be learned from votes alone, and if that asks for anything."""
        finding, settled = self.diagnosis.findings[0], not self.advice and self.identifiable is False
        if self.right is None:
            return finding
        shown = "" if settled else "; your gold labels show how good the labels are"
        remedy = f"There, the model falls back on its prior{shown}."
        if self.gold_fits:
            remedy = "Your gold labels take part in the fit, and help with what votes leave open."
        finding = finding.replace(REMEDY, remedy)
        return f"You need not act on this: gold rows show how good the labels are. {finding}" if settled else finding

    @property
    def order(self) -> str:
        """The order of the list: what is broken, or has to be known, goes before what gains most."""
        gains = "in rows of the final labels that are right. Do one, then run again: gains do not add up."
        if all(one.gain is None for one in self.advice):
            return "Do one, then run again."
        if self.advice[0].gain is None:
            return f"First what other steps depend on, then the largest gain, {gains}"
        return f"The largest gain first, {gains}"

    def lines(self) -> Iterator[str]:
        """The to-do list, for a terminal."""
        if not self.advice:
            right = f"the labels are right on {self.right or 0:.1%} of the gold rows, and "
            yield f"Nothing to do: {'' if self.right is None else right}no change that was tried sets more rows right."
            return
        yield f"What to do. {self.order}"
        for number, one in enumerate(self.advice, 1):
            yield f"{number}. {one.what}"
            yield f"   {one.why}"
            if one.gain is not None:
                yield f"   {one.show_gain(self.rows)}."
            yield from (f"       {line}" for line in one.code.splitlines())

    def __str__(self) -> str:
        return "\n".join([*self.lines(), "", self.verdict])

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the diagnosis, and the advice beside it."""
        facts = {"rows": self.rows, "right": self.right, "gold_fits": self.gold_fits, "to_add": self.to_add}
        facts |= {"agreement": self.agreement, "promise": self.promise}
        return facts | {"advice": [asdict(one) for one in self.advice]} | self.diagnosis.to_dict()

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Checkup:
        """The inverse of `to_dict`."""
        advice = tuple(Advice(**one) for one in record["advice"])
        rest = {name: record[name] for name in ("right", "gold_fits", "agreement", "to_add", "promise")}
        return cls(record["rows"], advice, Diagnosis.from_dict(record), **rest)
