"""Roster: the labelers of a project, from shortlist.toml and labelers.py, each with its fingerprint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from shortlist.errors import ShortlistError, UnknownClass
from shortlist.labelers import Labeler
from shortlist.labelers.features import ColumnFeature, Feature
from shortlist.project.code.fingerprint import fingerprint
from shortlist.project.code.load import Code, load
from shortlist.project.code.toml_labelers import not_a_class, toml_labelers, unknown_word
from shortlist.project.files import HIDDEN, depended_files
from shortlist.project.kept.digest import Digests, digest
from shortlist.project.mistake import BadProject, NoLabelers
from shortlist.project.settings import Settings
from shortlist.wording import did_you_mean, given_twice


@dataclass(frozen=True)
class Roster:
    """Labelers in order: those of the toml, then those of labelers.py."""

    labelers: tuple[Labeler, ...]
    fingerprints: tuple[str, ...]
    code: Code | None
    settings: Settings
    folder: Path
    notes: tuple[str, ...] = ()  # what was warned about while they were made

    @property
    def names(self) -> list[str]:
        return [labeler.name for labeler in self.labelers]

    @property
    def reads(self) -> tuple[Path, ...]:
        return self.code.reads if self.code else ()

    @property
    def sources(self) -> dict[str, str]:
        """The modules beside labelers.py that it imports: file → text. Workers elsewhere import them, too."""
        files = self.code.modules if self.code else ()
        here = self.folder.resolve()
        return {str(path.resolve().relative_to(here)): path.read_text("utf-8") for path in files}

    def mistake(self, error: ShortlistError) -> ShortlistError:
        """An error of stage 1 at its place, where it was made in labelers.py."""
        return self.code.mistake(error) if self.code else error

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Errors of stage 1 that are raised inside are told at their place in labelers.py."""
        try:
            yield
        except ShortlistError as error:
            raise self.mistake(error) from error

    def features(self, columns: Sequence[str]) -> list[Feature]:
        """Columns as features, so that a parameter with the name of a column receives it.

        `text` is the text column, whatever that is called. A feature of labelers.py goes before a column.
        """
        own = self.code.namespace if self.code else {}
        named = {name: name for name in columns if name.isidentifier()}
        if self.settings.data.text is not None:
            named.setdefault("text", self.settings.data.text)
        return [ColumnFeature(column, name) for name, column in named.items() if not isinstance(own.get(name), Feature)]


def gather(folder: Path, settings: Settings, digests: Digests) -> Roster:
    """Load every labeler of a project."""
    file = folder / settings.labelers.file
    code = None
    if not file.exists() and not settings.declared:
        raise NoLabelers(f"there is no {file.name} in {file.parent.resolve()}")
    if file.exists():
        code = load(file)
    declared, notes = toml_labelers(settings, folder)
    text, written = settings.data.text, [*declared, *(code.made if code else ())]
    labelers = [one.bind_to_project(folder, folder / HIDDEN) for one in (*declared, *(code.labelers if code else ()))]
    labelers = labelers if text is None else [labeler.on_text(text) for labeler in labelers]
    if not labelers:
        raise NoLabelers(
            "it defines no labelers yet: mark a function with @labeler, or write pattern(…) or keywords(…)",
            file=file.name,
        )
    around = digest(
        [digests.of(path) for path in (*code.modules, *code.reads)] if code else [],
        [digests.of(path) for path in depended_files(folder, settings)],
    )
    how = [settings.classes, settings.labelers.on_error, settings.labelers.full_set_abstains]
    prints = [
        digest(fingerprint(labeler, code, around, as_written), labeler.name, how)
        for labeler, as_written in zip(labelers, written, strict=True)
    ]
    told = dict.fromkeys([*notes, *(code.notes if code else ())])
    roster = Roster(tuple(labelers), tuple(prints), code, settings, file.parent, tuple(told))
    _check_names(roster)
    _check_classes(roster)
    return _switched(roster)


def _switched(roster: Roster) -> Roster:
    """The labelers that are asked: those that the settings do not switch off."""
    off, names, toml = roster.settings.labelers.off, roster.names, roster.settings.toml
    for name in off:
        if name not in names:
            hint = did_you_mean(name, names)
            raise toml.wrong(f"labelers.off names {name!r}, which is no labeler.{hint}", "labelers", "off")
    on = [i for i, name in enumerate(names) if name not in off]
    if not on:
        raise toml.wrong("labelers.off names every labeler: leave one at least", "labelers", "off")
    chosen = [roster.labelers[i] for i in on], [roster.fingerprints[i] for i in on]
    return replace(roster, labelers=tuple(chosen[0]), fingerprints=tuple(chosen[1]))


def _check_names(roster: Roster) -> None:
    if twice := given_twice(roster.names):
        line = roster.code.source.find_definition(twice) if roster.code else None
        file = roster.code.source.path.name if roster.code and line else None
        both = line and any(record.get("name") == twice for record in roster.settings.declared)
        where = f", one in {roster.settings.toml.name} and one in {file}" if both else ""
        message = f"two labelers are called {twice!r}{where}: give each its own name, or delete one"
        raise BadProject(message, labeler=twice, file=file, line=line)


def _check_classes(roster: Roster) -> None:
    """Every class that a labeler declares is one; the line of one that is not is told."""
    classes = roster.settings.classes
    for labeler in roster.labelers:
        if (word := unknown_word(labeler, classes)) is not None:
            error = UnknownClass(not_a_class(labeler, word, classes), labeler=labeler.name, word=word)
            raise roster.mistake(error)
