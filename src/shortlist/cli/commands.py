"""Commands: what those of single stages, and `run`, do and show."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from shortlist.cli.ending import ending
from shortlist.cli.screen import Screen
from shortlist.errors import MissingPackage, ShortlistError
from shortlist.project import Outcome, Project
from shortlist.project.kept.history import figures_of
from shortlist.wording import some_of


def _run(folder: Path, stage: str, screen: Screen, force: bool) -> tuple[Project, Outcome]:
    """Bring one stage up to date; what goes before it is told in a line each."""
    project = Project(folder)
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
        screen.text(f"Nothing to do: {done} are up to date ({took:.2f} s).")
    for line in ending(outcomes, project.history) if worked else ():
        screen.text(line)
    since = project.history.change if worked else {}
    found = {"did": worked, "seconds": round(took, 3), "figures": figures_of(outcomes), "since": since}
    screen.json({**found, "stages": [one.to_dict() for one in outcomes]})


def show_stage(folder: Path, stage: str, *, force: bool, as_json: bool) -> Outcome:
    """Bring a stage up to date, and show its one line."""
    screen = Screen(as_json=as_json)
    _, outcome = _run(folder, stage, screen, force)
    if outcome.status == "skipped":
        raise MissingPackage(outcome.notes[0])
    if not as_json:
        screen.outcome(outcome)
    screen.json(outcome.to_dict())
    return outcome


def show_votes(folder: Path, *, force: bool, as_json: bool) -> None:
    screen = Screen(as_json=as_json)
    project, outcome = _run(folder, "vote", screen, force)
    from shortlist.analysis import Analysis

    sample = project.session.sample
    table = Analysis(sample.votes, gold=sample.gold).labelers(level=None)
    _headline(screen, outcome)
    _labelers(screen, table)
    screen.json({**outcome.to_dict(), "table": table.to_dicts()})


def show_fit(folder: Path, *, force: bool, as_json: bool) -> None:
    screen = Screen(as_json=as_json)
    project, outcome = _run(folder, "fit", screen, force)
    analysis = project.session.seen
    table = analysis.labelers(level=None)
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
    project, outcome = _run(folder, "check", screen, force)
    checkup = project.session.checkup
    for line in checkup.lines():
        screen.text(line)
    verdict, *rest = checkup.diagnosis.findings
    screen.text(f"\nCan accuracies be learned from votes alone? {verdict}")
    for finding in rest if theory else ():
        screen.text(f"  - {finding}")
    if rest and not theory:
        screen.text("More about it: shortlist check --theory")
    screen.json(outcome.to_dict())
    found: bool | None = outcome.facts["identifiable"]
    return found


def show_export(folder: Path, to: Path | None, *, force: bool, as_json: bool) -> None:
    screen = Screen(as_json=as_json)
    if to is not None:
        from shortlist.rows import table_format

        table_format(to)  # a name that cannot be is told before the work
    project, outcome = _run(folder, "export", screen, force)
    if to is not None:
        project.export(to)
    where = to or outcome.outputs[0]
    classes = outcome.facts["classes"]
    screen.text(f"{outcome.facts['labelled']:,} of {len(project.session.parts):,} rows are labelled → {where}")
    screen.table(None, ["class", "rows"], [[name, f"{count:,}"] for name, count in classes.items()])
    screen.json({**outcome.to_dict(), "outputs": [str(where)]})


def show_prediction(folder: Path, files: list[Path], to: Path | None, *, as_json: bool) -> None:
    screen = Screen(as_json=as_json)
    if to is None:
        raise ShortlistError("say which file to write: shortlist predict FILES --to predictions.parquet")
    project = Project(folder)
    with screen.working():
        facts = project.predict(*(files or project.rows.paths), path=to, listener=screen)
    right = f", {facts['accuracy']:.1%} right on {facts['gold_rows']:,} gold rows" if "accuracy" in facts else ""
    screen.text(f"{facts['rows']:,} rows{right} → {to}")
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
    """The table of labelers, shares in per cent."""
    shown = {name: header for name, header in COLUMNS.items() if name in table.columns}
    rows = [[_cell(name, line[name]) for name in shown] for line in table.iter_rows(named=True)]
    screen.table("Labelers", list(shown.values()), rows)


def _cell(name: str, value: Any) -> str:
    if name == "labeler":
        return str(value)
    if value is None:
        return "–"
    return f"{value:.1f}" if name == "size" else _percent(value)


def _percent(value: float) -> str:
    return f"{value:.1%}"
