"""Declarative labelers as data: saved to a JSON file a person can read and edit, and read back equal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from shortlist.archive import atomic
from shortlist.errors import BadFile, BadLabeler
from shortlist.labelers.attributes import Attribute, ordered_thresholds
from shortlist.labelers.core import Labeler, declared
from shortlist.labelers.text import Keywords, Pattern, compiled, listed_words, said_when_slow
from shortlist.labelspace import Not
from shortlist.wording import did_you_mean

FORMAT = 1
Declarative = Pattern | Keywords | Attribute
_KINDS: dict[str, type[Any]] = {kind.kind: kind for kind in (Pattern, Keywords, Attribute)}


def save_labelers(labelers: Labeler | Iterable[Labeler], path: str | os.PathLike[str]) -> None:
    """Write declarative labelers (pattern, keywords, attributes) to a JSON file."""
    listed = [labelers] if isinstance(labelers, Labeler) else labelers
    records = [to_record(labeler) for labeler in listed]
    text = json.dumps({"kind": "labelers", "version": FORMAT, "labelers": records}, indent=2, ensure_ascii=False)
    with atomic(path) as file:
        file.write(text.encode())


def load_labelers(path: str | os.PathLike[str]) -> list[Declarative]:
    """Read what `save_labelers` wrote, or a person edited."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except (ValueError, OSError) as error:
        raise BadFile(f"{path} is not JSON ({error})") from error
    if not isinstance(found, dict) or found.get("kind") != "labelers" or not isinstance(found.get("labelers"), list):
        raise BadFile(f"{path} holds no labelers")
    if not isinstance(found.get("version"), int) or found["version"] > FORMAT:
        raise BadFile(
            f"{path} was written by a newer shortlist (format {found.get('version')}; this one reads {FORMAT})"
        )
    try:
        return [from_record(record) for record in found["labelers"]]
    except BadLabeler as error:
        raise BadLabeler(f"{path}: {error}") from error


def to_record(labeler: Labeler) -> dict[str, Any]:
    """A declarative labeler as plain data."""
    kind = getattr(labeler, "kind", None)
    if kind not in _KINDS:
        name = getattr(labeler, "name", labeler)
        raise BadLabeler(f"labeler {name!r} is Python code, which is not saved: keep it in a module of yours")
    values = {name: getattr(labeler, name) for name in _names(type(labeler))}
    return {"kind": kind, **{key: _plain(value) for key, value in values.items()}}


def from_record(record: dict[str, Any]) -> Declarative:
    """The labeler such plain data stands for."""
    if not isinstance(record, dict):
        raise BadLabeler(f"{record!r} is no labeler: each is an object with a kind and a name")
    kind = _KINDS.get(record.get("kind", ""))
    if kind is None:
        raise BadLabeler(f"{record.get('kind')!r} is no kind of labeler.{did_you_mean(record.get('kind'), _KINDS)}")
    known = set(_names(kind))
    unknown = set(record) - known - {"kind"}
    if unknown:
        raise BadLabeler(f"a {record['kind']} has no {sorted(unknown)}; it has {sorted(known)}")
    name = record.get("name")
    values = {key: _live(key, value, name) for key, value in record.items() if key != "kind"}
    try:
        made: Declarative = kind(**values)
    except TypeError as error:
        raise BadLabeler(f"{name!r} lacks something: {error}") from error
    _check(made)
    return said_when_slow(made) if isinstance(made, Pattern) else made


def _check(made: Declarative) -> None:
    """What `pattern()`, `keywords()` and `attributes()` make is right; what a person wrote may not be."""
    if isinstance(made, Pattern):
        compiled(made.regex, made.name)
    if isinstance(made, Keywords):
        listed_words(made.words)
    if isinstance(made, Attribute):
        ordered_thresholds(made.yes_from, made.no_below)
    declared(made.says, made.name)


def _names(kind: type[Any]) -> list[str]:
    """What a labeler is made of and compared by; a feature is code, so only its name is kept."""
    return [field.name for field in fields(kind) if field.compare]


def _plain(value: Any) -> Any:
    if isinstance(value, Not):
        return {"not": sorted(value.classes)}
    return sorted(value) if isinstance(value, frozenset) else value


def _live(key: str, value: Any, name: Any) -> Any:
    if key in ("yes", "no") and value is not None:
        return declared([_not(value, name) if isinstance(value, dict) else value], name)[0]
    return listed_words(value) if key == "words" else value


def _not(value: dict[str, Any], name: Any) -> Not:
    if set(value) != {"not"}:
        raise BadLabeler(f'labeler {name!r} says {value!r}; every class but X is written {{"not": ["X"]}}')
    return Not(*([value["not"]] if isinstance(value["not"], str) else value["not"]))
