"""Service: everything the page can ask for. A method takes and returns plain data."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

from shortlist.archive import atomic
from shortlist.browse import Query, next_row, select, show_rows, why
from shortlist.browse.labeling import PICKS
from shortlist.errors import ShortlistError
from shortlist.project import Project
from shortlist.project.gold import NOBODY, Entry, Picked, entry_for
from shortlist.project.init import Guess, known_classes, not_classes, toml_text
from shortlist.project.labels import Extract
from shortlist.project.run_summary import facts_of, run_scores, run_summary
from shortlist.project.settings import NAME
from shortlist.project.stages.run import write_extract
from shortlist.registry import ROW_FORMATS
from shortlist.rows import RowFile
from shortlist.studio.open_project import OpenProject
from shortlist.studio.preview import TrialFits, preview, tried
from shortlist.studio.rules import remove_rule, rules, save_rule, source, switch_rule, use_gold
from shortlist.studio.views import Results, compare, figures, gold, overview, results
from shortlist.wording import listed, number_of

Request = dict[str, Any]
Value = TypeVar("Value")
OUTPUTS = ("labels.", "report.", "classifier.")  # files that can be downloaded

GETS = ("overview", "figures", "scores", "rules")
POSTS = (  # other pages cannot send these: their origin is checked
    "rows", "why", "preview", "effect", "suggest", "tried", "save", "remove", "switch", "use_gold", "next", "label",
    "undo", "compare", "export", "export_own", "setup", "stop",
)  # fmt: skip


class Service:
    """The methods are the endpoints of the page: `POST /api/label` calls `label`."""

    def __init__(self, project: OpenProject) -> None:
        self.project = project
        self._latest: dict[str, int] = {}  # tab → the number of its last preview
        self._rows: tuple[Any, Any] | None = None  # the last query and its rows, which the page reads in windows
        self._computed: dict[str, tuple[int, Any]] = {}  # name → revision and what takes seconds to compute
        self._computing = {name: threading.Lock() for name in ("figures", "results")}
        self._trials = TrialFits()

    # -- views -----------------------------------------------------------------------------------------

    def overview(self, _request: Request) -> Any:
        return overview(self.project)

    def figures(self, _request: Request) -> Any:
        """Figures that take seconds."""
        if self.project.bare:
            return {"labelers": {}, "todo": [], "to_add": "", "promise": "", "drawings": {}}
        return self._once("figures", lambda: figures(self.project.current, self._results()))

    def scores(self, _request: Request) -> Any:
        """Scores of the labels on gold rows, as `shortlist run` prints them."""
        made = None if self.project.bare else run_scores(self._results()[0])
        return {"scores": None if made is None else made._asdict()}

    def _results(self) -> Results:
        return self._once("results", lambda: results(self.project.current))

    def _once(self, name: str, compute: Callable[[], Value]) -> Value:
        """Compute something once per revision."""
        with self._computing[name]:
            revision = self.project.revision
            if self._computed.get(name, (None,))[0] != revision:
                self._computed[name] = revision, compute()
            value: Value = self._computed[name][1]
            return value

    def rows(self, request: Request) -> Any:
        """A window of at most 200 of the rows that match a query."""
        session, query = self.project.current, Query.from_dict(request.get("query", {}))
        key = (id(session), self.project.revision, query)
        if self._rows is None or self._rows[0] != key:
            self._rows = (key, select(session, query))
        matches = self._rows[1]
        offset, limit = _integer(request, "offset", 0), min(_integer(request, "limit", 50), 200)
        rows = show_rows(session, matches[offset : offset + limit], query.labeler, query.text)
        return {"found": len(matches), "rows": [row.to_dict() for row in rows]}

    def why(self, request: Request) -> Any:
        if self.project.bare:
            raise ShortlistError("there are no labelers yet")
        return why(self.project.current, _integer(request, "row"), request.get("against")).to_dict()

    def compare(self, request: Request) -> Any:
        before, after = _integer(request, "before"), _integer(request, "after")
        return compare(self.project, before, after, offset=_integer(request, "offset", 0))

    # -- rules -----------------------------------------------------------------------------------------

    def rules(self, _request: Request) -> Any:
        session = self.project.current
        return {"rules": [rule.to_dict() for rule in rules(session)], "source": source(session)}

    def preview(self, request: Request) -> Any:
        """Preview a rule: what it matches. A newer request of the same tab ends this one."""
        lines: list[str] = []  # an encoder may have to read the rows first

        def tell(line: str) -> None:
            lines.append(line)
            self.project.notify("working", stage=line)

        session, record, newer = self.project.current, request.get("record"), self._newer(request)
        try:
            return preview(session, record, request.get("replaces"), newer, tell)
        finally:
            if lines:
                self.project.notify("idle")

    def effect(self, request: Request) -> Any:
        """Expected effect of a rule on the final labels, by a trial fit."""
        session = self.project.current
        return self._trials.effect(session, request.get("record"), request.get("replaces"), self._newer(request))

    def _newer(self, request: Request) -> Callable[[], bool]:
        """Whether the same tab has sent a newer request of this kind."""
        tab, number = str(request.get("tab")), _integer(request, "number", 0)
        self._latest[tab] = max(number, self._latest.get(tab, 0))
        return lambda: self._latest[tab] != number

    def suggest(self, request: Request) -> Any:
        """Words for a rule: for some classes, for all, or of one row."""
        classes, words = ([str(one) for one in request.get(name, ())] for name in ("classes", "words"))
        row = None if request.get("row") is None else _integer(request, "row")
        return {"words": self._trials.suggest(self.project.current, classes, words, row)}

    def tried(self, request: Request) -> Any:
        """Ask a prompt about a few rows: the least certain ones."""
        session, n = self.project.current, _integer(request, "rows", 5)
        rows = [int(row) for row in select(session, Query(unsure=not self.project.bare))[:n]]
        with self.project.asking("some rows"):
            return {"rows": tried(session, request.get("record"), request.get("replaces"), rows)}

    def stop(self, _request: Request) -> Any:
        """Stop asking models. Answers so far are kept."""
        self.project.stop()
        return {}

    def save(self, request: Request) -> Any:
        save_rule(self.project, request["record"], request.get("before"))
        return overview(self.project)

    def remove(self, request: Request) -> Any:
        remove_rule(self.project, request["before"])
        return overview(self.project)

    def switch(self, request: Request) -> Any:
        switch_rule(self.project, str(request["name"]), on=bool(request["on"]))
        return overview(self.project)

    def use_gold(self, request: Request) -> Any:
        use_gold(self.project, fits=None if request["fits"] is None else bool(request["fits"]))
        return overview(self.project)

    # -- labels ----------------------------------------------------------------------------------------

    def next(self, request: Request) -> Any:
        """The row to label next; None if none is left. A random row scores the labels, so it is shown without them."""
        session, picked = self.project.current, _picked(request) or "gain"
        row = next_row(session, picked, self.project.by)
        views = [] if row is None else show_rows(session, [row])
        shown = [view.blind() if picked == "random" else view for view in views]
        people = session.known.people.get(row, {}) if row is not None and picked == "differ" else {}
        said = [[by or NOBODY, list(entry.classes)] for by, entry in people.items()]
        return {"row": shown[0].to_dict() | {"people": said} if shown else None, "gold": gold(self.project)}

    def label(self, request: Request) -> Any:
        """Write a label: one class, several possible ones, or none to skip the row."""
        row, classes = _integer(request, "row"), [str(name) for name in request["classes"]]
        with self.project.gold_lock:
            session = self.project.current
            space = session.votes.space
            if row >= len(session.votes):
                raise ShortlistError(f"there is no row {row}", row=row)
            positions = {space.position(name) for name in classes}  # an unknown class is an error
            if len(positions) == len(space):
                raise ShortlistError("every class is the same as no label: skip the row instead")
            names = [space[position] for position in sorted(positions)]
            entry = entry_for(session.rows, row, names, _picked(request), self.project.by)
            session.gold_file.add(entry)
            self._gold_changed(f"row {row} labelled", lambda: session.gold_said(row, entry))
            view = show_rows(self.project.current, [row])[0]
            return {"entry": entry.to_dict(), "row": view.to_dict(), "gold": gold(self.project)}

    def undo(self, request: Request) -> Any:
        """Take back a label."""
        with self.project.gold_lock:
            session = self.project.current
            if session.gold_file.undo(Entry.from_dict(request["entry"])) is None:
                raise ShortlistError("this label was already taken back elsewhere")
            self._gold_changed("label taken back", session.gold_changed)
            return {"gold": gold(self.project)}

    def _gold_changed(self, title: str, update: Callable[[], None]) -> None:
        """Fit again if gold labels take part in the fit; else update what depends on them, which is quick.

        If others work on the project at this moment, `OpenProject.follow` fits again later.
        """
        project = self.project
        project.labels += 1
        settings = project.current.settings
        fits = settings.data.people == "votes" or (settings.gold_fits and not project.bare)
        if fits and project.lock.acquire(blocking=False):
            try:
                project.refresh(title)
            finally:
                project.lock.release()
            return
        update()
        if project.watch is not None and not fits:
            project.watch.gold_was_read()
        project.changed(title)

    # -- files -----------------------------------------------------------------------------------------

    def export(self, request: Request) -> Any:
        """Write the files of a stage, as the command line does, and return their paths."""
        stages = {"labels": ["export"], "votes": ["vote"], "report": ["report"], "everything": None}
        what = str(request["what"])
        if what not in stages:
            raise ShortlistError(f"{what!r} cannot be exported. Choose among {', '.join(stages)}")
        project = self._with_labelers()
        with self.project.lock:
            outcomes = project.run(stages[what])
            self.project.current.results.pop("train", None)  # what was read from files is old now
        files = [str(path) for one in outcomes[-1 if stages[what] else 0 :] for path in one.outputs]
        if what != "everything":
            return {"files": files}
        scores = run_scores(facts_of(outcomes))
        self.project.changed("run")
        return {"files": files, "lines": list(run_summary(outcomes, project.history)),
                "scores": None if scores is None else scores._asdict()}  # fmt: skip

    def output(self, name: str) -> Path | None:
        """A file to download: labels, report or classifier; None if there is no such file."""
        if self.project.session is None:
            return None
        folder = self.project.folder / self.project.session.settings.output.folder
        files = folder.iterdir() if name.startswith(OUTPUTS) and folder.is_dir() else ()
        return next((one for one in files if one.name == name and one.is_file() and not one.is_symlink()), None)

    def export_own(self, request: Request) -> Any:
        """Write labels to another file in the project folder; return the command that does the same."""
        project, name, least = self._with_labelers(), str(request["to"]), request.get("min_belief")
        if Path(name).name != name or name.startswith("."):
            raise ShortlistError(f"{name!r} is not the name of a file in the project folder, such as labels.csv")
        if least is not None and (isinstance(least, bool) or not isinstance(least, int | float)):
            raise ShortlistError(f"the least belief must be a number from 0 to 1; got {least!r}")
        extract = Extract(tuple(str(column) for column in request.get("columns", ())), least)
        path = project.folder / name
        with self.project.lock, project.open() as session:
            facts = write_extract(session, path, extract)
        return {"files": [str(path)], "lines": [number_of(facts["labelled"], "row")],
                "command": export_command(name, extract)}  # fmt: skip

    def _with_labelers(self) -> Project:
        if self.project.bare or self.project.watch is None:
            raise ShortlistError("write a rule first: there is nothing to export without labelers")
        return self.project.watch.project

    # -- a new project ---------------------------------------------------------------------------------

    def setup(self, request: Request) -> Any:
        """List the data files of the folder, read the classes of a column, or make a project.

        Only shortlist.toml is written, no code; nothing is left of a try that fails.
        """
        folder = self.project.folder
        data = sorted(path for path in folder.iterdir() if path.suffix.lower() in ROW_FORMATS and path.is_file())[:30]
        if "file" not in request:
            return {"files": [_described(path) for path in data]}
        if request["file"] not in [path.name for path in data]:
            raise ShortlistError(f"there is no data file {request['file']!r} in this folder")
        rows = RowFile(folder / request["file"])
        if "classes" not in request:
            return {"classes": known_classes(rows, str(request["gold"]))}
        with self.project.lock:
            if self.project.exists:
                raise ShortlistError(f"this folder has a {NAME} already")
            self._create(rows, request)
        return overview(self.project)

    def _create(self, rows: RowFile, request: Request) -> None:
        classes, text = list(request["classes"]), request.get("text")
        id, gold_column = request.get("id"), request.get("gold")
        if len(set(classes)) < 2 or len(set(classes)) < len(classes) or not all(classes):
            raise ShortlistError("name at least two different classes", option=("classes",))
        rows.need(*(column for column in (text, id, gold_column) if column is not None))
        if gold_column is not None and (others := list(not_classes(rows, gold_column, classes))):
            raise ShortlistError(
                f"{gold_column} also holds {listed(others[:20])}: add those that are classes", column=gold_column
            )
        numbers = [name for name, kind in rows.schema.items() if kind.is_numeric() and name not in (id, gold_column)]
        path = self.project.folder / NAME
        with atomic(path) as written:
            features = () if text is not None else numbers
            written.write(toml_text(request["file"], classes, text, features, id, gold_column, rows).encode())
        try:
            self.project.refresh("project created")
        except Exception:
            path.unlink()
            self.project.forget()
            raise


def export_command(name: str, extract: Extract) -> str:
    """The command line that writes the same file."""
    parts = ["shortlist export --to", quote(name)]
    parts += ["--columns", quote(listed(extract.columns, gap=""))] if extract.columns else []
    parts += [] if extract.min_belief is None else ["--min-belief", f"{extract.min_belief:g}"]
    return " ".join(parts)


def _described(path: Path) -> dict[str, Any]:
    """A data file: its columns, their likely roles, and its first rows."""
    try:
        file = RowFile(path)
        guess = Guess.of(file)
        classes = known_classes(file, guess.gold) if guess.gold else []
        first = [
            {key: "" if value is None else str(value)[:200] for key, value in line.items()}
            for line in file.head(3).to_dicts()
        ]
    except ShortlistError as error:
        return {"file": path.name, "problem": str(error)}
    columns = {column: str(kind) for column, kind in file.schema.items()}
    return {
        "file": path.name, "columns": columns, "text": guess.text, "id": guess.id, "gold": guess.gold,
        "classes": classes, "first": first,
    }  # fmt: skip


def _picked(request: Request) -> Picked | None:
    """The way the row was picked; None if the user chose it."""
    value: Picked | None = request.get("picked")
    if value not in (None, *PICKS):
        raise ShortlistError(f"rows are picked by {' or '.join(PICKS)}; got {value!r}")
    return value


def _integer(request: Request, name: str, default: int | None = None) -> int:
    value = request.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ShortlistError(f"{name} must be a whole number, 0 or more; got {value!r}")
    return value
