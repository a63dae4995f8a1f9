"""Project: a folder with shortlist.toml and labelers.py, and the stages from its rows to labels and a classifier."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import ShortlistError
from shortlist.project.files import HIDDEN
from shortlist.project.kept.digest import Digests
from shortlist.project.kept.history import History, Run
from shortlist.project.kept.lock import locked, sweep
from shortlist.project.listener import Listener
from shortlist.project.session import Session
from shortlist.project.settings import Settings
from shortlist.project.stages.outcome import Outcome
from shortlist.project.stages.running import run_stages

if TYPE_CHECKING:
    import polars as pl

    from shortlist.engines import Engine
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
        self.settings = Settings.read(self.folder)
        self.digests = Digests(self.hidden / "digests.json")
        self.session = Session(self.folder, self.settings, self.digests)

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
    def rows(self) -> Rows:
        """The rows of all data files, as they were at the last run; `rows.take([7, 3])` finds some by number."""
        return self.session.rows

    @property
    def votes(self) -> Votes:
        """What every labeler says about every row."""
        return self._after("vote").votes

    @property
    def model(self) -> Any:
        """The fitted label model."""
        return self._after("fit").model

    @property
    def labels(self) -> pl.DataFrame:
        """Class, belief, margin, shortlist and one belief per class, for every row."""
        import polars as pl

        from shortlist.project.stages.export import label_files
        from shortlist.rows import RowFile

        return pl.concat([RowFile(path).read() for path in label_files(self.run(["export"])[-1].outputs[0])])

    @property
    def classifier(self) -> Any:
        """The classifier trained on the beliefs."""
        return self._after("train").classifier

    def check(self) -> Checkup:
        """What to do next, the most gain first, and whether accuracies can be learned from votes alone."""
        return self._after("check").checkup

    def report(self) -> Path:
        """Write the report; where it is comes back."""
        return self.run(["report"])[-1].outputs[0]

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        columns: str | Sequence[str] = (),
        min_belief: float | None = None,
        plain_names: bool = False,
    ) -> Path:
        """Write the labels to a file of your choice, in the format that its name ends in.

        columns       of the data, such as the text, to stand before the labels
        min_belief    only rows whose class is believed at least so much, from 0 to 1
        plain_names   names of columns that a database takes without quotes: belief_middle_east
        """
        from shortlist.project.parts.extract import Extract
        from shortlist.project.stages.export import write_extract

        names = (columns,) if isinstance(columns, str) else tuple(columns)
        with self.open() as session:
            write_extract(session, Path(path), Extract(names, min_belief, plain_names))
        return Path(path)

    def predict(
        self, *files: str | os.PathLike[str], path: str | os.PathLike[str], listener: Listener | None = None
    ) -> dict[str, Any]:
        """Let the classifier read other files of the same columns; what it believes is written to `path`.

        Files that hold known classes are scored by them; they need not.
        """
        from shortlist.project.rows import other_rows
        from shortlist.project.stages.predict import predict_rows

        with self.open(listener) as session:
            run_stages(session, ["train"], force=False)
            rows = other_rows(self.folder, self.settings, self.digests, [Path(file) for file in files])
            return predict_rows(session, rows, Path(path))

    def plan(self, record: Mapping[str, Any] | None = None) -> Plan:
        """What asking language models would cost. Nothing is sent.

        record   a labeler as shortlist.toml would hold it, to know what it costs before it is saved
        """
        from shortlist.project.prompting import planned

        with self.open() as session:
            return planned(session, record)

    def preview(self, record: Mapping[str, Any], numbers: Sequence[int]) -> pl.DataFrame:
        """What a labeler that is not saved yet says about some rows, with the probability of each answer."""
        from shortlist.project.prompting import previewed

        with self.open() as session:
            return previewed(session, record, numbers)

    @property
    def spent(self) -> list[Spent]:
        """What was spent on language models so far, one line for each model and labeler."""
        from shortlist.project.prompting import spent

        return spent(self.session)

    # -- stages ----------------------------------------------------------------------------------------

    def run(
        self,
        stages: Iterable[str] | None = None,
        *,
        force: bool = False,
        listener: Listener | None = None,
        engine: Engine | str | None = None,
        address: str | None = None,
    ) -> list[Outcome]:
        """Do what is out of date of these stages and of those they need; of all, where none are named.

        force      do the stages that are named again, whether they are out of date or not
        listener   told when a stage begins, goes on and ends
        engine     where the work is done: an engine (see `shortlist.engines`), or the name of one, "dask", "ray" or
                   "spark", which is started and ended; without it, what [engine] of shortlist.toml says. Results do
                   not depend on it
        address    of the cluster that a named engine uses; without it, processes of this machine are started
        """
        with self.open(listener, engine, address) as session:
            outcomes = run_stages(session, stages, force=force)
            if stages is None and any(one.status == "done" for one in outcomes):
                self.history.add(Run.of(outcomes))
            return outcomes

    @property
    def history(self) -> History:
        """How good the labels were after each run of all stages."""
        return History(self.hidden / "history.json")

    @contextmanager
    def open(
        self, listener: Listener | None = None, engine: Engine | str | None = None, address: str | None = None
    ) -> Iterator[Session]:
        """A session on the files as they are now. Other runs in the folder wait until it ends.

        Files may have changed since the last session. Within one, what was seen first counts.
        """
        self.settings = Settings.read(self.folder).with_engine(engine, address)
        self.digests.look_again()
        given = None if isinstance(engine, str) else engine
        with self._locked(listener or Listener()):
            self.session = Session(self.folder, self.settings, self.digests, listener=listener, engine=given)
            try:
                self.session.fetch()
                yield self.session
            finally:
                self.session.close()
                self.digests.save()

    def _after(self, stage: str) -> Session:
        """The session in which a stage was brought up to date."""
        self.run([stage])
        return self.session

    @contextmanager
    def _locked(self, listener: Listener) -> Iterator[None]:
        """One run at a time. What a killed one left half written is thrown away."""
        self.hidden.mkdir(exist_ok=True)
        ignore = self.hidden / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")
        with locked(self.hidden / "lock", listener.waiting):
            out = self.folder / self.settings.output.folder
            for folder in (self.hidden, self.hidden / "rows", out, *filter(Path.is_dir, out.glob("*"))):
                sweep(folder)
            yield
