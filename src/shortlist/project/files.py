"""The files that a project names: those of its rows, and those that its labelers read."""

from __future__ import annotations

import json
from pathlib import Path

from shortlist.errors import BadFile, ShortlistError
from shortlist.project.kept.stores import Stores, is_url
from shortlist.project.settings import Settings
from shortlist.wording import did_you_mean

HIDDEN = ".shortlist"  # the folder of what need not be done twice


def data_files(folder: Path, settings: Settings) -> list[Path]:
    """The files that [data] names, in order."""
    return _spelt_out(folder, settings, settings.data.files, "data", "files")


def depended_files(folder: Path, settings: Settings) -> list[Path]:
    """The files that labelers read while they vote, as the settings name them."""
    return _spelt_out(folder, settings, settings.labelers.depends, "labelers", "depends")


def listed_files(path: Path) -> list[Path]:
    """The files that a list of parts names, as VoteParts and labels in parts have it. (numpy stays outside.)"""
    try:
        return [path.parent / part["file"] for part in json.loads(path.read_text("utf-8"))["parts"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise BadFile(f"{path} is no list of parts: {error}") from error


def _spelt_out(folder: Path, settings: Settings, names: tuple[str, ...], *path: str) -> list[Path]:
    """Files and patterns as files; one that is not there is told at its line."""
    found: list[Path] = []
    for given in names:
        try:
            matches = Stores(folder / HIDDEN).files(given) if is_url(given) else matching(folder, given)
        except ShortlistError as error:
            raise settings.toml.wrong(str(error), *path) from error
        found += [match for match in matches if match not in found]
    return found


def matching(folder: Path, given: str) -> list[Path]:
    """The file of that name, or the files that a pattern with * means."""
    path = folder / given
    if path.is_dir():
        raise BadFile(f"{given} is a folder; all csv files of it would be {given}/*.csv")
    if path.exists():
        return [path]
    if any(sign in given for sign in "*?["):
        root = Path(path.anchor) if Path(given).is_absolute() else folder
        matches = sorted(root.glob(str(path.relative_to(root))))
        if not matches:
            raise BadFile(f"no file is called {given}")
        return matches
    beside = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    raise BadFile(f"{given} does not exist.{did_you_mean(path.name, beside)}")
