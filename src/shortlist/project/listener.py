"""Listener: who is told how a run goes on; this one does not listen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shortlist.project.stages.outcome import Outcome


class Listener:
    """Told when a stage begins, goes on and ends, and when another run has to be waited for."""

    def waiting(self, process: str) -> None:
        """Another process works in the folder."""

    def working_on(self, engine: str, workers: int, dashboard: str | None) -> None:
        """The work is done by an engine, with so many workers; the dashboard is the address of its own page."""

    def begin(self, stage: str, rows: int | None = None) -> None:
        """A stage has work to do, on so many rows where that is known."""

    def note(self, line: str) -> None:
        """Something the user should know before a stage goes on. It is among the notes of the outcome, too."""

    def advance(self, rows: int) -> None:
        """So many more rows are done."""

    def tell(self, line: str) -> None:
        """How the work goes, in one line that takes the place of the one before."""

    def end(self, outcome: Outcome) -> None:
        """A stage is done, or was found to be up to date."""
