"""Checkup: what to do about labelers, and whether their accuracies can be learned at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from shortlist.identifiability import Diagnosis
from shortlist.identifiability.findings import REMEDY
from shortlist.reporting.advising.advice import Advice

GAINS = "in rows that the label model labels right. Do one, then run again: gains do not add up."

WITH_GOLD = "Your gold labels take part in the fit, and help with what votes leave open."
PRIOR = "There, the model falls back on its prior"


@dataclass(frozen=True, repr=False)
class Checkup:
    """A to-do list in its `order`, and the doctor's diagnosis, whose theory is for those who ask why."""

    rows: int
    advice: tuple[Advice, ...]
    diagnosis: Diagnosis
    right: float | None = None  # of gold rows with a vote, the share whose label is right, where there are any
    gold_fits: bool = False  # whether known classes take part in the fit

    @property
    def identifiable(self) -> bool | None:
        """Whether accuracies can be learned from votes alone; None where that is not decided."""
        return self.diagnosis.identifiable

    @property
    def in_project(self) -> Checkup:
        """The same for who works in a project folder: its commands stand beside the code."""
        return replace(self, advice=tuple(one.in_project for one in self.advice))

    @property
    def verdict(self) -> str:
        """Whether accuracies can be learned from votes alone, and whether that asks for anything."""
        finding = self.diagnosis.findings[0]
        if self.right is None:
            return finding
        if self.advice or self.identifiable is not False:
            scored = f"{PRIOR}; your gold labels show how good the labels are."
            return finding.replace(REMEDY, WITH_GOLD if self.gold_fits else scored)
        finding = finding.replace(REMEDY, WITH_GOLD if self.gold_fits else f"{PRIOR}.")
        return f"You need not act on this: gold rows show how good the labels are. {finding}"

    @property
    def order(self) -> str:
        """In which order there is something to do: what is broken, or has to be known, goes before what gains most."""
        if all(one.gain is None for one in self.advice):
            return "Do one, then run again."
        if self.advice[0].gain is None:
            return f"First what other steps depend on, then the largest gain, {GAINS}"
        return f"The largest gain first, {GAINS}"

    def lines(self) -> Iterator[str]:
        """The to-do list, as a terminal shows it."""
        if not self.advice:
            known = (
                ""
                if self.right is None
                else f"the labels are right on {self.right:.1%} of the gold rows with a vote, and "
            )
            yield f"Nothing to do: {known}no change that was tried sets more rows right."
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

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        items = "".join(
            f"<li><b>{escape(one.what)}</b> {escape(one.why)} <i>{escape(one.show_gain(self.rows))}</i>"
            f"<pre>{escape(one.code)}</pre></li>"
            for one in self.advice
        )
        todo = f"<ol>{items}</ol>" if items else f"<p>{escape(next(self.lines()))}</p>"
        return f"<div><b>What to do</b>{todo}{self.diagnosis._repr_html_()}</div>"

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: the diagnosis, and the advice beside it."""
        return {
            "rows": self.rows,
            "right": self.right,
            "gold_fits": self.gold_fits,
            "advice": [one.to_dict() for one in self.advice],
            **self.diagnosis.to_dict(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Checkup:
        """What `to_dict` gave."""
        advice = tuple(Advice(**one) for one in record["advice"])
        return cls(record["rows"], advice, Diagnosis.from_dict(record), record["right"], record.get("gold_fits", False))
