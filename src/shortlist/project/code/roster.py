"""Roster: the labelers of a project, from shortlist.toml and labelers.py, each with its fingerprint.

A labeler says itself what its answers depend on (`Labeler.fingerprint_parts`): plain data, and Python objects. The
statements of labelers.py that an object depends on are found by `Source`. A function depends on its own statement; any
other object (a fitted model, a closure) on the statement that made the labeler; both on all that those name.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shortlist.errors import ShortlistError, UnknownClass
from shortlist.labelers import Labeler
from shortlist.project.cache import HIDDEN, Digests, digest
from shortlist.project.code.load import Code, load
from shortlist.project.code.toml_labelers import not_a_class, toml_labelers, unknown_word
from shortlist.project.parts import depended_files
from shortlist.project.people import people_labelers
from shortlist.project.settings import Settings
from shortlist.project.toml import BadProject, NoLabelers
from shortlist.wording import did_you_mean, first_duplicate


@dataclass(frozen=True)
class Roster:
    """Labelers in order: those of the toml, those of labelers.py, then people whose labels are votes."""

    labelers: tuple[Labeler, ...]
    fingerprints: tuple[str, ...]
    code: Code | None
    settings: Settings
    folder: Path
    notes: tuple[str, ...] = ()  # warnings while they were made

    @property
    def names(self) -> list[str]:
        return [labeler.name for labeler in self.labelers]

    @property
    def reads(self) -> tuple[Path, ...]:
        return self.code.reads if self.code else ()

    @property
    def sources(self) -> dict[str, str]:
        """Modules beside labelers.py that it imports: file → text. Workers elsewhere import them, too."""
        files = self.code.modules if self.code else ()
        here = self.folder.resolve()
        return {str(path.resolve().relative_to(here)): path.read_text("utf-8") for path in files}

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Add the place in labelers.py to errors of stage 1."""
        try:
            yield
        except ShortlistError as error:
            if self.code is None:
                raise
            raise self.code.mistake(error) from error


def gather(folder: Path, settings: Settings, digests: Digests) -> Roster:
    """Load every labeler of a project."""
    file = folder / settings.labelers.file
    people = people_labelers(folder, settings)
    if not file.exists() and not settings.declared and not people:
        raise NoLabelers(f"there is no {file.name} in {file.parent.resolve()}")
    code = load(file) if file.exists() else None
    declared, notes = toml_labelers(settings, folder)
    text, written = settings.data.text, [*declared, *(code.made if code else ()), *people]
    encoder = settings.classifier.encoder
    rules = [one.bind_to_project(folder / HIDDEN, encoder) for one in (*declared, *(code.labelers if code else ()))]
    labelers: list[Labeler] = [*rules, *people]
    labelers = labelers if text is None else [labeler.on_text(text) for labeler in labelers]
    if not labelers:
        message = "it defines no labelers yet: mark a function with @labeler, or write pattern(…) or keywords(…)"
        raise NoLabelers(message, file=file.name)
    read = [*code.modules, *code.reads] if code else []
    around = digest([digests.of(path) for path in (*read, *depended_files(folder, settings))])
    how = [settings.classes, settings.labelers.on_error]
    prints = [
        digest(fingerprint(labeler, code, around, as_written), labeler.name, how)
        for labeler, as_written in zip(labelers, written, strict=True)
    ]
    all_notes = tuple(dict.fromkeys([*notes, *(code.notes if code else ())]))
    roster = Roster(tuple(labelers), tuple(prints), code, settings, file.parent, all_notes)
    _check_names(roster)
    for labeler in roster.labelers:
        if (word := unknown_word(labeler, settings.classes)) is not None:
            with roster.placed():
                raise UnknownClass(not_a_class(labeler, word, settings.classes), labeler=labeler.name, word=word)
    return _switched(roster)


def _switched(roster: Roster) -> Roster:
    off, names, toml = roster.settings.labelers.off, roster.names, roster.settings.toml
    for name in off:
        if name not in names:
            hint = did_you_mean(name, names)
            raise toml.wrong(f"labelers.off names {name!r}, which is no labeler.{hint}", "labelers", "off")
    on = [pair for pair in zip(roster.labelers, roster.fingerprints, strict=True) if pair[0].name not in off]
    if not on:
        raise toml.wrong("labelers.off names every labeler: leave one at least", "labelers", "off")
    labelers, prints = zip(*on, strict=True)
    return replace(roster, labelers=labelers, fingerprints=prints)


def _check_names(roster: Roster) -> None:
    if twice := first_duplicate(roster.names):
        line = roster.code.source.find_definition(twice) if roster.code else None
        file = roster.code.source.path.name if roster.code and line else None
        both = line and any(record.get("name") == twice for record in roster.settings.declared)
        where = f", one in {roster.settings.toml.name} and one in {file}" if both else ""
        message = f"two labelers are called {twice!r}{where}: give each its own name, or delete one"
        raise BadProject(message, labeler=twice, file=file, line=line)


def fingerprint(labeler: Labeler, code: Code | None, surroundings: str, written: Labeler | None = None) -> str:
    """Hash of everything a labeler's answers depend on.

    surroundings   stands for the files that labelers.py imports and reads: every labeler that is code may use them
    written        the labeler as labelers.py made it, where that is another object
    """
    parts = labeler.fingerprint_parts()
    if not parts.code:
        return digest("data", parts.data)
    used = [_code(thing, written or labeler, code) for thing in parts.code]
    return digest("code", labeler.name, parts.data, used, surroundings)


def _code(thing: Any, labeler: Labeler, code: Code | None) -> Any:
    """Statements of labelers.py that an object depends on; the whole file if that cannot be known."""
    if code is None:
        return None
    if not code.source.dynamic:
        if inspect.isfunction(thing) and thing.__code__.co_filename == str(code.source.path):
            line = thing.__code__.co_firstlineno
            statement = code.source.statement(line)
            with suppress(TypeError):
                if statement is not None:
                    needs = code.source.needs([statement], code.namespace)
                    held = (cell.cell_contents for cell in thing.__closure__ or ())
                    values = _plain([*held, *(thing.__defaults__ or ())])  # TypeError if they are not plain data
                    return [thing.__qualname__, line - statement.lineno, needs, values]
        if pieces := code.source.makers(labeler, code.namespace):
            return ["made", code.source.needs(pieces, code.namespace)]
    return ["the whole file", code.source.text]


def _plain(value: Any) -> Any:
    """A plain value with its type; TypeError for any other."""
    if isinstance(value, (str, int, float, bool, bytes, type(None))):
        return [type(value).__name__, repr(value)]
    if isinstance(value, re.Pattern):
        return ["pattern", repr(value.pattern), value.flags]
    if isinstance(value, (list, tuple, set, frozenset)):
        inside = [_plain(one) for one in value]
        return [type(value).__name__, inside if isinstance(value, (list, tuple)) else sorted(inside, key=repr)]
    if isinstance(value, dict):
        return _plain(list(value.items()))
    raise TypeError
