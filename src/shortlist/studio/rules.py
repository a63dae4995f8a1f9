"""Rules: the labelers of a project as they are written, and edits of those in shortlist.toml.

Rules in shortlist.toml are data and can be edited in the browser. Those in labelers.py are code, which is only shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from shortlist.errors import ShortlistError
from shortlist.labelers import Labeler
from shortlist.labelers.records import from_record
from shortlist.labelspace import Not
from shortlist.project.code.toml_labelers import not_a_class, unknown_word
from shortlist.project.prompting import unsaved
from shortlist.project.session import Session
from shortlist.project.settings import NAME, Settings
from shortlist.prompts import PROMPTS
from shortlist.studio.open_project import OpenProject
from shortlist.studio.toml_edit import TomlEdit

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
    labeler = unsaved(session, record)
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
    labeler = unsaved(session, dict(record)) if record["kind"] in PROMPTS else from_record(dict(record))
    classes = session.settings.classes
    if (word := unknown_word(labeler, classes)) is not None:
        raise ShortlistError(not_a_class(labeler, word, classes), word=word)
    taken = {rule.name for rule in rules(session)} - {replaces}
    if labeler.name in taken:
        raise ShortlistError(f"there is another labeler {labeler.name!r}: choose another name", option=("name",))
    column = session.settings.data.text
    return labeler if column is None else labeler.on_text(column)


def save_rule(project: OpenProject, record: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Write a rule to shortlist.toml and refresh. `before` is the record that was opened, None for a new rule."""
    replaces = None if before is None else str(before.get("name"))
    with project.lock:
        labeler = checked(project.current, record, replaces)
        edit = TomlEdit(project.folder / NAME)
        _check_unchanged(edit, before, labeler.name)
        edit.put({"name": labeler.name, **record}, replaces)
        if replaces is not None and replaces != labeler.name:
            _switch(edit, project.folder, replaces, on=True)
        edit.write()
        project.refresh(f"{labeler.name} {'edited' if before else 'added'}")


def remove_rule(project: OpenProject, before: dict[str, Any]) -> None:
    """Remove a rule from shortlist.toml and refresh."""
    with project.lock:
        edit = TomlEdit(project.folder / NAME)
        name = str(before.get("name"))
        _check_unchanged(edit, before, name)
        edit.remove(name)
        _switch(edit, project.folder, name, on=True)
        edit.write()
        project.refresh(f"{name} removed")


def switch_rule(project: OpenProject, name: str, *, on: bool) -> None:
    """Switch a labeler on or off; its definition stays."""
    with project.lock:
        if name not in {rule.name for rule in rules(project.current)}:
            raise ShortlistError(f"there is no labeler {name!r}", labeler=name)
        if not on and [rule.name for rule in rules(project.current) if rule.on] == [name]:
            raise ShortlistError("this is the only labeler that is on: switch on another one first", labeler=name)
        edit = TomlEdit(project.folder / NAME)
        _switch(edit, project.folder, name, on=on)
        edit.write()
        project.refresh(f"{name} switched {'on' if on else 'off'}")


def use_gold(project: OpenProject, *, fits: bool) -> None:
    """Set whether gold labels are used in the fit."""
    with project.lock:
        edit = TomlEdit(project.folder / NAME)
        edit.set("label_model", "use_gold", fits)
        edit.write()
        project.refresh("gold labels used in the fit" if fits else "gold labels not used in the fit")


def _switch(edit: TomlEdit, folder: Any, name: str, *, on: bool) -> None:
    off = [one for one in Settings.read(folder).labelers.off if one != name]
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
