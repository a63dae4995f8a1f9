"""History: how good the labels were after each run, kept in .shortlist/history.json, so that runs can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shortlist.project.kept.state import write_json
from shortlist.project.stages.outcome import Outcome

FORMAT = 3  # 1: rows without a vote counted as right or wrong; 2: did not say on how many gold rows
MOST = 200  # runs that are remembered

Figures = dict[str, float]  # "label model", "counting votes" and "classifier": shares of gold rows; "covered": of all


@dataclass(frozen=True)
class Run:
    """The figures of one run, and what has to be the same for two of them to be compared.

    gold_rows, gold_voted   how many rows have a known class, and how many of these a vote
    too_high                figures of those who learned from the rows that they are scored on
    """

    figures: Figures
    gold_rows: int = 0
    gold_voted: int = 0
    too_high: tuple[str, ...] = ()

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Run:
        """What the stages of a run found."""
        facts = {one.stage: one.facts for one in outcomes}
        fit, predicted = facts.get("fit", {}), facts.get("predict", {})
        rows = int(fit.get("gold_rows", 0) or predicted.get("gold_rows", 0))
        too_high = ("classifier",) if fit.get("gold_used") else ()
        return cls(figures_of(outcomes), rows, int(fit.get("gold_voted", rows)), too_high)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Run:
        """What `asdict` gave."""
        figures = {str(name): float(share) for name, share in record["figures"].items()}
        too_high = tuple(str(name) for name in record["too_high"])
        return cls(figures, int(record["gold_rows"]), int(record["gold_voted"]), too_high)


class History:
    """The runs so far, the last one at the end. A file that cannot be read counts as none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: list[Run] = []
        try:
            found = json.loads(path.read_text("utf-8"))
            if found["format"] == FORMAT:
                self.runs = [Run.from_dict(run) for run in found["runs"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.runs = []

    def add(self, run: Run) -> None:
        """Remember a run; on disk in one step."""
        self.runs = [*self.runs, run][-MOST:]
        write_json(self.path, {"format": FORMAT, "runs": [asdict(run) for run in self.runs]})

    @property
    def change(self) -> dict[str, tuple[float, float]]:
        """Figure → what it was a run before and what it is now, where that differs and neither is too high."""
        if len(self.runs) < 2:
            return {}
        before, now = self.runs[-2:]
        names = [name for name in now.figures if name in before.figures and name not in before.too_high + now.too_high]
        both = {name: (before.figures[name], now.figures[name]) for name in names}
        return {name: pair for name, pair in both.items() if round(pair[0], 3) != round(pair[1], 3)}

    @property
    def other_gold(self) -> str:
        """Whether the figures of the last two runs are of different numbers of gold rows, in words; else nothing."""
        if len(self.runs) < 2:
            return ""
        before, now = self.runs[-2:]
        if before.gold_rows != now.gold_rows:
            return f"{before.gold_rows:,} → {now.gold_rows:,} gold rows"
        if before.gold_voted != now.gold_voted:
            return f"{before.gold_voted:,} → {now.gold_voted:,} gold rows with a vote"
        return ""


def figures_of(outcomes: Iterable[Outcome]) -> Figures:
    """What the stages of a run found, as far as it says how good the labels are."""
    facts = {one.stage: one.facts for one in outcomes}
    found = {
        "label model": facts.get("fit", {}).get("accuracy"),
        "counting votes": facts.get("fit", {}).get("counting"),
        "classifier": facts.get("predict", {}).get("accuracy"),
        "covered": facts.get("vote", {}).get("covered"),
    }
    return {name: float(share) for name, share in found.items() if share is not None}
