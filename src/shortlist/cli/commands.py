"""Commands that run stages: run, vote, fit, check, export, predict and plan."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.cli.screen import Screen
from shortlist.errors import MissingPackage, ShortlistError, warnings_as_notes
from shortlist.project import Outcome, Project
from shortlist.project.run_summary import facts_of, run_of, run_scores, run_summary
from shortlist.project.stages.check import recorded
from shortlist.project.stages.run import left_over
from shortlist.project.stages.stage import Facts
from shortlist.wording import number_of, percent, some_of

if TYPE_CHECKING:
    from shortlist.project.labels import Extract
    from shortlist.project.session import Session


def show_run(
    folder: Path,
    *,
    force: bool,
    as_json: bool,
    engine: str | None = None,
    address: str | None = None,
    by: str | None = None,
) -> None:
    """Run every stage that is out of date."""
    start = time.perf_counter()
    screen = Screen(as_json=as_json, each_stage=True)
    project = Project(folder)
    with screen.working():
        outcomes = project.run(force=force, listener=screen, engine=engine, address=address, by=by)
    screen.notes([one for one in outcomes if one.status != "up to date"])
    seconds = time.perf_counter() - start
    done = [one.stage for one in outcomes if one.status == "done"]
    if not done:
        names = ", ".join(one.stage for one in outcomes if one.status == "up to date")
        screen.text(f"Everything is up to date: {names} ({seconds:.2f} s).")
    facts = facts_of(outcomes)
    scores = run_scores(facts)
    if scores is not None:
        screen.table(*scores)
    old = [str(path) for path in left_over(project.session, outcomes)]
    for line in run_summary(outcomes, project.history, old):
        screen.text(line)
    since = project.history.change if done else {}
    screen.json({"did": done, "seconds": round(seconds, 3), "figures": run_of(facts).figures, "since": since,
                 "old": old, "stages": [one.to_dict() for one in outcomes]})  # fmt: skip


def run_stage(project: Project, stage: str, screen: Screen, **how: Any) -> Outcome:
    """Bring one stage up to date, with those before it. `how` are force, engine and address of `Project.run`."""
    with screen.working():
        outcomes = project.run([stage], listener=screen, **how)
    screen.notes([one for one in outcomes if one.status == "done" or (one.stage == stage and one.status != "skipped")])
    return outcomes[-1]


def fitted_session(folder: Path, screen: Screen) -> Session:
    """Open a project with votes and label model up to date."""
    project = Project(folder)
    with screen.working():
        outcomes = project.run(["fit"], listener=screen)
    screen.notes([one for one in outcomes if one.status == "done"])
    return project.session


def show_stage(folder: Path, stage: str, *, as_json: bool, **how: Any) -> Outcome:
    """Bring a stage up to date, and print its summary."""
    screen = Screen(as_json=as_json)
    outcome = run_stage(Project(folder), stage, screen, **how)
    if outcome.status == "skipped":
        raise MissingPackage(outcome.notes[0])
    if not as_json:
        screen.outcome(outcome)
    screen.json(outcome.to_dict())
    return outcome


def show_votes(folder: Path, *, as_json: bool, **how: Any) -> None:
    """Apply the labelers, and print the table of labelers."""
    from shortlist.analysis import Analysis

    screen, project = Screen(as_json=as_json), Project(folder)
    outcome = run_stage(project, "vote", screen, **how)
    sample = project.session.sample
    table = Analysis(sample.votes, gold=sample.gold).labelers(level=None)
    _headline(screen, outcome)
    _labelers(screen, table)
    screen.json({**outcome.to_dict(), "table": table.to_dicts()})


def show_first_votes(folder: Path, first: int, *, as_json: bool) -> None:
    """Ask the labelers about the first rows only, and print what they say. No votes are saved."""
    from shortlist.project.voting import vote_on

    screen, project = Screen(as_json=as_json), Project(folder)
    notes: list[str] = []
    with screen.working(), project.open(screen) as session, warnings_as_notes(notes):
        chunk, votes = vote_on(session.roster, session.rows, range(min(first, len(session.rows))), screen.tell)
        plan = session.plan()
    for note in notes:
        screen.note(note)
    rows = []
    for a, text in enumerate(chunk.values(session.settings.data.text)):
        rows.append({"row": a, "votes": {name: list(said) for name, said in votes.said(a).items()}})
        said = "; ".join(f"{name}: {votes.space.show(classes)}" for name, classes in votes.said(a).items())
        screen.text(f"{a}  {' '.join(str(text).split())[:100]}\n   {said or 'no labeler votes'}")
    if plan.lines:
        screen.text(f"\nAll rows: {plan.head}")
    screen.json({"rows": rows, "plan": plan.to_dict()})


def show_fit(folder: Path, stage: str, *, as_json: bool, **how: Any) -> None:
    """Fit the label model, and print the table of labelers and the class shares."""
    screen, project = Screen(as_json=as_json), Project(folder)
    outcome = run_stage(project, stage, screen, **how)
    analysis = project.session.sampled_analysis
    table = analysis.labelers()
    shares = dict(zip(analysis.votes.space, (analysis.mass / len(analysis.votes)).tolist(), strict=True))
    _headline(screen, outcome)
    _labelers(screen, table)
    screen.table("Estimated class shares", ["class", "share"], [[name, percent(one)] for name, one in shares.items()])
    screen.json({**outcome.to_dict(), "table": table.to_dicts(), "classes": shares})


def show_check(folder: Path, *, theory: bool, as_json: bool, **how: Any) -> bool | None:
    """Print what to improve; return whether accuracies can be learned from votes alone, None if unknown."""
    screen, project = Screen(as_json=as_json), Project(folder)
    outcome = run_stage(project, "check", screen, **how)
    checkup = project.session.checkup
    scores = run_scores(recorded(project.session))
    if scores is not None:
        screen.table(*scores)
    for line in checkup.lines():
        screen.text(line)
    rest = checkup.diagnosis.findings[1:]
    if checkup.to_add:
        screen.text(f"\nWhat to add: {checkup.to_add}")
    if checkup.promise:
        screen.text(f"\nCertificate: {checkup.promise}")
    if checkup.agreement:
        screen.text(f"\nPeople: {checkup.agreement}")
    screen.text(f"\nCan accuracies be learned from votes alone? {checkup.verdict}")
    for finding in rest if theory else ():
        screen.text(f"  - {finding}")
    if rest and not theory:
        screen.text("For details: shortlist check --theory")
    screen.json(outcome.to_dict())
    identifiable: bool | None = outcome.facts["identifiable"]
    return identifiable


def show_export(folder: Path, to: Path | None, extract: Extract, *, as_json: bool, **how: Any) -> None:
    """Write the labels: the project's own file, and the one of --to."""
    from shortlist.project.stages.run import write_extract

    screen, project = Screen(as_json=as_json), Project(folder)
    _check_export(project, to, extract)
    outcome = run_stage(project, "export", screen, **how)
    path, facts = outcome.outputs[0], outcome.facts
    if to is not None:
        with project.open() as session:
            path, facts = to, write_extract(session, to, extract)
    least = "" if extract.min_belief is None else f" with a belief of at least {extract.min_belief:g}"
    are = "is" if facts["labelled"] == 1 else "are"
    screen.text(f"{facts['labelled']:,} of {len(project.session.parts):,} rows {are} labelled{least} → {path}")
    for column, counts in (("class", facts["classes"]), ("source", facts["sources"])):
        screen.table(None, [column, "rows"], [[name, f"{count:,}"] for name, count in counts.items()])
    screen.json({**outcome.to_dict(), **facts, "outputs": [str(path)]})


