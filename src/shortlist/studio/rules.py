"""Rules: the labelers of a project as they are written, and edits of those that are data.

Rules of shortlist.toml can be written in the browser: they are data, and never run as Python. Those of labelers.py are
code, which is shown and not edited here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

KINDS = ("keywords", "pattern", *PROMPTS)  # that can be written in the browser


@dataclass(frozen=True)
class Rule:
    """A labeler as it is written: a record of shortlist.toml, or lines of labelers.py."""

    name: str
    kind: str
    origin: str  # "toml" or "python"
    on: bool
    says: list[list[str]]
    record: dict[str, Any] | None = None
    line: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name, "kind": self.kind, "origin": self.origin, "on": self.on, "says": self.says,
            "record": self.record, "line": self.line,
        }  # fmt: skip


class Conflict(ShortlistError):  # noqa: N818  as in errors.py
    """A rule was changed elsewhere since it was opened; `now` is what it is, None where it is gone."""

    def __init__(self, message: str, now: dict[str, Any] | None) -> None:
        super().__init__(message)
        self.now = now


def rules(session: Session) -> list[Rule]:
    """All rules: those of the toml, then those of labelers.py; those that are switched off too."""
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
    classes = session.settings.classes
    found = [answer.classes if isinstance(answer, Not) else answer for answer in labeler.says or ()]
    sets = [
        [name for name in classes if (name in names) != isinstance(answer, Not)]
        for answer, names in zip(labeler.says or (), found, strict=True)
    ]
    return [one for one in sets if one]


def source(session: Session) -> dict[str, Any]:
    """The code of labelers.py, to be read."""
    code = session.roster.code
    if code is None:
        return {"file": session.settings.labelers.file, "text": None}
    return {"file": code.source.path.name, "text": code.source.text}


def checked(session: Session, record: Any, replaces: str | None) -> Labeler:
    """The labeler that a record of the browser stands for; a mistake in it is an error with its `option`."""
    if not isinstance(record, Mapping) or record.get("kind") not in KINDS:
        raise ShortlistError(f"rules that are written here are of the kinds {', '.join(KINDS)}", option=("kind",))
    if record["kind"] in PROMPTS and record.get("model") not in list(session.settings.models):
        raise ShortlistError("choose a model that shortlist.toml names: [models.NAME]", option=("model",))
    labeler = unsaved(session, dict(record)) if record["kind"] in PROMPTS else from_record(dict(record))
    classes = session.settings.classes
    if (word := unknown_word(labeler, classes)) is not None:
        raise ShortlistError(not_a_class(labeler, word, classes), word=word)
    taken = {rule.name for rule in rules(session)} - {replaces}
    if labeler.name in taken:
        raise ShortlistError(f"another labeler is called {labeler.name!r}: choose another name", option=("name",))
    column = session.settings.data.text
    return labeler if column is None else labeler.on_text(column)


def save_rule(project: OpenProject, record: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Write a rule to shortlist.toml and fit again. `before` is the rule that was opened, None for a new one."""
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
    """Take a rule out of shortlist.toml and fit again."""
    with project.lock:
        edit = TomlEdit(project.folder / NAME)
        name = str(before.get("name"))
        _check_unchanged(edit, before, name)
        edit.remove(name)
        _switch(edit, project.folder, name, on=True)
        edit.write()
        project.refresh(f"{name} removed")


def switch_rule(project: OpenProject, name: str, *, on: bool) -> None:
    """Ask a labeler again, or no more. It stays as it is written."""
    with project.lock:
        if name not in {rule.name for rule in rules(project.current)}:
            raise ShortlistError(f"there is no labeler {name!r}", labeler=name)
        if not on and [rule.name for rule in rules(project.current) if rule.on] == [name]:
            raise ShortlistError("this is the only labeler that is on: switch another on first", labeler=name)
        edit = TomlEdit(project.folder / NAME)
        _switch(edit, project.folder, name, on=on)
        edit.write()
        project.refresh(f"{name} switched {'on' if on else 'off'}")


def use_gold(project: OpenProject, *, fits: bool) -> None:
    """Whether the fit takes in what people know."""
    with project.lock:
        edit = TomlEdit(project.folder / NAME)
        edit.set("label_model", "use_gold", fits)
        edit.write()
        project.refresh("known classes fit" if fits else "known classes only score")


def _switch(edit: TomlEdit, folder: Any, name: str, *, on: bool) -> None:
    off = [one for one in Settings.read(folder).labelers.off if one != name]
    chosen = off if on else [*off, name]
    edit.set("labelers", "off", chosen or None)


def _check_unchanged(edit: TomlEdit, before: dict[str, Any] | None, name: str) -> None:
    """Raise where somebody else changed the rule since it was opened, or took its name."""
    there = {str(record.get("name")): record for record in edit.labelers()}
    if before is None:
        if name in there:
            raise Conflict(f"a rule {name!r} was added elsewhere meanwhile: choose another name", there[name])
        return
    now = there.get(str(before.get("name")))
    if now != before:
        what = "is gone" if now is None else "was changed"
        raise Conflict(f"the rule {before.get('name')!r} {what} elsewhere since you opened it; nothing was saved", now)
