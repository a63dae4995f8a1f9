"""Rules: the labelers of a project as they are written, and edits of those in shortlist.toml.

Rules in shortlist.toml are data and can be edited in the browser. So can plain calls of keywords() and pattern() in
labelers.py (`python_edit.py`). Other code is only shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from shortlist.errors import ShortlistError
from shortlist.labelers import Labeler
from shortlist.labelers.labeler import AllRows, from_record
from shortlist.labelspace import Not
from shortlist.project.code.toml_labelers import not_a_class, unknown_word
from shortlist.project.people import people_labelers
from shortlist.project.session import Session
from shortlist.project.voting import all_chunks
from shortlist.prompts import PROMPTS, PromptLabeler
from shortlist.studio.open_project import OpenProject
from shortlist.studio.python_edit import POSITIONAL, PythonEdit
from shortlist.studio.toml_edit import TomlEdit, edited_project

EDITABLE = ("keywords", "pattern", "attribute", "similar", *PROMPTS)  # kinds that the browser can edit
GOLD_IS_FOR = {None: "in the final labels", True: "fit the label model, too", False: "score only"}


@dataclass(frozen=True)
class Rule:
    """A labeler as it is written: lines of labelers.py, or in shortlist.toml. Those with a record can be edited."""

    name: str
    kind: str
    origin: str  # "toml", "python" or "people"
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
    """All rules, including those switched off: of shortlist.toml, of labelers.py, and people whose labels are votes."""
    off = session.settings.labelers.off
    written = [_toml_rule(session, dict(record), off) for record in session.settings.declared]
    names = {rule.name for rule in written}
    code = session.roster.code
    own = code.labelers if code else ()
    people = people_labelers(session.folder, session.settings)
    said = [Rule(one.name, "labels", "people", one.name not in off, _says(session, one)) for one in people]
    return [*written, *(_python_rule(session, one, off) for one in own if one.name not in names), *said]


def _toml_rule(session: Session, record: dict[str, Any], off: tuple[str, ...]) -> Rule:
    labeler = session.unsaved(record)
    return Rule(labeler.name, str(record.get("kind")), "toml", labeler.name not in off, _says(session, labeler), record)


def _python_rule(session: Session, labeler: Labeler, off: tuple[str, ...]) -> Rule:
    code = session.roster.code
    line = code.source.find_definition(labeler.name) if code else None
    kind = str((labeler.record() or {}).get("kind", "function"))
    record = PythonEdit(code.source.path).record(labeler.name) if code and kind in POSITIONAL else None
    return Rule(labeler.name, kind, "python", labeler.name not in off, _says(session, labeler), record, line)


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
    prompt = record["kind"] in PROMPTS  # which names a model of shortlist.toml
    labeler = session.unsaved(dict(record)) if prompt else session.placed(from_record(dict(record)))
    classes = session.settings.classes
    if (word := unknown_word(labeler, classes)) is not None:
        raise ShortlistError(not_a_class(labeler, word, classes), word=word)
    taken = {rule.name for rule in rules(session)} - {replaces}
    if labeler.name in taken:
        raise ShortlistError(f"there is another labeler {labeler.name!r}: choose another name", option=("name",))
    return labeler


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
        if replaces is not None and replaces not in [str(one.get("name")) for one in project.current.settings.declared]:
            _save_python(project, {"name": name, **record}, before or {})
            return
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


def _save_python(project: OpenProject, record: dict[str, Any], before: dict[str, Any]) -> None:
    """Write a rule to its call in labelers.py and refresh."""
    code, name = project.current.roster.code, str(before["name"])
    if code is None:
        raise Conflict(f"the rule {name!r} was removed elsewhere since you opened it; nothing was saved", None)
    edit = PythonEdit(code.source.path)
    if edit.record(name) != before:
        message = f"the rule {name!r} was changed elsewhere since you opened it; nothing was saved"
        raise Conflict(message, edit.record(name))
    edit.put(record, name)
    edit.write()
    project.refresh(f"{record['name']} edited")


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


def use_gold(project: OpenProject, *, fits: bool | None) -> None:
    """Set what gold labels are for: final labels (None), the fit of the label model, too (True), or scores only."""
    with _editing(project, f"gold labels {GOLD_IS_FOR[fits]}") as edit:
        edit.set("label_model", "use_gold", fits)


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


class Superseded(ShortlistError):  # noqa: N818  as in errors.py
    """A newer request has replaced this one."""
