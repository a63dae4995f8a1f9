"""Overview: the state of the project at a glance: totals, labelers, what is there to do, what changed."""

from __future__ import annotations

from typing import Any

from shortlist.analysis import Analysis
from shortlist.project.change import Change
from shortlist.project.session import Session
from shortlist.studio.desk import Desk
from shortlist.studio.rules import Rule, rules


def overview(desk: Desk) -> dict[str, Any]:
    """What is known at once. What takes longer is in `figures`."""
    if not desk.is_project:
        return {"open": False, "setup": True, "revision": desk.revision, "mistake": desk.mistake}
    if desk.session is None:
        return {"open": False, "setup": False, "revision": desk.revision, "mistake": desk.mistake}
    session = desk.session
    data = session.settings.data
    return {
        "open": True,
        "revision": desk.revision,
        "mistake": desk.mistake,
        "name": session.folder.resolve().name,
        "files": list(data.files),
        "text": data.text,
        "columns": session.rows.columns,
        "bare": desk.bare,
        "rows": len(session.votes),
        "classes": list(session.settings.classes),
        "models": list(session.settings.models),  # their names only: keys never reach the page
        "notes": [] if desk.watch is None or desk.bare else list(dict.fromkeys(desk.watch.notes)),
        "totals": {} if desk.bare or desk.watch is None or desk.watch.last is None else desk.watch.last.totals,
        "gold": gold(session, bare=desk.bare),
        "labelers": labelers(desk),
        "shares": {} if desk.bare else shares(session.analysis),
        "states": [state.to_dict() for state in desk.states.all],
        "change": summary(desk.change),
    }


def gold(session: Session, *, bare: bool) -> dict[str, Any]:
    """How many classes are known, and how often the model is right on them, beside counting votes."""
    analysis, known = session.analysis, session.known
    several, skipped = len(known.shortlists), len(known.skipped)
    facts: dict[str, Any] = {"rows": 0, "several": several, "skipped": skipped, "lost": known.lost}
    facts["fits"] = session.settings.gold_fits
    facts["hard"] = hard_rows(session)
    if analysis.gold is None:
        return facts
    facts["rows"] = analysis.known_rows
    facts["voted"] = int(analysis.scored.sum())
    if not bare and facts["voted"]:
        facts |= {"model": analysis.right_on_gold, "counting": analysis.counting_on_gold}
    return facts


def hard_rows(session: Session) -> int:
    """How many gold rows were picked because they are hard. Rows that are gone are counted, too."""
    file = session.gold_file
    picked, latest = file.picked(), file.latest()
    return sum(how == "gain" and len(latest[key].classes) == 1 for key, how in picked.items())


def labelers(desk: Desk) -> list[dict[str, Any]]:
    """Every labeler, those that are switched off too: what it may say, and its figures where it is on."""
    session = desk.opened
    last = None if desk.bare or desk.watch is None else desk.watch.last
    figures = {} if last is None else {line["labeler"]: line for line in last.labelers.to_dicts()}
    return [_labeler(session, rule, figures.get(rule.name)) for rule in rules(session)]


def _labeler(session: Session, rule: Rule, figures: dict[str, Any] | None) -> dict[str, Any]:
    found = {"name": rule.name, "kind": rule.kind, "origin": rule.origin, "on": rule.on, "says": rule.says}
    if figures is None:
        return found
    i = session.votes.names.index(rule.name)
    space, codomain = session.votes.space, session.votes.codomains[i]
    failure = session.votes.failures[i]
    return found | figures | {
        "says": [list(space.ordered(one)) for one in codomain.says],
        "failed": None if failure is None else failure.count,
        "one_sided": codomain.one_sided,
    }  # fmt: skip


def shares(analysis: Analysis) -> dict[str, float]:
    """The share of each class, as believed."""
    return dict(zip(analysis.votes.space, (analysis.mass / len(analysis.votes)).tolist(), strict=True))


def summary(change: Change | None) -> dict[str, Any] | None:
    """What the last change did."""
    return None if change is None else change.to_dict()
