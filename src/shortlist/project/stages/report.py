"""report: one HTML page about all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.stages.score import hard_rows, model_score
from shortlist.project.stages.stage import Facts, Stage

if TYPE_CHECKING:
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


class Report(Stage):
    """It shows the advice and the diagnosis that `check` made."""

    name = "report"
    help = "Write the one-page HTML report."
    needs = ("vote", "fit", "check")
    shows = ("predict",)
    optional = True
    revision = 3  # goes up when the same results are shown in another way

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("report.html",)

    def key(self, session: Session) -> Any:
        data = asdict(session.settings.data)
        return [self.revision, session.data_digests(), data, session.gold_digest(), self._spent(session)]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.reporting.overview import Overview
        from shortlist.reporting.page import write_page

        title = f"What the labelers of {session.folder.resolve().name} do"
        fits, scores, hard = session.settings.gold_fits, other_scores(self, session), hard_rows(session)
        overview = Overview(session.seen, scores=scores, gold_fits=fits, gold_hard=hard)
        spent, labelers = self._spent(session), session.roster.labelers
        write_page(overview, session.checkup, session.sample.rows, paths[0], title, labelers, spent)
        return {"notes": session.sample.notes}

    def _spent(self, session: Session) -> list[dict[str, Any]]:
        """What was spent on language models when votes were made, a line for each model and labeler."""
        record = session.state.records.get("vote")
        return [] if record is None else list(record.facts.get("spent", ()))


def other_scores(stage: Stage, session: Session) -> dict[str, float]:
    """How often the classifier is right on gold rows, where it was trained on what there is now.

    And the label model, as `fit` scored it: where gold rows take part in the fit, each half by the other.
    """
    from shortlist.project.stages.running import shown_facts

    share = shown_facts(stage, session).get("predict", {}).get("accuracy")
    return model_score(session) | ({} if share is None else {"classifier": share})
