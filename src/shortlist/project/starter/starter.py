"""The starter: a commented shortlist.toml and labelers.py for a data file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from shortlist.archive import atomic
from shortlist.errors import BadFile, ShortlistError
from shortlist.project.settings import NAME
from shortlist.project.starter.guess import Guess
from shortlist.project.starter.known import check_gold, fitting, known_classes
from shortlist.project.starter.labelers_text import labelers_text, looked_at
from shortlist.project.starter.toml_text import toml_text
from shortlist.project.values import Check, Wrong, sign
from shortlist.project.values import encoding as known
from shortlist.rows import RowFile
from shortlist.wording import did_you_mean, given_twice

LABELERS = "labelers.py"


def write_starter(
    folder: Path,
    data: Path,
    *,
    classes: Sequence[str] = (),
    text: str | None = None,
    features: Sequence[str] = (),
    id: str | None = None,
    gold: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    guess: bool = True,
    force: bool = False,
) -> list[Path]:
    """Write shortlist.toml and labelers.py; what is there already is kept, unless it is forced.

    separator, encoding   of a csv file, where they are not found out as they should be

    Where neither text nor features are given, columns are guessed, unless `guess` is false.
    """
    file = data_file(data, separator, encoding)
    file.need(*(name for name in (text, id, gold, *features) if name is not None))
    if gold is not None and classes:
        check_gold(file, gold, classes)
    if guess and text is None and not features:
        found = Guess.of(file, id=id, gold=gold)
        text, id, gold = found.text, found.id, gold or fitting(file, found.gold, classes)
        features = found.features
    if gold is not None and not classes:
        classes = known_classes(file, gold)
    _check_classes(classes)
    if text is not None and file.schema[text] != pl.String:
        texts = [name for name, kind in file.schema.items() if kind == pl.String]
        raise BadFile(f"column {text!r} of {data} holds {file.schema[text]}, not text.{did_you_mean(text, texts)}")
    folder.mkdir(parents=True, exist_ok=True)
    existing = [name for name in (NAME, LABELERS) if (folder / name).exists()]
    if NAME in existing and not force:
        raise ShortlistError(f"{folder / NAME} is there already; --force replaces it")
    written = [_write(folder / NAME, toml_text(_relative(data, folder), classes, text, features, id, gold, file))]
    if LABELERS not in existing or force:
        written.append(_write(folder / LABELERS, labelers_text(classes, text, looked_at(file, features, id, gold))))
    return written


def data_file(data: Path, separator: str | None = None, encoding: str | None = None) -> RowFile:
    """The file of rows of a new project, with at least one row."""
    file = RowFile(data, separator=_said("separator", sign, separator), encoding=_said("encoding", known, encoding))
    if not len(file.head(1)):
        raise BadFile("has a header and no rows: labelers need rows to vote on", file=str(data))
    return file


def _said(option: str, check: Check, value: str | None) -> str | None:
    """A value as the toml would have it."""
    try:
        return None if value is None else str(check(value))
    except Wrong as error:
        raise ShortlistError(f"{option} {error}; got {value!r}", option=(option,)) from None


def _check_classes(classes: Sequence[str]) -> None:
    if len(classes) < 2:
        raise ShortlistError("name at least two classes, for example --classes business,sports,world")
    if twice := given_twice(classes):
        raise ShortlistError(f"class {twice!r} is named twice")


def _relative(data: Path, folder: Path) -> str:
    """The data file as seen from the folder."""
    return Path(os.path.relpath(data.absolute(), folder.absolute())).as_posix()


def _write(path: Path, text: str) -> Path:
    with atomic(path) as file:
        file.write(text.encode("utf-8"))
    return path
