"""Session: one run of a project. What several stages work with is loaded or computed here, once."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.project.files import data_files
from shortlist.project.kept.digest import Digests
from shortlist.project.kept.state import State
from shortlist.project.listener import Listener
from shortlist.project.settings import Settings
from shortlist.project.stages import Stage, find_stage

if TYPE_CHECKING:
    from shortlist.analysis import Analysis
    from shortlist.engines import Engine
    from shortlist.identifiability import Diagnosis
    from shortlist.labelmodel.formulae.evidence import Evidence, EvidenceSum
    from shortlist.project.code.roster import Roster
    from shortlist.project.kept.columns import VoteColumns
    from shortlist.project.rows import Rows
    from shortlist.votes import Votes
    from shortlist.votes.parts import VoteParts

HIDDEN = ".shortlist"


class Session:
    """A project as its files are at one moment.

    rows, roster               what the project is about: read when they are first asked for
    parts, model, diagnosis,
    classifier                 what stages made: left here by the stage, or loaded from its file, once
    tally                      the votes and known classes of all rows, counted: no larger than the rows that differ
    analysis                   tally and model together; `analysis.distinct` holds the beliefs of all rows
    votes                      what every labeler says about every row, in memory: for people who ask for it
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
        more = {"gpus": chosen.gpus} if chosen.gpus else {}
        engine = self._engine or make_engine(chosen.kind, chosen.address, chosen.workers, **more)
        self.listener.working_on(type(engine).__name__, engine.workers, getattr(engine, "dashboard", None))
        return engine

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

    # -- what stages made ------------------------------------------------------------------------------

    def result(self, stage: str) -> Any:
        """What a stage made: in this run, or else as it is on disk."""
        if stage not in self.results:
            found = find_stage(stage)
            self.results[stage] = found.load(self.paths(found), self.settings)
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

        return count_rows(self.rows, self.parts, self.settings.classes, self.engine)

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
    def diagnosis(self) -> Diagnosis:
        """Whether accuracies can be learned from votes alone."""
        diagnosis: Diagnosis = self.result("check")
        return diagnosis

    @property
    def classifier(self) -> Any:
        """The classifier trained on the beliefs."""
        return self.result("train")

    @cached_property
    def analysis(self) -> Analysis:
        """What the votes, the model and known classes show. Beliefs are computed once, for rows that differ."""
        return self.analysed(self.model)

    def analysed(self, model: Any = None) -> Analysis:
        """What the votes and known classes show, with a model or without."""
        from shortlist.analysis import Analysis

        found = Analysis(self.tally.votes, model, weights=self.tally.weights.round())
        if self.has_gold:
            found.gold = self.tally.gold
        return found

    # -- files -----------------------------------------------------------------------------------------

    def output_names(self, stage: Stage) -> list[str]:
        """The files that a stage writes, as seen from the folder of the project."""
        return [f"{self.settings.output.folder}/{name}" for name in stage.outputs(self.settings)]

    def paths(self, stage: Stage) -> tuple[Path, ...]:
        """The files that a stage writes."""
        return tuple(self.folder / name for name in self.output_names(stage))

    def data_digests(self) -> list[str]:
        """The content of the data files, one word each. Workers elsewhere read those that are not known."""
        paths = data_files(self.folder, self.settings)
        if self.settings.engine.kind != "local" and (unknown := self.digests.unknown(paths)):
            from shortlist.project.parts.surveying import digest_files

            digest_files(self.engine, self.digests, unknown)
        return [self.digests.of(path) for path in paths]
