"""Rules: the labelers of a project as they are written, edits of those in shortlist.toml, and previews of a draft.

Rules in shortlist.toml are data and can be edited in the browser. Those in labelers.py are code, which is only shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shortlist.analysis.bits import Bits, count
from shortlist.arrays import Mask, Positions
from shortlist.browse import RowView, show_rows
from shortlist.errors import ShortlistError
from shortlist.labelers import Labeler
from shortlist.labelers.apply import Asker
from shortlist.labelers.labeler import AllRows, from_record
from shortlist.labelers.text_search import pieces, spans
from shortlist.labelspace import Not
from shortlist.progress import still_wanted
from shortlist.project.code.toml_labelers import not_a_class, unknown_word
from shortlist.project.session import Session
from shortlist.project.voting import all_chunks
from shortlist.prompts import PROMPTS, PromptLabeler
from shortlist.reporting.trials import evenly_spaced
from shortlist.rows import chunks
from shortlist.studio.open_project import OpenProject
from shortlist.studio.toml_edit import TomlEdit, edited_project
from shortlist.votes import Votes

EDITABLE = ("keywords", "pattern", *PROMPTS)  # kinds that the browser can edit


@dataclass(frozen=True)
class Rule:
    """A labeler as it is written: a record in shortlist.toml, or lines of labelers.py."""

    name: str
    kind: str
    origin: str  # "toml" or "python"
    on: bool
    says: list[list[str]]
    record: dict[str, Any] | None = None
    line: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Conflict(ShortlistError):  # noqa: N818  as in errors.py
    """A rule was changed elsewhere since it was opened; `now` is its record, None if it was removed."""

    def __init__(self, message: str, now: dict[str, Any] | None) -> None:
        super().__init__(message)
        self.now = now


def rules(session: Session) -> list[Rule]:
    """All rules, including those switched off: first those in shortlist.toml, then those in labelers.py."""
    off = session.settings.labelers.off
    written = [_toml_rule(session, dict(record), off) for record in session.settings.declared]
    names = {rule.name for rule in written}
    code = session.roster.code
    own = code.labelers if code else ()
    return [*written, *(_python_rule(session, one, off) for one in own if one.name not in names)]


def _toml_rule(session: Session, record: dict[str, Any], off: tuple[str, ...]) -> Rule:
    labeler = session.unsaved(record)
    return Rule(labeler.name, str(record.get("kind")), "toml", labeler.name not in off, _says(session, labeler), record)


def _python_rule(session: Session, labeler: Labeler, off: tuple[str, ...]) -> Rule:
    code = session.roster.code
    line = code.source.find_definition(labeler.name) if code else None
    kind = str((labeler.record() or {}).get("kind", "function"))
    return Rule(labeler.name, kind, "python", labeler.name not in off, _says(session, labeler), None, line)


def _says(session: Session, labeler: Labeler) -> list[list[str]]:
    """The shortlists that a labeler may give."""
    shortlists = []
    for answer in labeler.says or ():
        negated = isinstance(answer, Not)
        names = answer.classes if isinstance(answer, Not) else answer
        shortlists.append([name for name in session.settings.classes if (name in names) != negated])
    return [shortlist for shortlist in shortlists if shortlist]


def source(session: Session) -> dict[str, Any]:
    """The code of labelers.py."""
    code = session.roster.code
    if code is None:
        return {"file": session.settings.labelers.file, "text": None}
    return {"file": code.source.path.name, "text": code.source.text}


def checked(session: Session, record: Any, replaces: str | None) -> Labeler:
    """Make the labeler of a record from the browser; an error names the `option` that is wrong."""
    if not isinstance(record, Mapping) or record.get("kind") not in EDITABLE:
        raise ShortlistError(f"only rules of kind {', '.join(EDITABLE)} can be edited here", option=("kind",))
    if record["kind"] in PROMPTS and record.get("model") not in list(session.settings.models):
        raise ShortlistError("choose a model that shortlist.toml defines: [models.NAME]", option=("model",))
    labeler = session.unsaved(dict(record)) if record["kind"] in PROMPTS else from_record(dict(record))
    classes = session.settings.classes
    if (word := unknown_word(labeler, classes)) is not None:
        raise ShortlistError(not_a_class(labeler, word, classes), word=word)
    taken = {rule.name for rule in rules(session)} - {replaces}
    if labeler.name in taken:
        raise ShortlistError(f"there is another labeler {labeler.name!r}: choose another name", option=("name",))
    column = session.settings.data.text
    return labeler if column is None else labeler.on_text(column)


# -- edits ---------------------------------------------------------------------------------------------


@contextmanager
def _editing(project: OpenProject, title: str) -> Iterator[TomlEdit]:
    """Edit shortlist.toml, then refresh the project."""
    with project.lock:
        with edited_project(project.folder, project.current.settings.toml.text) as edit:
            yield edit
        project.refresh(title)


def save_rule(project: OpenProject, record: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Write a rule to shortlist.toml and refresh. `before` is the record that was opened, None for a new rule."""
    replaces = None if before is None else str(before.get("name"))
    _ask(project, checked(project.current, record, replaces))
    with project.lock:
        name = checked(project.current, record, replaces).name
        with _editing(project, f"{name} {'edited' if before else 'added'}") as edit:
            _check_unchanged(edit, before, name)
            edit.put({"name": name, **record}, replaces)
            if replaces is not None and replaces != name:
                _switch(edit, replaces, on=True)


