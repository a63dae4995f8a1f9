"""History: how good the labels were after each run, kept in .shortlist/history.json, so that runs can be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from shortlist.project.kept.state import write_json
from shortlist.project.stages.outcome import Outcome

FORMAT = 2  # 1: rows without a vote counted as right or wrong
MOST = 200  # runs that are remembered

Figures = dict[str, float]  # "label model", "counting votes" and "classifier": shares of gold rows; "covered": of all


class History:
    """The figures of the runs so far, the last one at the end. A file that cannot be read counts as none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: list[Figures] = []
        try:
            found = json.loads(path.read_text("utf-8"))
            if found["format"] == FORMAT:
                self.runs = [{str(name): float(share) for name, share in run.items()} for run in found["runs"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.runs = []

    def add(self, figures: Figures) -> None:
        """Remember a run; on disk in one step."""
        self.runs = [*self.runs, figures][-MOST:]
        write_json(self.path, {"format": FORMAT, "runs": self.runs})

    @property
    def change(self) -> dict[str, tuple[float, float]]:
        """Figure → what it was a run before and what it is now, where that differs."""
        if len(self.runs) < 2:
            return {}
        before, now = self.runs[-2:]
        both = {name: (before[name], now[name]) for name in now if name in before}
        return {name: pair for name, pair in both.items() if round(pair[0], 3) != round(pair[1], 3)}


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
