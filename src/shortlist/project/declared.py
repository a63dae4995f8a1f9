"""The labelers that are written in shortlist.toml, as labelers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shortlist.errors import ShortlistError, ShortlistWarning
from shortlist.labelers.declared import Declarative, from_record
from shortlist.labelers.text import TextLabeler
from shortlist.project.settings import Settings
from shortlist.wording import did_you_mean

KINDS: dict[str, dict[str, bool]] = {  # kind → its settings, and whether it needs them
    "keywords": {"words": True, "says": True, "on": False, "whole_words": False, "ignore_case": False},
    "pattern": {"regex": True, "yes": False, "no": False, "on": False, "ignore_case": False},
    "attribute": {"on": True, "yes": True, "no": True, "yes_from": False, "no_below": False},
}
_SAYS = "says"  # how keywords() calls what a record calls yes


def declared_labelers(settings: Settings) -> list[Declarative]:
    """Every [[labeler]] of the toml; a mistake is told at its line."""
    return [_labeler(settings, i, record) for i, record in enumerate(settings.declared)]


def _labeler(settings: Settings, i: int, given: Mapping[str, Any]) -> Declarative:
    toml = settings.toml
    record = dict(given)
    kind = record.get("kind")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) if kind else ""
        raise toml.wrong(f"kind is one of {', '.join(KINDS)}; got {kind!r}.{hint}", "labeler", i, "kind")
    _check_settings(settings, i, record, kind)
    if kind == "keywords":
        record["yes"] = record.pop(_SAYS)
    record.setdefault("name", _name(record, kind, i))
    for key in ("yes", "no"):
        _check_classes(settings, i, record, key)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShortlistWarning)
            made = from_record(record)
    except ShortlistError as error:
        bad = next((key for key in record if f"{key!r}" in str(error)), None)
        path = ("labeler", i) if bad is None else ("labeler", i, bad)
        raise toml.wrong(str(error), *path) from error
    if isinstance(made, TextLabeler) and made.on is None and settings.data.text is not None:
        return replace(made, on=settings.data.text)
    return made


def _check_settings(settings: Settings, i: int, record: Mapping[str, Any], kind: str) -> None:
    """All that a labeler of this kind needs is there, and nothing that it does not know."""
    known = KINDS[kind]
    for name in record:
        if name not in (*known, "kind", "name"):
            hint, names = did_you_mean(name, known), ", ".join(known)
            raise settings.toml.wrong(f"{kind} have no {name!r}.{hint} They have name, {names}", "labeler", i, name)
    lacking = [name for name, needed in known.items() if needed and name not in record]
    if kind == "pattern" and not {"yes", "no"} & set(record):
        lacking.append("yes or no")
    if lacking:
        raise settings.toml.wrong(f"this {kind} labeler does not say {' and '.join(lacking)}", "labeler", i)


def _name(record: Mapping[str, Any], kind: str, i: int) -> str:
    """What a labeler is called that nobody named."""
    words = record.get("words")
    said = record.get("regex") or (words if isinstance(words, str) else ", ".join(map(str, words or ())))
    return str(said)[:60] or f"{kind} {i + 1}"


def _check_classes(settings: Settings, i: int, record: Mapping[str, Any], key: str) -> None:
    """Class names are told apart from other mistakes, so that the line of the answer is named."""
    answer = record.get(key)
    names = answer.get("not", []) if isinstance(answer, dict) else answer
    for name in [names] if isinstance(names, str) else names or ():
        if isinstance(name, str) and name not in settings.classes:
            written = _SAYS if _SAYS in settings.declared[i] else key
            raise settings.toml.wrong(
                f"labeler {record['name']!r}: {name!r} is not a class.{did_you_mean(name, settings.classes)} "
                f"Classes: {', '.join(settings.classes)}",
                "labeler", i, written,
            )  # fmt: skip
