"""check: what to do next, and whether accuracies can be learned from these votes alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.stages.score import model_score
from shortlist.project.stages.stage import Facts, Stage

if TYPE_CHECKING:
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings
    from shortlist.reporting.checkup import Checkup

TIME_LIMIT = 30.0  # seconds for the diagnosis


class Check(Stage):
    """The advice and the diagnosis that the report shows, too."""

    name = "check"
    help = "What to do next; can accuracies be learned from votes?"
    needs = ("vote", "fit")
    revision = 7  # goes up when the same votes give other advice

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("check.json",)

    def key(self, session: Session) -> Any:
        gold = session.settings.data.gold  # known classes measure what is advised
        return [
            self.revision,
            gold and [gold, session.data_digests()],
            session.gold_digest(),
            session.settings.gold_fits,
        ]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.project.code.places import Places
        from shortlist.project.kept.state import write_json
        from shortlist.reporting.advice import check
        from shortlist.reporting.overview import Overview

        overview = Overview(session.seen, scores=model_score(session), gold_fits=session.settings.gold_fits)
        found = check(overview, time_limit=TIME_LIMIT, snippets=Places(session.roster)).in_project
        write_json(paths[0], found.to_dict())
        session.results[self.name] = found
        return {"identifiable": found.identifiable, "verdict": found.diagnosis.status} | {
            "findings": found.diagnosis.findings,
            "advice": found.to_dict()["advice"],
            "notes": session.sample.notes,
        }

    def load(self, paths: Sequence[Path], settings: Settings) -> Checkup:  # noqa: ARG002
        import json

        from shortlist.reporting.checkup import Checkup

        return Checkup.from_dict(json.loads(paths[0].read_text("utf-8")))

    def tell(self, facts: Facts) -> str:
        count = len(facts["advice"])
        return f"{count or 'no'} suggestion{'' if count == 1 else 's'}; {facts['verdict']} from votes alone"
