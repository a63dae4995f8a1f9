"""History: figures of the labels after each run, in .shortlist/history.json, so that runs can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shortlist.project.cache import FORMAT, write_json
from shortlist.project.stages.stage import Outcome

Figures = dict[str, float]  # "label model", "counting votes" and "classifier": shares of gold rows; "covered": of all


@dataclass(frozen=True)
class Run:
    """The figures of one run, and what has to be equal for two runs to be compared.

    gold_rows, gold_voted   rows with a known class, and those of them with a vote
    too_high                figures of models that learned from the rows they are scored on
    """

    figures: Figures
    gold_rows: int = 0
    gold_voted: int = 0
    too_high: tuple[str, ...] = ()

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Run:
        facts = {one.stage: one.facts for one in outcomes}
        fit, predicted = facts.get("fit", {}), facts.get("predict", {})
        rows = int(fit.get("gold_rows", 0) or predicted.get("gold_rows", 0))
        figures = {
            "label model": fit.get("accuracy"),
            "counting votes": fit.get("counting"),
            "classifier": predicted.get("accuracy"),
            "covered": facts.get("vote", {}).get("covered"),
        }
        shares = {name: float(share) for name, share in figures.items() if share is not None}
        too_high = ("classifier",) if fit.get("gold_used") else ()
        return cls(shares, rows, int(fit.get("gold_voted", rows)), too_high)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Run:
        figures = {str(name): float(share) for name, share in record["figures"].items()}
        too_high = tuple(str(name) for name in record["too_high"])
        return cls(figures, int(record["gold_rows"]), int(record["gold_voted"]), too_high)


class History:
    """The runs so far, the latest at the end. A file that cannot be read counts as none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: list[Run] = []
        try:
            content = json.loads(path.read_text("utf-8"))
            if content["format"] == FORMAT:
                self.runs = [Run.from_dict(run) for run in content["runs"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.runs = []

    def add(self, run: Run, *, most: int = 200) -> None:
        """Add a run, of which the latest `most` are kept; on disk in one step."""
        self.runs = [*self.runs, run][-most:]
        write_json(self.path, {"format": FORMAT, "runs": [asdict(run) for run in self.runs]})

    @property
    def change(self) -> dict[str, tuple[float, float]]:
        """Figure → its value one run before and now, if these differ and neither is too high."""
        if len(self.runs) < 2:
            return {}
        before, now = self.runs[-2:]
        names = [name for name in now.figures if name in before.figures and name not in before.too_high + now.too_high]
        both = {name: (before.figures[name], now.figures[name]) for name in names}
        return {name: pair for name, pair in both.items() if round(pair[0], 3) != round(pair[1], 3)}

    @property
    def other_gold(self) -> str:
        """Note that the last two runs were scored on different numbers of gold rows; empty if not."""
        if len(self.runs) < 2:
            return ""
        before, now = self.runs[-2:]
        if before.gold_rows != now.gold_rows:
            return f"{before.gold_rows:,} → {now.gold_rows:,} gold rows"
        if before.gold_voted != now.gold_voted:
            return f"{before.gold_voted:,} → {now.gold_voted:,} gold rows with a vote"
        return ""
