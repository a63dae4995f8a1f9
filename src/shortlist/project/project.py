"""Project: a folder with shortlist.toml and labelers.py, and the stages from its rows to labels and a classifier."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import ShortlistError
from shortlist.project.cache import HIDDEN, Digests, History, locked, sweep
from shortlist.project.run_summary import facts_of, run_of
from shortlist.project.session import Listener, Session
from shortlist.project.settings import Settings
from shortlist.project.stages.run import chosen_stages, load_result, run_stages, write_extract
from shortlist.project.stages.stage import Outcome

if TYPE_CHECKING:
    import polars as pl

    from shortlist.engines import Engine
    from shortlist.joint import JointModel
    from shortlist.project.certified import Certified
    from shortlist.project.rows import Rows
    from shortlist.prompts import Plan, Spent
    from shortlist.reporting.checkup import Checkup
    from shortlist.votes import Votes


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
        self.hidden = self.folder / HIDDEN  # the folder of all caches; it can be deleted at any time
        self.settings = Settings.read(self.folder)
        chosen_stages(self.settings)  # a name that is no stage is an error
        self.digests = Digests(self.hidden / "digests.json")
        self.session = Session(self.folder, self.settings, self.digests, load_result)

    @classmethod
    def init(cls, data: str | os.PathLike[str], folder: str | os.PathLike[str] = ".", **options: Any) -> Project:
        """Write shortlist.toml and labelers.py for a data file: `Project.init("news.csv", classes=["a", "b"])`."""
        from shortlist.project.init import write_starter

        write_starter(Path(folder), Path(data), **options)
        return cls(folder)

    def __repr__(self) -> str:
        classes, files = len(self.settings.classes), ", ".join(self.settings.data.files)
        return f"Project({str(self.folder)!r}): {classes} classes, {files}"

    @property
    def rows(self) -> Rows:
        """The rows of all data files, as they were at the last run; `rows.take([7, 3])` returns rows by number."""
        return self.session.rows

    @property
    def votes(self) -> Votes:
        """The votes of every labeler on every row."""
        return self._after("vote").votes

    @property
    def model(self) -> Any:
        """The fitted label model."""
        return self._after("fit").model

    @property
    def labels(self) -> pl.DataFrame:
        """Class, belief, margin, shortlist, source and one belief per class, for every row."""
        import polars as pl

        from shortlist.project.stages.export import label_files
        from shortlist.rows import RowFile

        return pl.concat([RowFile(path).read() for path in label_files(self.run(["export"])[-1].outputs[0])])

    @property
    def joint(self) -> JointModel:
        """Labels and classifier from votes, rows and gold together."""
        return self._after("train").joint

    @property
    def classifier(self) -> Any:
        """The classifier that reads rows."""
        return self.joint.classifier_

    def check(self) -> Checkup:
        """Advice, the most gain first, and whether accuracies can be learned from votes alone."""
        return self._after("check").checkup

    def report(self) -> Path:
        """Write the report, and return its path."""
        return self.run(["report"])[-1].outputs[0]

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        columns: str | Sequence[str] = (),
        min_belief: float | None = None,
        votes_only: bool = False,
    ) -> Path:
        """Write the labels to a file of your choice, in the format that its name ends in.

        columns      of the data, such as the text, to stand before the labels
        min_belief   only rows whose class is believed at least so much, from 0 to 1
        votes_only   labels of the label model, without text and gold
        """
        from shortlist.project.labels import Extract

        names = (columns,) if isinstance(columns, str) else tuple(columns)
        with self.open() as session:
            write_extract(session, Path(path), Extract(names, min_belief, votes_only))
        return Path(path)

    def predict(
        self,
        *files: str | os.PathLike[str],
        path: str | os.PathLike[str],
        columns: str | Sequence[str] = (),
        min_belief: float | None = None,
        engine: Engine | str | None = None,
        address: str | None = None,
        listener: Listener | None = None,
    ) -> dict[str, Any]:
        """Let the classifier read other files of the same columns; its predictions are written to `path`.

        They are scored if the files hold known classes. If labels were certified, `alarms` are signs that these rows
        differ from those. `columns` and `min_belief` are those of `export`, `engine` and `address` those of `run`.
        """
        from shortlist.project.certified import watch_rows
        from shortlist.project.labels import Extract
        from shortlist.project.rows import other_rows
        from shortlist.project.stages.train import predict_rows

        names = (columns,) if isinstance(columns, str) else tuple(columns)
        with self.open(listener, engine, address) as session:
            run_stages(session, ["train"])
            rows = other_rows(self.folder, self.settings, self.digests, [Path(file) for file in files])
            return predict_rows(session, rows, Path(path), Extract(names, min_belief)) | watch_rows(session, rows)

    def certify(
        self,
        right: float = 0.9,
        sure: float = 0.95,
        *,
        path: str | os.PathLike[str] | None = None,
        all_random: bool = False,
        listener: Listener | None = None,
    ) -> Certified:
        """Find rows of which at least `right` are right, with certainty `sure`; write their labels to `path`.

        Gold rows that were labelled as random ones test the labels. With `all_random`, all gold rows do.
        """
        from shortlist.project.certified import certify_rows, keep_certificate, write_certified
        from shortlist.uncertainty.certificate import check_promise

        check_promise(right, sure)
        with self.open(listener) as session:
            run_stages(session, ["train"] if session.settings.classifier.kind != "none" else ["fit"])
            made = certify_rows(session, right, sure, all_random=all_random)
            keep_certificate(session, made)
            return made if path is None else made._replace(written=write_certified(session, made, Path(path)))

    def plan(self, record: Mapping[str, Any] | None = None, *, first: int | None = None) -> Plan:
        """The cost of asking language models. Nothing is sent.

        record   a labeler as shortlist.toml would hold it, to know its cost before it is saved
        first    only this many rows
        """
        with self.open() as session:
            return session.plan(record, first)

    def preview(self, record: Mapping[str, Any], numbers: Sequence[int]) -> pl.DataFrame:
        """The answers of a labeler that is not saved yet on some rows, with the probability of each answer."""
        with self.open() as session:
            return session.preview(record, numbers)

    @property
    def spent(self) -> list[Spent]:
        """Spending on language models so far, one line for each model and labeler."""
        return self.session.spent

    def run(
        self,
        stages: Iterable[str] | None = None,
        *,
        force: bool = False,
        on_stage: Callable[[Outcome], object] | None = None,
        listener: Listener | None = None,
        engine: Engine | str | None = None,
        address: str | None = None,
        by: str | None = None,
    ) -> list[Outcome]:
        """Do those of these stages, and of those they need, that are out of date; by default, of all.

        force      do the named stages again in any case
        on_stage   called with the `Outcome` of each stage when it ends; `outcome.metrics` are its numbers
        listener   callbacks for the progress
        engine     an engine (see `shortlist.engines`), or the name of one, "dask", "ray" or "spark", which is started
                   and ended; by default, that of [engine] in shortlist.toml. Results do not depend on it
        address    of the cluster that a named engine uses; without it, processes of this machine are started
        by         who teaches the classifier: "counting", "label-model", "mean" of the two, or "auto"
        """
        with self.open(listener, engine, address, by=by) as session:
            outcomes = run_stages(session, stages, force=force, on_stage=on_stage)
            if stages is None and any(one.status == "done" for one in outcomes):
                self.history.add(run_of(facts_of(outcomes)))
            return outcomes

    @property
    def history(self) -> History:
        """Figures of the labels after each run of all stages."""
        return History(self.hidden / "history.json")

    @contextmanager
    def open(
        self,
        listener: Listener | None = None,
        engine: Engine | str | None = None,
        address: str | None = None,
        *,
        by: str | None = None,
        in_memory: bool = False,
        earlier: Session | None = None,
    ) -> Iterator[Session]:
        """Open a session on the files as they are now. Other runs in the folder wait until it ends.

        Files may have changed since the last session. Within one, what was seen first counts. With `in_memory`, the
        stages vote and fit write no files, and use again what the session `earlier` holds: see Session.
        """
        self.settings = Settings.read(self.folder).with_engine(engine, address).taught_by(by)
        self.digests.look_again()
        with self._locked(listener or Listener()):
            chosen = None if isinstance(engine, str) else engine
            what = self.folder, self.settings, self.digests, load_result
            self.session = Session(*what, listener=listener, engine=chosen, in_memory=in_memory, earlier=earlier)
            try:
                self.session.fetch()
                yield self.session
            finally:
                self.session.close()
                self.digests.save()

    def _after(self, stage: str) -> Session:
        self.run([stage])
        return self.session

    @contextmanager
    def _locked(self, listener: Listener) -> Iterator[None]:
        """Hold the lock of the folder. Drafts that a killed run left are deleted."""
        self.hidden.mkdir(exist_ok=True)
        if not (ignore := self.hidden / ".gitignore").exists():
            ignore.write_text("*\n", "utf-8")
        with locked(self.hidden / "lock", listener.waiting):
            out = self.folder / self.settings.output.folder
            if not out.resolve().is_relative_to(self.folder.resolve()):
                message = (
                    f"{out.name} is a link out of the project: remove it (`shortlist export --to` writes anywhere)"
                )
                raise self.settings.toml.wrong(message, "output", "folder")
            for folder in (self.hidden, out, *filter(Path.is_dir, out.glob("*"))):
                sweep(folder)
            sweep(self.folder, idle=600)  # seconds: the studio and `label` write there without this lock
            yield
