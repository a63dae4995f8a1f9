"""Labelers and language models of shortlist.toml, made from their records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shortlist.errors import ShortlistError, ShortlistWarning, warnings_as_notes
from shortlist.labelers import Labeler
from shortlist.labelers.labeler import from_record
from shortlist.labelspace import Not
from shortlist.models import Model, model_from_record
from shortlist.project.settings import Settings
from shortlist.prompts import PROMPTS
from shortlist.wording import did_you_mean, listed, some_of


class TomlModels:
    """Every [models.NAME] of the toml, made when a labeler first names it; a mistake is an error at its line."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings, self.folder = settings, folder
        self._made: dict[str, Model] = {}

    def named(self, name: Any, *path: str | int) -> Model:
        """The model of that name; `path` is where the toml names it."""
        known, toml = self.settings.models, self.settings.toml
        if not isinstance(name, str) or name not in known:
            names = f"Models: {', '.join(known)}" if known else "Write one: [models.NAME] with kind and its settings"
            raise toml.wrong(f"there is no model {name!r}.{did_you_mean(name, known) if known else ''} {names}", *path)
        record = dict(known[name])
        for key in ("file", "name", "kept"):  # settings that may name a file, in the folder of the project
            value = record.get(key)
            if isinstance(value, str) and (key != "name" or (self.folder / value).exists()):
                record[key] = str(self.folder / value)
        if name not in self._made:
            try:
                self._made[name] = model_from_record(record)
            except ShortlistError as error:
                raise toml.wrong(str(error), "models", name, *error.option) from error
        return self._made[name]


def toml_labelers(settings: Settings, folder: Path = Path()) -> tuple[list[Labeler], list[str]]:
    """Every [[labeler]] of the toml, and warnings about them; a mistake is an error at its line."""
    models, notes = TomlModels(settings, folder), list[str]()
    with warnings_as_notes(notes, of=ShortlistWarning):
        made = [toml_labeler(settings, models, i, record) for i, record in enumerate(settings.declared)]
    return made, notes


def toml_labeler(settings: Settings, models: TomlModels, i: int, record: Mapping[str, Any]) -> Labeler:
    """The labeler of one record; `i` is its place in the toml."""
    if record.get("kind") in PROMPTS:
        record = {**record, "model": models.named(record.get("model"), "labeler", i, "model")}
    try:
        made = from_record(record)
    except ShortlistError as error:
        raise settings.toml.wrong(error.message, "labeler", i, *error.option) from error
    if (word := unknown_word(made, settings.classes)) is not None:
        keys = [key for key, value in record.items() if word in _texts(value)]
        message = _meant(word, settings.classes) or not_a_class(made, word, settings.classes)
        raise settings.toml.wrong(message, "labeler", i, *keys[-1:])
    return made


def toml_not(classes: Sequence[str]) -> str:
    """Every class but these, as it is written in the toml."""
    words = [json.dumps(name, ensure_ascii=False) for name in classes]
    return f"{{ not = {words[0] if len(words) == 1 else '[' + ', '.join(words) + ']'} }}"


def unknown_word(labeler: Labeler, classes: tuple[str, ...]) -> str | None:
    """The first word that a labeler declares and that is not a class."""
    says = (sorted(answer.classes if isinstance(answer, Not) else answer) for answer in labeler.says or ())
    return next((word for words in says for word in words if word not in classes), None)


def _meant(word: str, classes: tuple[str, ...]) -> str | None:
    """Advice for `"Not(business)"`, `"not business"` and `"business, sports"`, which are one text each."""
    match = re.match(r"\s*not\b[\s(]*(.+?)[\s)]*$", word, re.IGNORECASE)
    names = [name.strip().strip("\"'").casefold() for name in match[1].split(",")] if match else []
    known = {name.casefold(): name for name in classes}
    if names and all(name in known for name in names):
        meant = [known[name] for name in names]
        return f"{word!r} is not a class. Every class but {some_of(meant)} is written {toml_not(meant)}"
    several = [name.strip() for name in word.split(",")]
    if len(several) > 1 and all(name in classes for name in several):
        return f"{word!r} is not a class: several are a list, {json.dumps(several, ensure_ascii=False)}"
    return None


def not_a_class(labeler: Labeler, word: str, classes: tuple[str, ...]) -> str:
    return f"labeler {labeler.name!r}: {word!r} is not a class.{did_you_mean(word, classes)} Classes: {listed(classes)}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(one)
