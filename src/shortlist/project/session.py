"""Session: one run of a project. What several stages work with is loaded or computed here, once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.files import HIDDEN, data_files
from shortlist.project.kept.digest import Digests
from shortlist.project.kept.state import State
from shortlist.project.listener import Listener
from shortlist.project.settings import Settings
from shortlist.project.stages import find_stage

if TYPE_CHECKING:
    from shortlist.analysis import Analysis
    from shortlist.engines import Engine
    from shortlist.project.code.roster import Roster
    from shortlist.project.gold.file import GoldFile
    from shortlist.project.gold.known import Known
    from shortlist.project.kept.columns import VoteColumns
    from shortlist.project.rows import Rows
    from shortlist.reporting.checkup import Checkup
    from shortlist.votes import Votes


class Session:
    """A project as its files are at one moment.

    rows, roster, gold         what the project is about: read when they are first asked for
    votes, model, checkup,
    classifier                 what stages made: left here by the stage, or loaded from its file, once
    analysis                   votes, model and gold together; `analysis.distinct` holds the beliefs of all rows
    results                    stage → what it made, where it is in memory
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        digests: Digests,
        *,
        listener: Listener | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.folder, self.settings, self.digests = folder, settings, digests
        self.listener = listener or Listener()
        self.state = State(self.hidden / "state.json")
        self.results: dict[str, Any] = {}
        self._engine = engine

    @property
    def hidden(self) -> Path:
        """Where the project keeps what it need not do twice. It can be deleted at any time."""
        return self.folder / HIDDEN

    @cached_property
    def engine(self) -> Engine:
        """Where the work is done: the engine that was handed in, or the processes that [labelers] asks for."""
        from shortlist.engines import Local

        return self._engine or Local(self.settings.labelers.workers)

    # -- what the project is about ---------------------------------------------------------------------

    @cached_property
    def rows(self) -> Rows:
        """The rows of all data files."""
        from shortlist.project.rows import Rows

        return Rows(self.folder, self.settings, self.digests, self.hidden / "rows")

    @cached_property
    def roster(self) -> Roster:
        """The labelers of shortlist.toml and labelers.py."""
        from shortlist.project.code.roster import gather

        return gather(self.folder, self.settings, self.digests)

    @cached_property
    def columns(self) -> VoteColumns:
        """The votes of each labeler on each segment of rows, as far as they are known."""
        from shortlist.project.kept.columns import VoteColumns

        return VoteColumns(self.hidden / "votes")

    def prepare(self) -> None:
        """Let labelers do what they do before any row is voted on: those that ask a model ask it here."""
        from shortlist.project.preparing import prepared

        self.roster = prepared(self.roster, self.rows, self.columns, self.listener.tell)
        self.listener.tell("vote")

    @property
    def gold_file(self) -> GoldFile:
        """Where what people say about rows is kept."""
        from shortlist.project.gold.file import GoldFile

        return GoldFile(self.folder / self.settings.data.gold_file)

    @cached_property
    def known(self) -> Known:
        """What people know about rows: the gold column of the data, and the gold file over it."""
        from shortlist.project.gold.known import known

        return known(self.rows, self.gold_file, self.settings.classes)

    def gold_said(self, row: int, classes: Sequence[str]) -> None:
        """Take in what was just said about one row and written to the gold file, without reading all again."""
        self.known = self.known.with_said(row, classes)
        if "analysis" in self.__dict__:
            self.analysis = self.analysis.with_one_more(row, self.known.classes[row] if self.known.classes else None)

    def gold_changed(self) -> None:
        """Read again what people know. Votes and model stay; what was worked out with the old gold is forgotten."""
        self.__dict__.pop("known", None)
        if "analysis" in self.__dict__:
            self.analysis = self.analysis.with_gold(self.gold)

    @property
    def gold(self) -> list[str | None] | None:
        """Known classes by row, where there are any. They score; they fit only where the toml says so."""
        return self.known.classes

    # -- what stages made ------------------------------------------------------------------------------

    def result(self, stage: str) -> Any:
        """What a stage made: in this run, or else as it is on disk."""
        if stage not in self.results:
            found = find_stage(stage)
            self.results[stage] = found.load(found.paths(self.folder, self.settings), self.settings)
        return self.results[stage]

    @property
    def votes(self) -> Votes:
        """What every labeler says about every row."""
        votes: Votes = self.result("vote")
        return votes

    @property
    def model(self) -> Any:
        """The fitted label model."""
        return self.result("fit")

    @property
    def checkup(self) -> Checkup:
        """What to do next, and whether accuracies can be learned from votes alone."""
        checkup: Checkup = self.result("check")
        return checkup

    @property
    def classifier(self) -> Any:
        """The classifier trained on the beliefs."""
        return self.result("train")

    @cached_property
    def analysis(self) -> Analysis:
        """What the votes, the model and known classes show. Beliefs are computed once, for rows that differ."""
        from shortlist.analysis import Analysis

        return Analysis(self.votes, self.model, gold=self.gold)

    # -- files -----------------------------------------------------------------------------------------

    def gold_digest(self) -> str | None:
        """The content of the gold file, in one word; None where there is none."""
        path = self.gold_file.path
        return self.digests.of(path) if path.exists() else None

    def data_digests(self) -> list[str]:
        """The content of the data files, one word each."""
        return [self.digests.of(path) for path in data_files(self.folder, self.settings)]