def _check_export(project: Project, to: Path | None, extract: Extract) -> None:
    """Raise before any work if the file cannot be written as asked."""
    from shortlist.rows import table_format

    if to is not None:
        table_format(to)
        extract.check(project.rows)
    elif extract != type(extract)():
        raise ShortlistError("--columns, --min-belief and --votes-only need a file: add --to labels.csv")


def show_prediction(
    folder: Path, files: list[Path], to: Path, extract: Extract, *, as_json: bool, **how: str | None
) -> None:
    """Classify the rows of files, and write the predictions. `how` are engine and address of `Project.predict`."""
    screen, project = Screen(as_json=as_json), Project(folder)
    with screen.working():
        facts = project.predict(
            *files, path=to, listener=screen, columns=extract.columns, min_belief=extract.min_belief, **how
        )
    score = f", {facts['accuracy']:.1%} right on {facts['gold_rows']:,} gold rows" if "accuracy" in facts else ""
    of = "" if extract.min_belief is None else f"{facts['written']:,} of "
    screen.text(f"{of}{number_of(facts['rows'], 'row')}{score} → {to}")
    for line in alarm_lines(facts):
        screen.text(line)
    screen.json({**facts, "outputs": [str(to)]})


def alarm_lines(facts: Facts) -> Iterator[str]:
    """Whether new rows look like those that were certified; nothing where none were."""
    if facts.get("alarms"):
        yield "ALARM: these rows differ from those that were certified. Agreement with other labelers:"
        yield from (f"  {alarm}" for alarm in facts["alarms"])
        yield "The certificate does not cover such rows: label some of them at random, and certify again."
    if "alarms" in facts:
        sign = (
            "A further alarm"
            if facts["alarms_so_far"]
            else "No sign that rows differ from the certified ones. An alarm"
        )
        rate, watched = facts["false_alarms"], number_of(facts["watched"], "score")
        yield f"{sign} would be false in at most {rate:.0%} of projects ({watched} watched)."


