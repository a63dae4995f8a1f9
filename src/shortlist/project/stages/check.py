"""check: whether accuracies can be learned from these votes alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shortlist.project.stages.stage import Facts, Stage

if TYPE_CHECKING:
    from shortlist.identifiability import Diagnosis
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


class Check(Stage):
    """The diagnosis that the report shows, too."""

    name = "check"
    help = "Can accuracies be learned from votes alone?"
    needs = ("vote",)

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("check.json",)

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.identifiability import diagnose
        from shortlist.project.kept.state import write_json

        found = diagnose(session.tally.votes)
        write_json(paths[0], found.to_dict())
        session.results[self.name] = found
        return {"identifiable": found.identifiable, "findings": found.findings}

    def load(self, paths: Sequence[Path], settings: Settings) -> Diagnosis:  # noqa: ARG002
        import json

        from shortlist.identifiability import Diagnosis

        return Diagnosis.from_dict(json.loads(paths[0].read_text("utf-8")))

    def tell(self, facts: Facts) -> str:
        return str(facts["findings"][0]).split(":")[0]
