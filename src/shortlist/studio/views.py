"""Views of an open project as plain data: the overview, figures that take longer, and two states compared."""

from __future__ import annotations

from typing import Any

from shortlist.analysis.labeler_tables import LABELER_COLUMNS
from shortlist.browse import show_rows
from shortlist.browse.labeling import differing_rows
from shortlist.errors import ShortlistError
from shortlist.joint import JointModel
from shortlist.labelmodel.evidence import unique
from shortlist.project.cache import State
from shortlist.project.changes import Change
from shortlist.project.gold import agreed, agreement
from shortlist.project.session import Session
from shortlist.project.stages.check import make_checkup, make_overview, recorded
from shortlist.project.stages.fit import score_fit
from shortlist.project.stages.run import is_current
from shortlist.project.stages.stage import Facts
from shortlist.project.stages.train import combine_in_memory
from shortlist.reporting.checkup import Advice
from shortlist.reporting.drawings import histogram, labeler_cells, reliability
from shortlist.studio.open_project import OpenProject
from shortlist.studio.rules import Rule, rules

Results = tuple[dict[str, Facts], JointModel | None]


def overview(project: OpenProject) -> dict[str, Any]:
    """Everything that is known at once; the rest is in `figures`."""
    state = {"setup": not project.exists, "revision": project.revision, "problem": project.problem}
    if project.session is None or not project.exists:
        return {"open": False, **state}
    session, watch, bare = project.session, project.watch, project.bare
    analysis, schema = session.analysis, session.rows.files[0].schema
    roles = (session.settings.data.id, session.settings.data.gold)
    shares = dict(zip(analysis.votes.space, (analysis.mass / len(analysis.votes)).tolist(), strict=True))
    return {
        "open": True,
        **state,
        "name": session.folder.resolve().name,
        "columns": session.rows.columns,
        "text": session.settings.data.text,
        "shown": session.rows.to_show().columns,
        "numbers": [name for name in session.rows.columns if name not in roles and schema[name].is_numeric()],
        "bare": bare,
        "rows": len(session.votes),
        "classes": list(session.settings.classes),
        "models": list(session.settings.models),  # names only: keys never reach the page
        "encoder": bool(session.settings.classifier.encoder),
        "notes": [] if bare or watch is None else list(dict.fromkeys(watch.notes)),
        "totals": {} if bare or watch is None or watch.last is None else watch.last.totals,
        "gold": gold(project),
        "labelers": labelers(project),
        "table": table_columns(session),
        "shares": {} if bare else shares,
        "run": last_run(session),
        "states": [one.to_dict() for one in project.states.all],
        "change": None if project.change is None else project.change.to_dict(),
    }


def last_run(session: Session) -> dict[str, Any] | None:
    """The classifier and the labels of the last run: its teacher, and files to download."""
    record = State(session.hidden / "state.json").records.get("train")
    if record is None:
        return None
    folder = session.folder / session.settings.output.folder
    files = [path.name for name in ("labels.*", "report.html", "classifier.*") for path in sorted(folder.glob(name))]
    facts = {name: record.facts.get(name) for name in ("trained_on", "reason")}
    return {**facts, "files": files}


def gold(project: OpenProject) -> dict[str, Any]:
    """Counts of gold labels, and the accuracy on them of the model and of counting votes."""
    session = project.current
    analysis, known, file = session.analysis, session.known, session.gold_file
    people, votes = file.by_row(), session.settings.data.people == "votes"
    picked = {} if votes else file.picked()
    hard = sum(how != "random" and len(agreed(people[key].values())) == 1 for key, how in picked.items())
    shared = agreement(known.people, known.names)
    facts: dict[str, Any] = {
        "rows": 0, "several": len(known.shortlists), "skipped": len(known.skipped),
        "fits": session.settings.use_gold, "hard": hard, "by": project.by, "votes": votes,
        "differ": len(differing_rows(session, len(known.people), project.by)),
        "agreement": None if shared is None else str(shared),
    }  # fmt: skip
    if analysis.gold is not None:
        facts |= {"rows": analysis.known_rows, "voted": int(analysis.scored.sum())}
        if not project.bare and facts["voted"]:
            facts |= {"model": analysis.right_on_gold, "counting": analysis.counting_on_gold}
    return facts