def show_certificate(
    folder: Path, right: float, sure: float, to: Path | None, *, all_random: bool, as_json: bool
) -> None:
    """Print which rows are right often enough, and write their labels."""
    from shortlist.rows import table_format

    screen, project = Screen(as_json=as_json), Project(folder)
    if to is not None:
        table_format(to)
    with screen.working():
        made = project.certify(right, sure, path=to, all_random=all_random, listener=screen)
    certificate = made.certificate
    screen.text(f"{certificate}\n{made.sets}")
    if to is not None:
        screen.text(f"{number_of(made.written, 'row')}{', gold rows included' * bool(made.written)} → {to}")
    screen.json(certificate.to_dict() | {"outputs": [] if to is None else [str(to)]})


def _headline(screen: Screen, outcome: Outcome) -> None:
    asked = outcome.facts.get("asked", [])
    new = f"; asked {some_of(asked)}" if asked else ""
    screen.text(f"{outcome.summary}{new}{' (up to date)' if outcome.status == 'up to date' else ''}")


def _labelers(screen: Screen, table: Any) -> None:
    """Print the table of labelers."""
    from shortlist.analysis.labeler_tables import labeler_lines

    screen.table("Labelers", *labeler_lines(table))


def show_plan(folder: Path, first: int | None, *, as_json: bool) -> None:
    """Print what asking language models would cost. Nothing is sent."""
    screen, project = Screen(as_json=as_json), Project(folder)
    plan, spent = project.plan(first=first), project.spent
    screen.json({**plan.to_dict(), "spent": [asdict(one) for one in spent]})
    if not plan.lines:
        screen.text("no labeler asks a language model: nothing would be sent")
        return
    screen.table("Planned requests (nothing was sent)", *plan.table())
    screen.text(plan.head)
    if plan.seconds is None:
        screen.text("To measure the time, and to see some answers: shortlist vote --first 20")
    if spent:
        calls, tokens = sum(one.calls for one in spent), sum(one.tokens for one in spent)
        paid = sum(one.money for one in spent)
        screen.text(f"spent so far: {calls:,} calls, {tokens:,} tokens{f', {paid:.4f} of money' if paid else ''}")
