"""Records: labelers as plain data, in a JSON file or in shortlist.toml, and the kinds that can be written so.

A kind is a function that makes a labeler; its parameters are the settings of the kind. Anybody can add one:

    @labeler_kind("longer")
    def longer(than, says, *, on=None, name=None):
        return Longer(...)        # a Labeler whose record() gives {"kind": "longer", "than": …, "says": …}

An installed package can announce its function as an entry point of the group `shortlist.labelers` instead.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from shortlist.archive import atomic
from shortlist.errors import BadFile, BadLabeler, ShortlistError
from shortlist.labelers.answers import answers_from_plain
from shortlist.labelers.labeler import Labeler
from shortlist.registry import Registry, parameter_meant
from shortlist.wording import did_you_mean

FORMAT = 2  # 1: keywords had "yes" for what is now "says"
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
Maker = TypeVar("Maker", bound=Callable[..., Labeler])


@dataclass(frozen=True)
class Kind:
    """A kind of labeler that can be written in a file."""

    name: str
    make: Callable[..., Labeler]

    @property
    def settings(self) -> dict[str, bool]:
        """Setting → whether it is needed."""
        parameters = inspect.signature(self.make).parameters.values()
        return {one.name: one.default is one.empty for one in parameters if one.kind in _BY_NAME}

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise where a setting is unknown or missing."""
        known = self.settings
        for name in given:
            if name not in known:
                hint = f"{parameter_meant(name, known)} They have {', '.join(known)}"
                raise BadLabeler(f"labelers of kind {self.name!r} have no {name!r}.{hint}", option=(name,))
        missing = [name for name, needed in known.items() if needed and name not in given]
        if missing:
            raise BadLabeler(f"this {self.name} labeler does not say {' and '.join(missing)}")


KINDS: Registry[Callable[..., Labeler]] = Registry(
    "kind of labeler", "shortlist.labelers", lambda make: getattr(make, "labeler_kind", None)
)


def labeler_kind(name: str) -> Callable[[Maker], Maker]:
    """Register a function that makes labelers as a kind that files can hold. Of two with one name, the last counts."""

    def register(make: Maker) -> Maker:
        make.labeler_kind = name  # type: ignore[attr-defined]
        KINDS.add(make)
        return make

    return register


def find_kind(name: Any) -> Kind:
    """The kind of that name."""
    make = KINDS.get(name) if isinstance(name, str) else None
    if make is None:
        hint = did_you_mean(name, KINDS) if name else ""
        raise BadLabeler(f"{name!r} is no kind of labeler.{hint} Kinds: {', '.join(KINDS)}", option=("kind",))
    return Kind(name, make)


def from_record(record: Mapping[str, Any]) -> Labeler:
    """The labeler that plain data stands for. An error tells by `option` which setting is at fault."""
    if not isinstance(record, Mapping):
        raise BadLabeler(f"{record!r} is no labeler: each is an object with a kind and a name")
    kind = find_kind(record.get("kind"))
    given = {key: value for key, value in record.items() if key != "kind"}
    kind.check(given)
    try:
        return kind.make(**{key: answers_from_plain(value) for key, value in given.items()})
    except TypeError as error:
        raise BadLabeler(f"this {kind.name} labeler cannot be made: {error}") from error


def to_record(labeler: Labeler) -> dict[str, Any]:
    """A labeler as plain data; one that is Python code has none."""
    record = labeler.record() if isinstance(labeler, Labeler) else None
    if record is None:
        name = getattr(labeler, "name", labeler)
        raise BadLabeler(f"labeler {name!r} is Python code, which is not saved: keep it in a module of yours")
    return record


def save_labelers(labelers: Labeler | Iterable[Labeler], path: str | os.PathLike[str]) -> None:
    """Write labelers that are data (pattern, keywords, attributes) to a JSON file that a person can edit."""
    listed = [labelers] if isinstance(labelers, Labeler) else labelers
    records = [to_record(labeler) for labeler in listed]
    text = json.dumps({"kind": "labelers", "version": FORMAT, "labelers": records}, indent=2, ensure_ascii=False)
    with atomic(path) as file:
        file.write(text.encode())


def load_labelers(path: str | os.PathLike[str]) -> list[Labeler]:
    """Read what `save_labelers` wrote, or a person edited."""
    found = _read(path)
    version = found.get("version")
    if not isinstance(version, int) or version > FORMAT:
        raise BadFile(f"{path} was written by a newer shortlist (format {version}; this one reads {FORMAT})")
    records = [_updated(record) for record in found["labelers"]] if version < 2 else found["labelers"]
    try:
        return [from_record(record) for record in records]
    except ShortlistError as error:
        raise error.about(file=str(path)) from error


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path} does not exist") from None
    except (ValueError, OSError) as error:
        raise BadFile(f"{path} is not JSON ({error})") from error
    if not isinstance(found, dict) or found.get("kind") != "labelers" or not isinstance(found.get("labelers"), list):
        raise BadFile(f"{path} holds no labelers")
    return found


def _updated(record: Any) -> Any:
    """A record of format 1 as one of today."""
    if isinstance(record, dict) and record.get("kind") == "keywords":
        return {"says" if key == "yes" else key: value for key, value in record.items()}
    return record
