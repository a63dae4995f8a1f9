"""What to tell when a labeler or a feature fails: who, on which row, how, and where in the user's own code."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from shortlist.errors import LabelerFailed
from shortlist.wording import ended

LONGEST = 120  # characters of a row that are shown
REMEDY = 'To go on where a labeler fails: apply(…, on_error="abstain")'


def failed(error: BaseException, **facts: Any) -> LabelerFailed:
    """The error that a labeler or a feature (`labeler=`, `feature=`) failed on a row or on rows (`row=`, `rows=`)."""
    who = f"labeler {facts['labeler']!r}" if "labeler" in facts else f"feature {facts['feature']!r}"
    where = f"row {facts['row']}" if "row" in facts else f"rows {facts['rows'][0]} to {facts['rows'][1]}"
    return LabelerFailed(f"{who} failed on {where}: {type(error).__name__}: {error}", **facts, **users_place(error))


@dataclass(frozen=True)
class FeatureFailed:
    """What stands in a feature's column where it could not be computed."""

    error: BaseException


class FeatureError(Exception):
    """A feature failed while a function that asks for it was called; the argument is the error to tell."""


def passing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which passes on the failure of a feature that it asks for."""

    def call(*arguments: Any) -> Any:
        broken = next((one for one in arguments if one.__class__ is FeatureFailed), None)
        return function(*arguments) if broken is None else broken

    return call


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which fails where a feature it asks for has failed."""

    def call(*arguments: Any) -> Any:
        for argument in arguments:
            if argument.__class__ is FeatureFailed:
                raise argument.error
        return function(*arguments)

    return call


def with_row(error: LabelerFailed, row: Any, columns: Sequence[str] = (), remedy: str = REMEDY) -> LabelerFailed:
    """The same error with what the row holds, and how to go on. Of a row with columns, some may be shown."""
    if isinstance(row, Mapping) and columns:
        shown = ", ".join(f"{name} {_short(row.get(name))}" for name in columns)
    else:
        shown = _short(row)
    return LabelerFailed(f"{ended(error.message)} The row: {shown}. {remedy}", **error.facts)


def _short(value: Any) -> str:
    """A value as Python writes it, cut."""
    text = repr(value[: 2 * LONGEST] if isinstance(value, str) else value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def feature_failed(error: BaseException, feature: str, row: int) -> LabelerFailed:
    """The error that a feature failed on a row: to be raised, or to be kept in place of its value."""
    told = failed(error, feature=feature, row=row)
    told.__cause__ = error
    return told


def full_traceback(error: BaseException, row: int | None = None) -> str:
    """The traceback as text, to travel with the Votes. It ends with the place, the row and the error in one line.

    That of a feature ends with the place, the name of the feature and the row.
    """
    if isinstance(error, LabelerFailed) and error.__cause__ is not None:
        place = f"{Path(error.file).name}, line {error.line}: " if error.file else ""
        return f"{full_traceback(error.__cause__)}{place}{' '.join(error.message.split())}\n"
    whole = "".join(traceback.format_exception(error))
    if row is None:
        return whole
    found = users_place(error)
    place = f"{Path(found['file']).name}, line {found['line']}, " if found else ""
    return f"{whole}{place}row {row}: {type(error).__name__}: {' '.join(str(error).split())}\n"


def users_place(error: BaseException) -> dict[str, Any]:
    """The last place in the user's own code on the way to an error, as facts; nothing where there is none."""
    places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    for file, line in reversed(places):
        if not _installed(file):
            return {"file": file, "line": line}
    return {}


@cache
def _installed(file: str) -> bool:
    """Whether a file belongs to Python, to a package or to Shortlist."""
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.add(str(Path(__file__).parents[1]))
    roots = {os.path.realpath(folder) + os.sep for folder in folders} | {folder + os.sep for folder in folders}
    return file.startswith(("<frozen", *roots)) or "site-packages" in file or "dist-packages" in file
