"""Records: labelers as plain data, in a JSON file or in shortlist.toml, and the kinds that can be written so.

A kind is a function that makes a labeler; its parameters are the settings of the kind. Anybody can add one:

    @labeler_kind("longer")
    def longer(than, says, *, on=None, name=None):
        return Longer(...)        # a Labeler whose record() gives {"kind": "longer", "than": …, "says": …}

An installed package can announce its function as an entry point of the group `shortlist.labelers` instead.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from shortlist.archive import atomic
from shortlist.errors import BadFile, BadLabeler, ShortlistError
from shortlist.labelers.answers import answers_from_plain
from shortlist.labelers.labeler import Labeler
from shortlist.registry import Registry, attribute_of, make_from_record

Maker = TypeVar("Maker", bound=Callable[..., Labeler])


LABELER_KINDS: Registry[Callable[..., Labeler]] = Registry(
    "kind of labeler", "shortlist.labelers", attribute_of(object, "labeler_kind")
)


def labeler_kind(name: str) -> Callable[[Maker], Maker]:
    """Register a function that makes labelers as a kind that files can hold. Of two with one name, the last counts."""

    def register(make: Maker) -> Maker:
        make.labeler_kind = name  # type: ignore[attr-defined]
        LABELER_KINDS.add(make)
        return make

    return register


def from_record(record: Mapping[str, Any]) -> Labeler:
    """Make a labeler from plain data. `error.option` names a wrong setting."""
    if not isinstance(record, Mapping):
        raise BadLabeler(f"{record!r} is no labeler: each is an object with a kind and a name")
    return make_from_record({key: answers_from_plain(value) for key, value in record.items()}, LABELER_KINDS, "labeler")


def to_record(labeler: Labeler) -> dict[str, Any]:
    """A labeler as plain data. Raises if it is Python code."""
    record = labeler.record() if isinstance(labeler, Labeler) else None
    if record is None:
        name = getattr(labeler, "name", labeler)
        raise BadLabeler(f"labeler {name!r} is Python code, which is not saved: keep it in a module of yours")
    return record


def save_labelers(labelers: Labeler | Iterable[Labeler], path: str | os.PathLike[str]) -> None:
    """Write labelers that are data (pattern, keywords, attributes) to a JSON file that a person can edit."""
    listed = [labelers] if isinstance(labelers, Labeler) else labelers
    content = {"kind": "labelers", "version": 1, "labelers": [to_record(labeler) for labeler in listed]}
    with atomic(path) as file:
        file.write(json.dumps(content, indent=2, ensure_ascii=False).encode())


def load_labelers(path: str | os.PathLike[str]) -> list[Labeler]:
    """Read a file that `save_labelers` wrote, or a person edited."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except (ValueError, OSError) as error:
        raise BadFile(f"{path} is not JSON ({error})") from error
    if (
        not isinstance(content, dict)
        or content.get("kind") != "labelers"
        or not isinstance(content.get("labelers"), list)
    ):
        raise BadFile(f"{path} holds no labelers")
    if content.get("version") != 1:
        raise BadFile(f"{path} was written by a newer shortlist (format {content.get('version')}; this one reads 1)")
    try:
        return [from_record(record) for record in content["labelers"]]
    except ShortlistError as error:
        raise error.about(file=str(path)) from error
