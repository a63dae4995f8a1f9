"""Project: a folder with shortlist.toml and labelers.py, strung through the three stages."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import MissingPackage, ShortlistError
from shortlist.project.kept.digest import Digests
from shortlist.project.kept.lock import locked, sweep
from shortlist.project.kept.state import Made, State
from shortlist.project.listener import Listener
from shortlist.project.outcome import Outcome
from shortlist.project.settings import STAGES, Settings
from shortlist.project.stages import Keys, output_names, with_needs
from shortlist.wording import did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from shortlist.identifiability import Diagnosis
    from shortlist.project.code.roster import Roster
    from shortlist.project.rows import Rows
    from shortlist.votes import Votes

HIDDEN = ".shortlist"
SILENCE = "no labeler votes on any row yet, so there is nothing to train a classifier on"


class Project:
    """A project folder. Every property brings up to date what it needs, and nothing else.

        project = Project("news")
        project.votes        # what every labeler says
        project.labels       # a table: class, belief, margin, shortlist, one belief per class
        project.run()        # all stages that are out of date

    What was done before is read from files, so a Project and the command line `shortlist` share all work.
    """

    def __init__(self, folder: str | os.PathLike[str] = ".") -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise ShortlistError(f"there is no folder {folder}")
        self.settings = Settings.read(self.folder)
        self.digests = Digests(self.hidden / "digests.json")

    @classmethod
    def init(cls, data: str | os.PathLike[str], folder: str | os.PathLike[str] = ".", **options: Any) -> Project:
        """Write shortlist.toml and labelers.py for a data file: `Project.init("news.csv", classes=["a", "b"])`."""
        from shortlist.project.starter import write_starter

        write_starter(Path(folder), Path(data), **options)
        return cls(folder)

    @property
    def hidden(self) -> Path:
        """Where the project keeps what it need not do twice. It can be deleted at any time."""
        return self.folder / HIDDEN

    def __repr__(self) -> str:
        classes, files = len(self.settings.classes), ", ".join(self.settings.data.files)
        return f"Project({str(self.folder)!r}): {classes} classes, {files}"

    def _repr_html_(self) -> str:
        from shortlist.project.html import project_html

        return project_html(self)

    # -- what is there ---------------------------------------------------------------------------------

    @property
    def votes(self) -> Votes:
        """What every labeler says about every row."""
        self.run(["vote"])
        return self.load_votes()

    @property
    def model(self) -> Any:
        """The fitted label model."""
        self.run(["fit"])
        return self.load_model()

    @property
    def labels(self) -> pl.DataFrame:
        """Class, belief, margin, shortlist and one belief per class, for every row."""
        from shortlist.rows import RowFile

        (outcome,) = [one for one in self.run(["export"]) if one.stage == "export"]
        return RowFile(outcome.outputs[0]).read()

    @property
    def classifier(self) -> Any:
        """The classifier trained on the beliefs."""
        self.run(["train"])
        return self.load_classifier()

    def check(self) -> Diagnosis:
        """Ask the doctor whether accuracies can be learned from votes alone."""
        from shortlist.identifiability import diagnose

        return diagnose(self.votes)

    def report(self) -> Path:
        """Write the report; where it is comes back."""
        return self.run(["report"])[-1].outputs[0]

    def export(self, path: str | os.PathLike[str]) -> Path:
        """Write the labels to a parquet, csv or jsonl file of your choice."""
        from shortlist.project.work import write_labels

        self.run(["fit"])
        with self._locked(Listener()):
            write_labels(self, Path(path), Listener())
        return Path(path)

    def predict(
        self, *files: str | os.PathLike[str], path: str | os.PathLike[str], listener: Listener | None = None
    ) -> dict[str, Any]:
        """Let the classifier read other files of the same columns; what it believes is written to `path`.

        Files that hold known classes are scored by them; they need not.
        """
        from shortlist.project.rows import other_rows
        from shortlist.project.work import predict_rows

        self.run(["train"], listener=listener)
        with self._locked(listener or Listener()):
            rows = other_rows(self.folder, self.settings, self.digests, [Path(file) for file in files])
            return predict_rows(self, rows, Path(path), listener or Listener())

    # -- stages ----------------------------------------------------------------------------------------

    def run(
        self, stages: Iterable[str] | None = None, *, force: bool = False, listener: Listener | None = None
    ) -> list[Outcome]:
        """Do what is out of date of these stages and of those they need; of all, where none are named.

        With `force`, the stages named are done again whether they are out of date or not.
        """
        heard = listener or Listener()
        self._look_again()
        wanted = self._wanted(stages)
        with self._locked(heard):
            state = State(self.hidden / "state.json")
            keys = Keys(self.folder, self.settings, self.digests, state)
            outcomes = []
            for stage in with_needs(wanted):
                if stages is None and stage in ("train", "predict") and not state.made["vote"].facts["covered"]:
                    outcome = Outcome(stage, "skipped", (), {"notes": [SILENCE]} if stage == "train" else {})
                else:
                    outcome = self._stage(stage, keys, state, heard, again=force and stage in wanted)
                heard.end(outcome)
                outcomes.append(outcome)
            self.digests.save()
        return outcomes

    def _look_again(self) -> None:
        """Files may have changed since the last run. Within a run, what was seen first counts."""
        self.settings = Settings.read(self.folder)
        self.digests.look_again()
        self.__dict__.pop("rows", None)
        self.__dict__.pop("roster", None)

    @contextmanager
    def held(self, listener: Listener) -> Iterator[None]:
        """The project as its files are now, for oneself."""
        self._look_again()
        with self._locked(listener):
            yield
            self.digests.save()

    def _wanted(self, stages: Iterable[str] | None) -> tuple[str, ...]:
        if stages is None:
            trained = self.settings.classifier.kind != "none"
            return tuple(s for s in self.settings.output.stages if trained or s not in ("train", "predict"))
        named = tuple(stages)
        for stage in named:
            if stage not in STAGES:
                raise ShortlistError(f"{stage!r} is no stage.{did_you_mean(stage, STAGES)} Stages: {', '.join(STAGES)}")
        if self.settings.classifier.kind == "none" and {"train", "predict"} & set(named):
            raise self.settings.toml.wrong('no classifier is wanted: [classifier] kind is "none"', "classifier", "kind")
        return named

    def _stage(self, stage: str, keys: Keys, state: State, listener: Listener, *, again: bool) -> Outcome:
        start = time.perf_counter()
        names = output_names(stage, self.settings)
        paths = tuple(self.folder / name for name in names)
        key, made = keys.of(stage), state.made.get(stage)
        if not again and made and made.key == key and self._same(made, names):
            return Outcome(stage, "up to date", paths, made.facts, time.perf_counter() - start)
        from shortlist.project.work import do

        (self.folder / self.settings.output.folder).mkdir(parents=True, exist_ok=True)
        try:
            facts = do(self, stage, paths[0], listener, again=again)
        except MissingPackage as error:
            if stage != "report" or again:
                raise
            return Outcome(stage, "skipped", (), {"notes": [str(error)]}, time.perf_counter() - start)
        reads = [str(path) for path in self.roster.reads] if stage == "vote" else []
        outputs = {name: self.digests.of(path, again=True) for name, path in zip(names, paths, strict=True)}
        made = Made("", outputs, reads, facts)
        state.made[stage] = made  # what labelers.py was found to read is part of the key
        lasting = {name: fact for name, fact in facts.items() if name != "asked"}
        state.set(stage, Made(keys.of(stage), outputs, reads, lasting))
        return Outcome(stage, "done", paths, facts, time.perf_counter() - start)

    def _same(self, made: Made, names: tuple[str, ...]) -> bool:
        """Whether the outputs are there as they were written."""
        paths = {name: self.folder / name for name in names}
        return all(path.exists() and self.digests.of(path) == made.outputs.get(name) for name, path in paths.items())

    @contextmanager
    def _locked(self, listener: Listener) -> Iterator[None]:
        """One run at a time; what a killed one left half written is swept away."""
        self.hidden.mkdir(exist_ok=True)
        ignore = self.hidden / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")
        with locked(self.hidden / "lock", listener.waiting):
            for folder in (self.hidden, self.hidden / "rows", self.folder / self.settings.output.folder):
                sweep(folder)
            yield

    # -- parts, as they are on disk --------------------------------------------------------------------

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

    def gold(self) -> list[str | None] | None:
        """Known classes by row, where the data has any. They score; they fit only where the toml says so."""
        return self.rows.gold(self.settings.classes)

    def _path(self, stage: str) -> Path:
        return self.folder / output_names(stage, self.settings)[0]

    def load_votes(self) -> Votes:
        from shortlist.votes import Votes

        return Votes.load(self._path("vote"))

    def load_model(self) -> Any:
        from shortlist.labelmodel import LabelModel

        return LabelModel.load(self._path("fit"))

    def load_classifier(self) -> Any:
        from shortlist.project.work import classifier_class

        return classifier_class(self.settings).load(self._path("train"))