def _ask(project: OpenProject, labeler: Labeler) -> None:
    """Ask about all rows before the rule is written, so that other work goes on meanwhile."""
    rows = project.current.rows
    if isinstance(labeler, PromptLabeler):
        with project.asking(labeler.name) as tell:
            labeler.prepare(AllRows(lambda: (all_chunks(rows), len(rows)), tell))


def remove_rule(project: OpenProject, before: dict[str, Any]) -> None:
    """Remove a rule from shortlist.toml and refresh."""
    name = str(before.get("name"))
    with _editing(project, f"{name} removed") as edit:
        _check_unchanged(edit, before, name)
        edit.remove(name)
        _switch(edit, name, on=True)


def switch_rule(project: OpenProject, name: str, *, on: bool) -> None:
    """Switch a labeler on or off; its definition stays."""
    with project.lock:
        states = {rule.name: rule.on for rule in rules(project.current)}
        if name not in states:
            raise ShortlistError(f"there is no labeler {name!r}", labeler=name)
        if not on and [one for one, state in states.items() if state] == [name]:
            raise ShortlistError("this is the only labeler that is on: switch on another one first", labeler=name)
        with _editing(project, f"{name} switched {'on' if on else 'off'}") as edit:
            _switch(edit, name, on=on)


def use_gold(project: OpenProject, *, fits: bool) -> None:
    """Set whether gold labels are used in the fit."""
    with _editing(project, f"gold labels {'used' if fits else 'not used'} in the fit") as edit:
        edit.set("label_model", "use_gold", fits or None)


def _switch(edit: TomlEdit, name: str, *, on: bool) -> None:
    off = [one for one in edit.values.get("labelers", {}).get("off", []) if one != name]
    edit.set("labelers", "off", (off if on else [*off, name]) or None)


def _check_unchanged(edit: TomlEdit, before: dict[str, Any] | None, name: str) -> None:
    """Raise if the rule was changed elsewhere since it was opened, or its name was taken."""
    records = {str(record.get("name")): record for record in edit.labelers()}
    if before is None:
        if name in records:
            raise Conflict(f"a rule {name!r} was added elsewhere in the meantime: choose another name", records[name])
        return
    now = records.get(str(before.get("name")))
    if now != before:
        what = "was removed" if now is None else "was changed"
        raise Conflict(f"the rule {before.get('name')!r} {what} elsewhere since you opened it; nothing was saved", now)


# -- preview -------------------------------------------------------------------------------------------


class Superseded(ShortlistError):  # noqa: N818  as in errors.py
    """A newer request has replaced this one."""


