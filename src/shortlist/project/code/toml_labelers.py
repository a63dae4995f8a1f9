"""The labelers that are written in shortlist.toml, as labelers."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shortlist.errors import ShortlistError, ShortlistWarning
from shortlist.labelers import Labeler
from shortlist.labelers.records import from_record
from shortlist.labelspace import Not
from shortlist.project.code.toml_models import TomlModels
from shortlist.project.settings import Settings
from shortlist.prompts import PROMPTS
from shortlist.wording import did_you_mean, listed, some_of

_NOT = re.compile(r"\s*not\b[\s(]*(.+?)[\s)]*$", re.IGNORECASE)


def toml_labelers(settings: Settings, folder: Path = Path()) -> tuple[list[Labeler], list[str]]:
    """Every [[labeler]] of the toml, and what was warned about; a mistake is told at its line."""
    models = TomlModels(settings, folder)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ShortlistWarning)
        made = [toml_labeler(settings, models, i, record) for i, record in enumerate(settings.declared)]
    return made, [str(one.message) for one in warned if issubclass(one.category, ShortlistWarning)]


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
        told = meant_not(word, settings.classes) or meant_several(word, settings.classes)
        told = told or not_a_class(made, word, settings.classes)
        raise settings.toml.wrong(told, "labeler", i, *keys[-1:])
    return made


def toml_not(classes: Sequence[str]) -> str:
    """Every class but these, as the toml says it."""
    words = [json.dumps(name, ensure_ascii=False) for name in classes]
    return f"{{ not = {words[0] if len(words) == 1 else '[' + ', '.join(words) + ']'} }}"


def unknown_word(labeler: Labeler, classes: tuple[str, ...]) -> str | None:
    """The first word that a labeler declares and that is not a class."""
    for answer in labeler.says or ():
        for word in sorted(answer.classes if isinstance(answer, Not) else answer):
            if word not in classes:
                return word
    return None


def meant_not(word: str, classes: tuple[str, ...]) -> str | None:
    """What to write instead of `"Not(business)"` and `"not business"`, which name no class; None of other words."""
    found = _NOT.match(word)
    names = [name.strip().strip("\"'") for name in found[1].split(",")] if found else []
    known = {name.casefold(): name for name in classes}
    if not names or any(name.casefold() not in known for name in names):
        return None
    meant = [known[name.casefold()] for name in names]
    return f"{word!r} is not a class. Every class but {some_of(meant)} is written {toml_not(meant)}"


def meant_several(word: str, classes: tuple[str, ...]) -> str | None:
    """What to write instead of `"business, sports"`, which is one text; None of other words."""
    names = [name.strip() for name in word.split(",")]
    if len(names) < 2 or not all(name in classes for name in names):
        return None
    return f"{word!r} is not a class: several are a list, {json.dumps(names, ensure_ascii=False)}"


def not_a_class(labeler: Labeler, word: str, classes: tuple[str, ...]) -> str:
    hint = did_you_mean(word, classes)
    return f"labeler {labeler.name!r}: {word!r} is not a class.{hint} Classes: {listed(classes)}"


def _texts(value: Any) -> Iterator[str]:
    """All texts that a value of the toml holds."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(one)
