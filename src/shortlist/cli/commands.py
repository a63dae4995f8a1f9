"""Commands: what those of single stages, and `run`, do and show."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.cli.ending import ending
from shortlist.cli.screen import Screen
from shortlist.errors import MissingPackage, ShortlistError
from shortlist.project import Outcome, Project
from shortlist.project.kept.history import figures_of
from shortlist.project.stages.running import left_over
from shortlist.wording import NOT_KNOWN, number_of, some_of, split_names

if TYPE_CHECKING:
    from shortlist.project.parts.extract import Extract


def _run(project: Project, stage: str, screen: Screen, force: bool) -> tuple[Project, Outcome]:
    """Bring one stage up to date; what goes before it is told in a line each."""
    with screen.working():
        outcomes = project.run([stage], force=force, listener=screen)
    screen.notes([one for one in outcomes if one.status == "done" or (one.stage == stage and one.status != "skipped")])
    return project, outcomes[-1]


def show_run(
    folder: Path, *, force: bool, as_json: bool, engine: str | None = None, address: str | None = None
) -> None:
    start = time.perf_counter()
    screen = Screen(as_json=as_json, each_stage=True)
    project = Project(folder)
    with screen.working():
        outcomes = project.run(force=force, listener=screen, engine=engine, address=address)
    screen.notes([one for one in outcomes if one.status != "up to date"])
    took = time.perf_counter() - start
    worked = [one.stage for one in outcomes if one.status == "done"]
    if not worked:
        done = ", ".join(one.stage for one in outcomes if one.status == "up to date")
        screen.text(f"All is up to date: {done} ({took:.2f} s).")
    old = [str(path) for path in left_over(project.session, outcomes)]
    for line in ending(outcomes, project.history, old):
        screen.text(line)
    since = project.history.change if worked else {}
    found = {"did": worked, "seconds": round(took, 3), "figures": figures_of(outcomes), "since": since, "old": old}
    screen.json({**found, "stages": [one.to_dict() for one in outcomes]})


def show_stage(folder: Path, stage: str, *, force: bool, as_json: bool) -> Outcome:
    """Bring a stage up to date, and show its one line."""
    screen = Screen(as_json=as_json)
    _, outcome = _run(Project(folder), stage, screen, force)
    if outcome.status == "skipped":
        raise MissingPackage(outcome.notes[0])
    if not as_json:
        screen.outcome(outcome)
    screen.json(outcome.to_dict())
    return outcome


def show_votes(folder: Path, *, force: bool, as_json: bool) -> None:
    screen = Screen(as_json=as_json)
    project, outcome = _run(Project(folder), "vote", screen, force)
    from shortlist.analysis import Analysis

    sample = project.session.sample
    table = Analysis(sample.votes, gold=sample.gold).labelers(level=None)
    _headline(screen, outcome)
    _labelers(screen, table)
    screen.json({**outcome.to_dict(), "table": table.to_dicts()})


def show_fit(folder: Path, *, force: bool, as_json: bool) -> None:
    screen = Screen(as_json=as_json)
    project, outcome = _run(Project(folder), "fit", screen, force)
    analysis = project.session.seen
    table = analysis.labelers()
    shares = (analysis.mass / len(analysis.votes)).tolist()
    _headline(screen, outcome)
    _labelers(screen, table)
    screen.table("Classes, as believed", ["class", "share"], [
        [name, _percent(share)] for name, share in zip(analysis.votes.space, shares, strict=True)
    ])  # fmt: skip
    balance = dict(zip(analysis.votes.space, shares, strict=True))
    screen.json({**outcome.to_dict(), "table": table.to_dicts(), "classes": balance})


def show_check(folder: Path, *, theory: bool, force: bool, as_json: bool) -> bool | None:
    screen = Screen(as_json=as_json)
    project, outcome = _run(Project(folder), "check", screen, force)
    checkup = project.session.checkup
    for line in checkup.lines():
        screen.text(line)
    rest = checkup.diagnosis.findings[1:]
    screen.text(f"\nCan accuracies be learned from votes alone? {checkup.verdict}")
    for finding in rest if theory else ():
        screen.text(f"  - {finding}")
    if rest and not theory:
        screen.text("More about it: shortlist check --theory")
    screen.json(outcome.to_dict())
    found: bool | None = outcome.facts["identifiable"]
    return found


def show_export(
    folder: Path,
    to: Path | None,
    columns: str,
    min_belief: float | None,
    *,
    plain_names: bool,
    force: bool,
    as_json: bool,
) -> None:
    from shortlist.project.parts.extract import Extract
    from shortlist.project.stages.export import write_extract

    screen, project = Screen(as_json=as_json), Project(folder)
    extract = Extract(tuple(split_names(columns)), min_belief, plain_names)
    _check_export(project, to, extract)
    _, outcome = _run(project, "export", screen, force)
    where, facts = outcome.outputs[0], outcome.facts
    if to is not None:
        with project.open() as session:
            where, facts = to, write_extract(session, to, extract)
    least = "" if min_belief is None else f" with a belief of at least {min_belief:g}"
    are = "is" if facts["labelled"] == 1 else "are"
    screen.text(f"{facts['labelled']:,} of {len(project.session.parts):,} rows {are} labelled{least} → {where}")
    screen.table(None, ["class", "rows"], [[name, f"{count:,}"] for name, count in facts["classes"].items()])
    screen.json({**outcome.to_dict(), **facts, "outputs": [str(where)]})


def _check_export(project: Project, to: Path | None, extract: Extract) -> None:
    """What cannot be is told before the work."""
    from shortlist.rows import table_format

    if to is not None:
        table_format(to)
        extract.check(project.rows)
    elif extract != type(extract)():
        raise ShortlistError(
            "--columns, --min-belief and --plain-names are about a file of your own: say which, --to labels.csv"
        )


def show_prediction(folder: Path, files: list[Path], to: Path | None, *, as_json: bool) -> None:
    screen = Screen(as_json=as_json)
    if to is None:
        raise ShortlistError("say which file to write: shortlist predict FILES --to predictions.parquet")
    project = Project(folder)
    with screen.working():
        facts = project.predict(*(files or project.rows.paths), path=to, listener=screen)
    right = f", {facts['accuracy']:.1%} right on {facts['gold_rows']:,} gold rows" if "accuracy" in facts else ""
    screen.text(f"{number_of(facts['rows'], 'row')}{right} → {to}")
    screen.json({**facts, "outputs": [str(to)]})


def _headline(screen: Screen, outcome: Outcome) -> None:
    asked = outcome.facts.get("asked", [])
    what = f"; asked {some_of(asked)}" if asked else ""
    state = " (up to date)" if outcome.status == "up to date" else ""
    screen.text(f"{outcome.line}{what}{state}")


COLUMNS = {
    "labeler": "labeler",
    "coverage": "coverage",
    "overlap": "overlap",
    "conflict": "conflict",
    "size": "size",
    "accuracy": "accuracy",
    "gold_accuracy": "gold accuracy",
}


def _labelers(screen: Screen, table: Any) -> None:
    """The table of labelers, shares in per cent. An accuracy that votes cannot tell is not shown."""
    from shortlist.analysis.labelers import only_known

    table = only_known(table)
    shown = {name: header for name, header in COLUMNS.items() if name in table.columns}
    rows = [[_cell(name, line[name]) for name in shown] for line in table.iter_rows(named=True)]
    screen.table("Labelers", list(shown.values()), rows)


def _cell(name: str, value: Any) -> str:
    if name == "labeler":
        return str(value)
    if value is None:
        return NOT_KNOWN if name == "accuracy" else "–"
    return f"{value:.1f}" if name == "size" else _percent(value)


def _percent(value: float) -> str:
    return f"{value:.1%}"