def preview(
    session: Session, record: Any, replaces: str | None, superseded: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Return coverage, votes, conflicts, accuracy on gold rows and examples. The project is not changed."""
    labeler = checked(session, record, replaces)
    if isinstance(labeler, PromptLabeler):  # only its cost: nothing is sent
        (line,) = session.plan(record).lines
        return {"plan": asdict(line)}
    draft = draft_votes(session, labeler, superseded)
    bits, gold, space = Bits(draft), session.analysis.gold, draft.space
    codes, codomain = draft.codes[:, 0].astype(np.int64), draft.codomains[0]
    member = np.vstack([np.ones(len(space), np.bool_), bits.layout.member])  # (c + 1, k): abstaining allows all
    scored = np.flatnonzero((codes != 0) & (gold >= 0)) if gold is not None else np.zeros(0, np.int64)
    right = member[codes[scored], gold[scored]] if gold is not None else np.zeros(0, np.bool_)
    others = np.array([name != replaces for name in session.votes.names])
    covered = (session.votes.codes[:, others] != 0).any(axis=1)
    examples = show_rows(session, _examples(codes, scored[~right]))
    return {
        "engine": getattr(labeler, "engine", "polars"),
        "votes": int((codes != 0).sum()),
        "coverage": float((codes != 0).mean()),
        "new": int(((codes != 0) & ~covered).sum()),
        "says": [
            {"classes": list(space.ordered(shortlist)), "votes": int(n)}
            for shortlist, n in zip(codomain.shortlists, count(bits.rows), strict=True)
            if shortlist not in codomain.dummies
        ],
        "gold": None if gold is None else {
            "votes": len(scored), "right": int(right.sum()), "accuracy": float(right.mean()) if len(scored) else None,
        },
        "conflicts": _conflicts(session, bits, others),
        "examples": [_example(labeler, row, draft.said(row.row)) for row in examples],
    }  # fmt: skip


def tried(session: Session, record: Any, replaces: str | None, rows: list[int]) -> list[dict[str, Any]]:
    """Answers of a prompt for a few rows. The model is asked for those that are not in the cache."""
    if not isinstance(checked(session, record, replaces), PromptLabeler):
        raise ShortlistError("only prompts can be tried on some rows; other rules are previewed as you type")
    if not 0 < len(rows) <= 10:
        raise ShortlistError(f"a prompt can be tried on 1 to 10 rows; got {len(rows)}")
    answers = session.preview(record, rows).to_dicts()
    for answer in answers:
        del answer["row"], answer["prompt"]
    views = show_rows(session, rows)
    return [view.to_dict() | {"answer": answer} for view, answer in zip(views, answers, strict=True)]


def draft_votes(session: Session, labeler: Labeler, superseded: Callable[[], bool]) -> Votes:
    """Votes of one labeler on all rows, chunk by chunk; ends early if superseded."""
    text = session.settings.data.text
    asker = Asker.of([labeler], columns=session.rows.columns, text=text, space=session.settings.classes)

    def check() -> None:
        if superseded():
            raise Superseded("replaced by a newer request")

    results = []
    columns = [text] if text is not None and getattr(labeler, "on", None) == text else None
    before = still_wanted.set(check)  # a slow pattern looks at it between rows
    try:
        for segment in session.rows.segments(columns):
            parts, _ = chunks(segment.frame, size=16_384, first=segment.start)
            for chunk in parts:
                check()
                results.append(asker(chunk))
    finally:
        still_wanted.reset(before)
    return asker.votes(results)


def _conflicts(session: Session, draft: Bits, others: Mask) -> list[dict[str, Any]]:
    """Per other labeler: rows on which both vote, and rows on which they conflict; most conflicts first."""
    bits = session.analysis.bits
    pairs = np.stack([count(bits.rows & rows) for rows in draft.rows], axis=1)  # (S, c)
    disjoint = bits.layout.member.astype(np.int64) @ draft.layout.member.T.astype(np.int64) == 0
    together = bits.layout.per_labeler(pairs.astype(np.float64)).sum(axis=1)
    conflict = bits.layout.per_labeler((pairs * disjoint).astype(np.float64)).sum(axis=1)
    lines = [
        {"labeler": session.votes.names[i], "together": int(together[i]), "conflict": int(conflict[i])}
        for i in np.flatnonzero(others & (together > 0))
    ]
    return sorted(lines, key=lambda line: (-line["conflict"], -line["together"]))


def _examples(codes: Positions, wrong: Positions, most: int = 12) -> list[int]:
    """Rows to show: some wrong votes on gold rows, then some rows of each vote, evenly spaced."""
    votes = [rows for c in range(1, int(codes.max(initial=0)) + 1) if len(rows := np.flatnonzero(codes == c))]
    chosen = evenly_spaced(wrong, most // 3).tolist()
    for rows in votes:
        chosen += evenly_spaced(rows, max(2, most // len(votes))).tolist()
    return list(dict.fromkeys(chosen))[:most]


def _example(labeler: Labeler, row: RowView, said: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """A row with the matches of the draft marked, and whether its vote is right, if the class is known."""
    marks = [(labeler.name, span) for span in spans(labeler, [row.text])[0]]
    draft = said.get(labeler.name)
    return row.to_dict() | {
        "pieces": [[piece.text, list(piece.labelers)] for piece in pieces(row.text, marks)],
        "draft": draft,
        "right": bool(set(draft) & set(row.known)) if draft is not None and row.known else None,
    }
