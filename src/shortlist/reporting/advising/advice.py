"""Advice: one thing to do, in plain words, with the line of code that does it and what it would bring."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

Kind = Literal[
    "failed", "silent", "unfinished", "leave out", "two-sided", "balance", "mixed", "uncovered", "use gold", "no gold",
    "label",
]  # fmt: skip


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

    kind: Kind
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
        """The same for who works in a project folder: its commands beside the code, or in its place."""
        by_command = self.kind in ("uncovered", "label")
        lines = [self.command] if by_command else [self.code, self.command and f"# see such rows: {self.command}"]
        return replace(self, code="\n".join(filter(None, lines)))

    def show_gain(self, m: int) -> str:
        """The gain in words; nothing where it is not known."""
        if self.gain is None:
            return ""
        if self.gold_rows:
            return f"{self.gain * self.gold_rows / m:,.0f} more of {self.gold_rows:,} gold rows right (measured)"
        return f"About {self.gain:,.0f} more of {m:,} rows right (estimate)"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