def table_columns(session: Session) -> list[dict[str, str]]:
    """Columns of the table of labelers; those about gold rows if there are any."""
    gold = session.analysis.gold is not None
    columns = [one for one in LABELER_COLUMNS if gold or not one.name.startswith("gold")]
    return [{"name": one.name, "title": one.title.capitalize(), "help": one.help} for one in columns]


def labelers(project: OpenProject) -> list[dict[str, Any]]:
    """Every labeler, including those switched off: its possible votes, and its figures if it is on."""
    last = None if project.bare or project.watch is None else project.watch.last
    figures = {} if last is None else {line["labeler"]: line for line in last.labelers.to_dicts()}
    return [_labeler(project.current, rule, figures.get(rule.name)) for rule in rules(project.current)]


def _labeler(session: Session, rule: Rule, figures: dict[str, Any] | None) -> dict[str, Any]:
    facts = {"name": rule.name, "on": rule.on, "says": rule.says}
    if figures is None:
        return facts
    i = session.votes.names.index(rule.name)
    space, codomain = session.votes.space, session.votes.codomains[i]
    failure = session.votes.failures[i]
    return facts | figures | {
        "says": [list(space.ordered(one)) for one in codomain.says],
        "failed": None if failure is None else failure.count,
        "cells": labeler_cells(figures, len(space)),
    }  # fmt: skip


# -- figures -------------------------------------------------------------------------------------------


def figures(session: Session, made: Results) -> dict[str, Any]:
    """Figures that take seconds: the worth of each labeler, and advice as `shortlist check` has it."""
    page, k = make_overview(session, *made), len(session.votes.space)
    checkup = make_checkup(session, page, time_limit=5.0)
    drawings = {"beliefs": histogram(session.analysis.belief)}
    if session.analysis.calibration is not None:
        drawings["calibration"] = reliability(session.analysis.calibration)
    lines = page.labelers.iter_rows(named=True)
    return {
        "labelers": {line["labeler"]: line | {"cells": labeler_cells(line, k)} for line in lines},
        "todo": [_advice(one, len(session.votes)) for one in checkup.advice],
        "to_add": checkup.to_add,
        "promise": checkup.promise,
        "drawings": drawings,
    }


def results(session: Session) -> Results:
    """Facts and final labels of the last run, if nothing changed since; else as the next run would have them.

    With many rows, the final labels are those of the last run in any case.
    """
    if is_current(session, "vote", "fit", "train"):
        return recorded(session), session.joint
    known, made = session.known, combine_in_memory(session)
    scored = (
        score_fit(session.settings, unique(session.votes, known.positions, None), session.model) if known.any else {}
    )
    if made is not None:
        return {"fit": scored, "train": made[1]}, made[0]
    old = session.has("train") and len(session.joint.beliefs_) == len(session.votes)
    return {"fit": scored}, session.joint if old else None


def _advice(advice: Advice, rows: int) -> dict[str, Any]:
    """A piece of advice, with the rule or the rows that the page opens for it."""
    facts = {"kind": advice.kind, "what": advice.what, "why": advice.why, "gain": advice.show_gain(rows)}
    if advice.kind == "mixed":
        return facts | {"query": {"believed": advice.about, "unsure": True}}
    if advice.kind == "uncovered":
        return facts | {"query": {"uncovered": True}}
    if advice.kind == "leave out" and advice.measured:
        return facts | {"query": {"labeler": advice.about, "wrong": True}}
    return facts | {"labeler": advice.about or None}


# -- comparison ----------------------------------------------------------------------------------------


def compare(project: OpenProject, before: int, after: int, *, offset: int = 0, limit: int = 20) -> dict[str, Any]:
    """Compare two states: totals, edits, and some rows that changed their label."""
    one, other = project.states.find(before), project.states.find(after)
    change, session = Change(one.snapshot, other.snapshot), project.current
    if len(session.votes) != len(change.after.labels):
        raise ShortlistError("the data files changed: restart the studio to compare")
    examples = [
        row.to_dict() | {"was": change.label(change.before, row.row), "is": change.label(change.after, row.row)}
        for row in show_rows(session, change.flipped[offset : offset + limit])
    ]
    return {
        **change.to_dict(),
        "same_rows": change.same_rows,
        "examples": examples,
    }
