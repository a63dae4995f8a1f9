"""Outcome: what became of a stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Status = Literal["done", "up to date", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """A stage, whether there was anything to do, the files it stands for, and what it found."""

    stage: str
    status: Status
    outputs: tuple[Path, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def notes(self) -> list[str]:
        """What the user should know besides."""
        return list(self.facts.get("notes", ()))

    @property
    def line(self) -> str:
        """What it found, as the stage tells it; empty where it was skipped."""
        from shortlist.project.stages import find_stage

        return "" if self.status == "skipped" else find_stage(self.stage).tell(self.facts)

    @property
    def doubtful(self) -> bool:
        """Whether what it found is too little, or too bad, to go on with."""
        from shortlist.project.stages import find_stage

        return self.status == "done" and find_stage(self.stage).doubtful(self.facts)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "stage": self.stage,
            "status": self.status,
            "outputs": [str(path) for path in self.outputs],
            "seconds": round(self.seconds, 3),
            **self.facts,
        }
