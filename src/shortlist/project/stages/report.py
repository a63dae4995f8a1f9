"""report: one HTML page about all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.stages.stage import Facts, Stage

if TYPE_CHECKING:
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings


class Report(Stage):
    """It shows the diagnosis that `check` made."""

    name = "report"
    help = "Write the one-page HTML report."
    needs = ("vote", "fit", "check")
    optional = True

    def outputs(self, settings: Settings) -> tuple[str, ...]:  # noqa: ARG002
        return ("report.html",)

    def key(self, session: Session) -> Any:
        return [session.data_digests(), asdict(session.settings.data)]

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.project.parts.finding import PartFinder
        from shortlist.reporting.overview import Overview
        from shortlist.reporting.page import write_page

        title = f"What the labelers of {session.folder.resolve().name} do"
        finder = PartFinder(session.rows, session.parts, session.settings.classes)
        overview = Overview(session.analysis, diagnosis=session.diagnosis, finder=finder)
        write_page(overview, session.rows.to_show(), paths[0], title)
        return {}
