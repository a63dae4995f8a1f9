"""Session: one run of a project. What several stages work with is loaded or computed here, once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import BadFile
from shortlist.project.files import HIDDEN, data_files
from shortlist.project.kept.digest import Digests
from shortlist.project.kept.state import State
from shortlist.project.listener import Listener
from shortlist.project.settings import Settings
from shortlist.project.stages import find_stage

if TYPE_CHECKING:
    from shortlist.analysis import Analysis
    from shortlist.engines import Engine
    from shortlist.labelmodel.evidence import Evidence, EvidenceSum
    from shortlist.project.code.roster import Roster
    from shortlist.project.gold.file import GoldFile
    from shortlist.project.gold.known import Known
    from shortlist.project.kept.columns import VoteColumns
    from shortlist.project.parts.sampling import Sample
    from shortlist.project.rows import Rows
    from shortlist.reporting.checkup import Checkup
    from shortlist.votes import Votes
    from shortlist.votes.vote_parts import VoteParts


AT_ONCE = 8  # files that are fetched from a store at the same time


class Session:
    """A project as its files are at one moment.

    rows, roster               what the project is about: read when they are first asked for
    parts, model, checkup,
    classifier                 what stages made: left here by the stage, or loaded from its file, once
    tally                      the votes and known classes of all rows, counted: no larger than the rows that differ
    sample, seen               the rows that a check and a report look at: all, or a million of more; with the model
    votes, known, analysis     the same row by row, in memory: for people who look at rows
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
        """Where the work is done: the engine that was handed in, or the one that [engine] asks for."""
        from shortlist.engines import Local, make_engine

        chosen = self.settings.engine
        if self._engine is None and chosen.kind == "local":
            return Local(chosen.workers or self.settings.labelers.workers)
        engine = self._engine or make_engine(chosen.kind, chosen.address, chosen.workers)
        self.listener.working_on(type(engine).__name__, engine.workers, getattr(engine, "dashboard", None))
        return engine

    def fetch(self) -> None:
        """Fetch data files that are in a store elsewhere, where they are new or have changed."""
        from shortlist.engines import Threads
        from shortlist.project.kept.stores import Stores, is_url

        given = [name for name in self.settings.data.files if is_url(name)]
        if given:
            engine = Threads(AT_ONCE) if self.settings.engine.kind == "local" else self.engine
            try:
                Stores(self.hidden).fetch(given, engine)
            except BadFile as error:
                raise self.settings.toml.wrong(error.message, "data", "files") from error

    def close(self) -> None:
        """End the engine, where it was started here."""
        engine = vars(self).get("engine")
        if engine is not None and self._engine is None and hasattr(engine, "close"):
            engine.close()

    # -- what the project is about ---------------------------------------------------------------------

    @cached_property
    def rows(self) -> Rows:
        """The rows of all data files."""
        from shortlist.project.rows import Rows

        self.data_digests()
        rows = Rows(self.folder, self.settings, self.digests, self.hidden / "rows")
        if self.settings.engine.kind != "local":
            from shortlist.project.parts.surveying import count_files

            rows.counts = count_files(self.engine, rows)
        return rows

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
        known = self.known.with_said(row, classes)
        self._forget_gold()
        self.known = known
        if "analysis" in self.__dict__:
            self.analysis = self.analysis.with_one_more(row, self.known.classes[row] if self.known.classes else None)

    def gold_changed(self) -> None:
        """Read again what people know. Votes and model stay; what was worked out with the old gold is forgotten."""
        self._forget_gold()
        if "analysis" in self.__dict__:
            self.analysis = self.analysis.with_gold(self.gold)

    def _forget_gold(self) -> None:
        for name in ("known", "said", "counted", "tally", "sample", "seen"):
            self.__dict__.pop(name, None)

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
    def parts(self) -> VoteParts:
        """What every labeler says about every row, in files of some rows each."""
        parts: VoteParts = self.result("vote")
        return parts

    @cached_property
    def votes(self) -> Votes:
        """The same in memory. No stage needs it."""
        return self.parts.whole(self.rows.ids())

    @cached_property
    def counted(self) -> EvidenceSum:
        """Rows with equal votes and equal known class, and how many of each there are; a sample, where too many differ.

        `counted.sampled` says whether it is one.
        """
        from shortlist.project.parts.counting import count_rows

        return count_rows(self.rows, self.parts, self.settings.classes, self.engine, said=self.said)

    @cached_property
    def tally(self) -> Evidence:
        """The same as evidence: all that a fit, a check and a report are made from."""
        return self.counted.total()

    @property
    def has_gold(self) -> bool:
        """Whether some row has a known class. They score; they fit only where the toml says so."""
        return bool((self.tally.gold >= 0).any())

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
    def sample(self) -> Sample:
        """The rows that people are shown tables and examples of: all, or an evenly spread million of more."""
        from shortlist.project.parts.sampling import sample_of

        return sample_of(self)

    @cached_property
    def seen(self) -> Analysis:
        """What the sample, the model and known classes show."""
        from shortlist.analysis import Analysis

        if len(self.sample.votes) == self.sample.of:
            return self.analysis
        return Analysis(self.sample.votes, self.model, gold=self.sample.gold)

    @cached_property
    def said(self) -> dict[int, int]:
        """What the gold file says about rows: row → position of its class, −1 where that is open."""
        from shortlist.project.gold.known import said_positions

        return said_positions(self.rows, self.gold_file, self.settings.classes)

    @cached_property
    def analysis(self) -> Analysis:
        """The same row by row, in memory: for people who look at rows. No stage needs it."""
        from shortlist.analysis import Analysis

        return Analysis(self.votes, self.model, gold=self.gold)

    # -- files -----------------------------------------------------------------------------------------

    def gold_digest(self) -> str | None:
        """The content of the gold file, in one word; None where there is none."""
        path = self.gold_file.path
        return self.digests.of(path) if path.exists() else None

    def data_digests(self) -> list[str]:
        """The content of the data files, one word each. Those that are not known are read by workers or threads."""
        paths = data_files(self.folder, self.settings)
        if unknown := self.digests.unknown(paths):
            from shortlist.engines import Threads
            from shortlist.engines.engine import machine_cores
            from shortlist.project.parts.surveying import digest_files

            local = self.settings.engine.kind == "local"
            digest_files(Threads(machine_cores()) if local else self.engine, self.digests, unknown)
        return [self.digests.of(path) for path in paths]
