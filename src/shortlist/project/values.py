"""Values: what the values of shortlist.toml may be. A value that cannot be is `Wrong`, which says what it should be."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import Any

from shortlist.classifier.kinds import RESERVED, find_kind, kind_names
from shortlist.project.stages import STAGES

Check = Callable[[Any], Any]


class Wrong(Exception):  # noqa: N818
    """What a value should have been."""


def text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Wrong("is a text between quotation marks")
    return value


def texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise Wrong('is a list of texts, such as ["one", "two"]')
    return tuple(value)


def files(value: Any) -> tuple[str, ...]:
    found = texts([value] if isinstance(value, str) else value)
    if not found:
        raise Wrong("names at least one file")
    return found


def columns(value: Any) -> tuple[str, ...]:
    found = texts([value] if isinstance(value, str) else value)
    if not found or len(set(found)) < len(found):
        raise Wrong('names columns, each once, such as ["title", "body"]')
    return found


def whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Wrong("is a whole number from 1")
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Wrong("is true or false")
    return value


def inside(value: Any) -> str:
    """A folder in that of the project: a project that comes from elsewhere writes nowhere else."""
    folder = text(value)
    parts = Path(folder.replace("\\", "/")).parts
    if Path(folder).is_absolute() or PureWindowsPath(folder).drive or ".." in parts:
        raise Wrong("is a folder inside the project (`shortlist export --to` writes anywhere)")
    return folder


def share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
        raise Wrong("is a share of belief, above 0 and at most 1")
    return float(value)


def anything(value: Any) -> Any:
    return value


def one_of(*choices: str) -> Check:
    def check(value: Any) -> str:
        if value not in choices:
            raise Wrong(f"is one of {quoted(*choices)}")
        return str(value)

    return check


def kind(value: Any) -> str:
    if value not in RESERVED and (not isinstance(value, str) or find_kind(value) is None):
        raise Wrong(f"is one of {quoted(*kind_names(), *RESERVED)}")
    return str(value)


def quoted(*names: str) -> str:
    return ", ".join(map(repr, names))


def stages(value: Any) -> tuple[str, ...]:
    for name in texts(value):
        if name not in STAGES:
            raise Wrong(f"names stages, which are {', '.join(STAGES)}")
    here = STAGES.here  # those that packages announce come last
    return (*(name for name in here if name in value), *(name for name in value if name not in here))


def types(value: Any) -> dict[str, str]:
    kinds = ("text", "number", "integer", "boolean")
    if not isinstance(value, dict) or not all(kind in kinds for kind in value.values()):
        raise Wrong(f"says what columns hold, each one of {', '.join(map(repr, kinds))}")
    return dict(value)


def sign(value: Any) -> str:
    """One sign, which separates fields."""
    if not isinstance(value, str) or len(value.encode()) != 1:
        raise Wrong("is one sign, such as ;")
    return value


def encoding(value: Any) -> str:
    """An encoding that Python knows."""
    try:
        return codecs.lookup(value).name
    except (LookupError, TypeError):
        raise Wrong('is an encoding, such as "utf-8" or "latin-1"') from None
