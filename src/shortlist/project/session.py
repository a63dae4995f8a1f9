"""Session: one run of a project. What several stages work with is loaded or computed here, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import BadFile, ShortlistError
from shortlist.project.cache import HIDDEN, Digests, State
from shortlist.project.parts import count_files, data_files, depended_files, digest_files
from shortlist.project.remote_files import RemoteFiles, is_url
from shortlist.project.settings import NAME, Settings

if TYPE_CHECKING:
    import polars as pl

    from shortlist.analysis import Analysis
    from shortlist.engines import Engine
    from shortlist.joint import JointModel
    from shortlist.labelers import Labeler
    from shortlist.labelmodel.evidence import Evidence, EvidenceSum
    from shortlist.project.code.roster import Roster
    from shortlist.project.counting import Sample
    from shortlist.project.gold import Entry, GoldFile, GoldReader, Known
    from shortlist.project.rows import Rows
    from shortlist.project.vote_cache import VoteCache
    from shortlist.prompts import Plan, Spent
    from shortlist.reporting.checkup import Checkup
    from shortlist.votes import Patterns, Votes
    from shortlist.votes.vote_parts import VoteParts


class Listener:
    """Callbacks for the progress of a run; this base class ignores them."""

    def waiting(self, process: str) -> None:
        """Another process works in the folder."""

    def working_on(self, engine: str, workers: int, dashboard: str | None) -> None:
        """The work is done by an engine, with so many workers; the dashboard is the URL of its own page."""

    def begin(self, stage: str, rows: int | None = None) -> None:
        """A stage has work to do, on so many rows if that is known."""

    def note(self, line: str) -> None:
        """Something the user should know before a stage goes on. It is among the notes of the outcome, too."""

    def advance(self, rows: int) -> None:
        """So many more rows are done."""

    def tell(self, line: str) -> None:
        """Progress in one line, which replaces the line before."""

    def end(self, outcome: Any) -> None:
        """A stage is done, was up to date, or was skipped: its `Outcome`."""


class Session:
    """A project as its files are at one moment.

    rows, roster                 the data and the labelers: read when they are first asked for
    parts, model, checkup,
    classifier                   results of stages: left here by the stage, or loaded from its file, once
    evidence                     the votes and known classes of all rows, counted: no larger than the unique rows
    sample, sampled_analysis     the rows of the check and the report: all, or a sample of a million; with the model
    votes, known, analysis       the same for each row, in memory: for people who look at rows
    results                      stage → its result, if that is in memory

    With `in_memory`, the stages vote and fit leave their results here and write no files but the cache of votes, and
    rows, votes and known classes of the session before (`earlier`) are used again, as far as nothing changed.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        digests: Digests,
        load: Callable[[Session, str], Any],
        *,
        listener: Listener | None = None,
        engine: Engine | None = None,
        in_memory: bool = False,
        earlier: Session | None = None,
    ) -> None:
        self.folder, self.settings, self.digests, self._load = folder, settings, digests, load
        self.listener = listener or Listener()
        self.hidden = folder / HIDDEN
        self.state = State(self.hidden / "state.json")
        self.results: dict[str, Any] = {}
        self.skipped: set[str] = set()  # stages that this run left out
        self.in_memory = in_memory
        self._earlier, self._engine = earlier, engine
        self._gold_source: Any = None  # what `known` was read from

    @cached_property
    def engine(self) -> Engine:
        """The engine that was handed in, or the one of [engine]; an interactive session works on this machine."""
        from shortlist.engines import Local, make_engine

        chosen = self.settings.engine
        if self.in_memory or (self._engine is None and chosen.kind == "local"):
            return Local((not self.in_memory and chosen.workers) or self.settings.labelers.workers)
        engine = self._engine or make_engine(chosen.kind, chosen.address, chosen.workers)
        self.listener.working_on(type(engine).__name__, engine.workers, getattr(engine, "dashboard", None))
        return engine

    def fetch(self) -> None:
        """Download data files that are given by URL, if they are new or have changed."""
        from shortlist.engines import Threads

        urls = [name for name in self.settings.data.files if is_url(name)]
        if urls:
            engine = Threads(8) if self.settings.engine.kind == "local" else self.engine
            try:
                RemoteFiles(self.hidden).fetch(urls, engine)
            except BadFile as error:
                raise self.settings.toml.wrong(error.message, "data", "files") from error

    def close(self) -> None:
        """End the engine, if it was started here, and let go of the session before."""
        engine = vars(self).get("engine")
        if engine is not None and self._engine is None and hasattr(engine, "close"):
            engine.close()
        self._earlier = None

    # -- rows and labelers -----------------------------------------------------------------------------

    @cached_property
    def rows(self) -> Rows:
        """The rows of all data files."""
        from shortlist.project.rows import Rows

        self.data_digests()
        rows = Rows(self.folder, self.settings, self.digests)
        if self.in_memory:
            rows.in_memory = sum(path.stat().st_size for path in rows.paths) <= 1 << 30  # bytes
            if self._earlier is not None:
                rows.take_over(self._earlier.rows)
        elif self.settings.engine.kind != "local":
            rows.counts = count_files(self.engine, rows.reader)
        return rows

    @cached_property
    def roster(self) -> Roster:
        """The labelers of shortlist.toml and labelers.py."""
        from shortlist.project.code.roster import gather

        return gather(self.folder, self.settings, self.digests)

    @cached_property
    def vote_cache(self) -> VoteCache:
        """The votes of each labeler on each part, as far as they are known."""
        from shortlist.project.vote_cache import VoteCache

        if self.in_memory and self._earlier is not None:
            return self._earlier.vote_cache
        return VoteCache(self.hidden / "votes", in_memory=self.in_memory)

    def prepare(self) -> None:
        """Let labelers do what they do before any row is voted on: those that ask a model ask it here."""
        from shortlist.project.voting import prepare

        self.roster = prepare(self.roster, self.rows, self.vote_cache, self.listener.tell)
        self.listener.tell("vote")

    def unsaved(self, record: Mapping[str, Any]) -> Labeler:
        """The labeler of a record that is not in shortlist.toml yet."""
        from shortlist.project.code.toml_labelers import TomlModels, toml_labeler

        settings = self.settings
        return self.placed(toml_labeler(settings, TomlModels(settings, self.folder), len(settings.declared), record))

    def placed(self, labeler: Labeler) -> Labeler:
        """The labeler with the cache, the encoder and the column of text of the project."""
        bound, text = labeler.bind_to_project(self.hidden, self.settings.classifier.encoder), self.settings.data.text
        return bound if text is None else bound.on_text(text)

    def plan(self, record: Mapping[str, Any] | None = None, first: int | None = None) -> Plan:
        """The cost of asking language models: for the labelers of the project, or for a record. Nothing is sent."""
        from shortlist.project.voting import all_chunks, first_chunk
        from shortlist.prompts import Plan, PromptLabeler
        from shortlist.prompts.planning import plan_line

        labelers = self.roster.labelers if record is None else (self.unsaved(record),)
        asking = [one for one in labelers if isinstance(one, PromptLabeler)]
        parts = (lambda: all_chunks(self.rows)) if first is None else (lambda: [first_chunk(self.rows, first)])
        return Plan(tuple(plan_line(one, parts()) for one in asking))

    def preview(self, record: Mapping[str, Any], numbers: Sequence[int]) -> pl.DataFrame:
        """The answers of a record's labeler on some rows, with probabilities; its model is asked about them."""
        from shortlist.prompts.planning import preview

        return preview(self.unsaved(record), self.rows.take(numbers))

    @property
    def spent(self) -> list[Spent]:
        """Spending on language models so far, one line for each model and labeler."""
        from shortlist.prompts.score_store import SCORES_FILE, open_scores

        path = self.hidden / SCORES_FILE
        try:
            return open_scores(path).spent() if path.exists() else []
        except ShortlistError:  # a damaged file: the next vote says so
            return []

    # -- known classes ---------------------------------------------------------------------------------

    @property
    def gold_file(self) -> GoldFile:
        """The file of labels made by people."""
        from shortlist.project.gold import GoldFile

        return GoldFile(self.folder / self.settings.data.gold_file)

    def refuse_to_overwrite(self, path: Path) -> None:
        """Raise if an output would replace a file that the project is made of."""
        self.rows.refuse_to_overwrite(path)
        self.gold_file.refuse_to_overwrite(path)
        code = [self.folder / NAME, self.folder / self.settings.labelers.file, *self.roster.reads]
        if path.resolve() in [one.resolve() for one in (*code, *depended_files(self.folder, self.settings))]:
            raise BadFile(f"{path} is a file that the project is made of: write to another file")

    @cached_property
    def gold_by_row(self) -> dict[int, int]:
        """Labels of the gold file: row → position of its class, −1 if several were named."""
        from shortlist.project.gold import file_labels, label_positions

        classes = self.settings.classes
        return label_positions(file_labels(self.rows, self.gold_file, classes), classes)

    @property
    def gold_reader(self) -> GoldReader:
        """Reader of the known classes of parts, to be sent to workers."""
        from shortlist.project.gold import GoldReader

        return GoldReader(self.rows.reader, self.rows.data.gold, self.settings.classes, self.gold_by_row)

    @cached_property
    def known(self) -> Known:
        """The known classes of all rows: the gold column of the data, and the gold file over it."""
        from shortlist.project.gold import Known

        earlier, classes = self._earlier, self.settings.classes
        self._gold_source = self.rows.sources, self.rows.data.gold, self.gold_digest(), classes
        if earlier is not None and earlier._gold_source == self._gold_source:
            return earlier.known
        return Known.read(self.rows, self.gold_file, classes)

    @property
    def gold(self) -> list[str | None] | None:
        """Known classes by row, if there are any. They score; they fit only if the settings say so."""
        return self.known.classes

    def gold_said(self, row: int, entry: Entry) -> None:
        """Take in a label that was just added to the gold file, without reading all again."""
        if not entry.classes and row in self.known.people:  # its class may be that of the gold column again
            self.gold_changed()
            return
        known = self.known.with_label(row, entry)
        self._clear_gold()
        self.known = known
        if "analysis" in self.__dict__:
            j = known.positions[row]
            self.analysis = self.analysis.with_one_more(row, None if j < 0 else known.names[j])

    def gold_changed(self) -> None:
        """Read known classes again. Votes and model stay."""
        self._clear_gold()
        if "analysis" in self.__dict__:
            self.analysis = self.analysis.with_gold(self.gold)

    def _clear_gold(self) -> None:
        for name in ("known", "gold_by_row", "evidence_sum", "evidence", "sample", "sampled_analysis"):
            self.__dict__.pop(name, None)

    # -- results of stages -----------------------------------------------------------------------------

    def result(self, stage: str) -> Any:
        """The result of a stage: of this run, or else from its files."""
        if stage not in self.results:
            self.results[stage] = self._load(self, stage)
        return self.results[stage]

    @property
    def parts(self) -> VoteParts:
        """The votes of all rows, in files of some rows each."""
        parts: VoteParts = self.result("vote")
        return parts

    @cached_property
    def votes(self) -> Votes:
        """The votes of all rows in memory. No stage needs it."""
        return self.parts.whole(self.rows.ids())

    @cached_property
    def patterns(self) -> Patterns:
        """Unique rows of the votes in memory, and which of them each row is."""
        return self.votes.patterns()

    @cached_property
    def evidence_sum(self) -> EvidenceSum:
        """Unique rows of votes and known class with their counts; a sample (`.sampled`), if too many rows differ."""
        from shortlist.project.counting import count_rows

        return count_rows(self.rows, self.parts, self.gold_reader, self.engine)

    @cached_property
    def evidence(self) -> Evidence:
        """Unique rows of votes and known class with their counts: all that a fit, a check and a report need.

        An interactive session leaves the known classes out if they do not fit the model.
        """
        if not self.in_memory:
            return self.evidence_sum.total()
        import numpy as np

        from shortlist.labelmodel.evidence import Evidence, unique
        from shortlist.votes import Votes

        votes, patterns = self.votes, self.patterns
        if self.settings.gold_fits and self.known.any:
            return unique(votes, self.known.positions, None)
        rows = Votes(patterns.codes, votes.codomains, votes.space, votes.names)
        return Evidence(rows, patterns.counts.astype(np.float64), np.full(len(rows), -1, np.int64))

    @property
    def has_gold(self) -> bool:
        """Some row has a known class."""
        return bool((self.evidence.gold >= 0).any())

    @property
    def model(self) -> Any:
        """The fitted label model."""
        return self.result("fit")

    @property
    def checkup(self) -> Checkup:
        """Advice, and whether accuracies can be learned from votes alone."""
        checkup: Checkup = self.result("check")
        return checkup

    def has(self, stage: str) -> bool:
        """A stage was done, in this run or before, and not left out now."""
        return stage in self.state.records and stage not in self.skipped

    @property
    def joint(self) -> JointModel:
        """Labels and classifier from votes, rows and gold together."""
        joint: JointModel = self.result("train")
        return joint

    @property
    def classifier(self) -> Any:
        """The classifier that reads rows."""
        return self.joint.classifier_

    @cached_property
    def sample(self) -> Sample:
        """The rows of tables and examples: all, or a sample of a million, evenly spread."""
        from shortlist.project.counting import Sample, sample_rows

        m, most = len(self.parts), 1_000_000
        if m <= most:
            return Sample(self.votes, self.gold, self.rows.to_show(), m)
        known = self.evidence.weights[self.evidence.gold >= 0].sum()
        return sample_rows(self.rows, self.parts, self.gold_reader, known, most)

    @cached_property
    def sampled_analysis(self) -> Analysis:
        """Analysis of the sample, the model and known classes."""
        from shortlist.analysis import Analysis

        if self.in_memory or len(self.sample.votes) == self.sample.of:
            return self.analysis
        return Analysis(self.sample.votes, self.model, gold=self.sample.gold)

    @cached_property
    def analysis(self) -> Analysis:
        """Analysis of all rows, in memory: for people who look at rows. No stage needs it."""
        from shortlist.analysis import Analysis
        from shortlist.analysis.measures import Distinct

        analysis = Analysis(self.votes, self.model)
        analysis.gold = self.known.positions if self.known.any else None
        if self.in_memory:
            analysis.distinct = Distinct.of(self.votes, self.model, self.patterns)
        return analysis

    # -- files -----------------------------------------------------------------------------------------

    def gold_digest(self) -> str | None:
        """Hash of the gold file; None without one."""
        path = self.folder / self.settings.data.gold_file
        return self.digests.of(path) if path.exists() else None

    def data_digests(self) -> list[str]:
        """Hashes of the data files. Workers or threads read those that are not cached."""
        paths = data_files(self.folder, self.settings)
        if unknown := self.digests.unknown(paths):
            if self.settings.engine.kind == "local":
                with ThreadPoolExecutor() as pool:
                    list(pool.map(self.digests.of, unknown))
            else:
                digest_files(self.engine, self.digests, unknown)
        return [self.digests.of(path) for path in paths]
