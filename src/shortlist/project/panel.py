"""Panel: the labelers of a project, from shortlist.toml and labelers.py, each with its fingerprint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shortlist.errors import ShortlistError
from shortlist.labelers import Labeler
from shortlist.labelers.features import Column, Feature
from shortlist.labelers.text import TextLabeler
from shortlist.labelspace import Not
from shortlist.project.code import Code, load
from shortlist.project.declared import declared_labelers
from shortlist.project.digest import Digests, digest
from shortlist.project.files import depended_files
from shortlist.project.fingerprint import fingerprint
from shortlist.project.mistake import BadProject
from shortlist.project.settings import Settings
from shortlist.wording import did_you_mean


@dataclass(frozen=True)
class Panel:
    """Labelers in order: those of the toml, then those of labelers.py."""

    labelers: tuple[Labeler, ...]
    fingerprints: tuple[str, ...]
    code: Code | None
    settings: Settings
    folder: Path

    @property
    def names(self) -> list[str]:
        return [labeler.name for labeler in self.labelers]

    @property
    def reads(self) -> tuple[Path, ...]:
        return self.code.reads if self.code else ()

    def mistake(self, error: ShortlistError) -> ShortlistError:
        """An error of stage 1 at its place, where it was made in labelers.py."""
        return self.code.mistake(error) if self.code else error

    def features(self, columns: Sequence[str]) -> list[Feature]:
        """Columns as features, so that a parameter that bears the name of a column receives it.

        `text` is the text column, whatever that is called. A feature of labelers.py goes before a column.
        """
        own = self.code.namespace if self.code else {}
        named = {name: name for name in columns if name.isidentifier()}
        if self.settings.data.text is not None:
            named.setdefault("text", self.settings.data.text)
        return [Column(of, name) for name, of in named.items() if not isinstance(own.get(name), Feature)]


def gather(folder: Path, settings: Settings, digests: Digests) -> Panel:
    """Load every labeler of a project."""
    file = folder / settings.labelers.file
    code = None
    if file.exists() or not settings.declared:
        code = load(file)
    own = [_on_text(labeler, settings) for labeler in code.labelers] if code else []
    labelers = [*declared_labelers(settings), *own]
    if not labelers:
        raise BadProject(
            "it defines no labelers yet: mark a function with @labeler, or write pattern(…) or keywords(…)",
            file=file.name,
        )
    around = digest(
        [digests.of(path) for path in (*code.modules, *code.reads)] if code else [],
        [digests.of(path) for path in depended_files(folder, settings)],
    )
    how = [settings.classes, settings.labelers.on_error, settings.labelers.full_set_abstains]
    prints = [digest(fingerprint(labeler, code, around), labeler.name, how) for labeler in labelers]
    panel = Panel(tuple(labelers), tuple(prints), code, settings, file.parent)
    _check_names(panel)
    _check_classes(panel)
    return panel


def _on_text(labeler: Labeler, settings: Settings) -> Labeler:
    """A pattern that names no column reads the text column."""
    if isinstance(labeler, TextLabeler) and labeler.on is None and settings.data.text is not None:
        return replace(labeler, on=settings.data.text)  # type: ignore[type-var]
    return labeler


def _check_names(panel: Panel) -> None:
    for i, name in enumerate(panel.names):
        if name in panel.names[:i]:
            line = panel.code.source.find_definition(name) if panel.code else None
            file = panel.code.source.path.name if panel.code and line else None
            raise BadProject(f"two labelers are called {name!r}: give each its own name", file=file, line=line)


def _check_classes(panel: Panel) -> None:
    """Every class that a labeler declares is one; the line of one that is not is told."""
    classes = panel.settings.classes
    for labeler in panel.labelers:
        for answer in labeler.says or ():
            for word in sorted(answer.classes if isinstance(answer, Not) else answer):
                if word not in classes:
                    raise panel.mistake(_unknown(labeler.name, word, classes))


def _unknown(name: str, word: str, classes: Sequence[str]) -> ShortlistError:
    from shortlist.errors import UnknownClass

    hint = did_you_mean(word, classes)
    return UnknownClass(f"labeler {name!r}: {word!r} is not a class.{hint} Classes: {', '.join(classes)}")
