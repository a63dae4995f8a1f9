"""`shortlist init`: from a data file to a project, by options and by questions."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from shortlist.cli.screen import Screen
from shortlist.errors import ShortlistError
from shortlist.wording import did_you_mean, listed, nearest, number_of, some_of, split_names

if TYPE_CHECKING:
    from shortlist.project.settings import Settings
    from shortlist.rows import RowFile

TABS = {"tab": "\t", "\\t": "\t"}
COLUMNS = ("text", "id", "gold")  # what columns can be for


@dataclass(frozen=True)
class Answers:
    """What the user said, as text; empty where nothing was said."""

    classes: str = ""
    text: str = ""
    features: str = ""
    id: str = ""
    gold: str = ""
    separator: str = ""
    encoding: str = ""

    @property
    def dialect(self) -> dict[str, str | None]:
        """How a csv file is written, where that was said; tabs are hard to type."""
        sign = TABS.get(self.separator, self.separator)
        return {"separator": sign or None, "encoding": self.encoding or None}


def start(data: Path, folder: Path, given: Answers, *, ask: bool, force: bool, as_json: bool) -> None:
    """Write the files of a project, after asking what is not known, where somebody can answer."""
    from shortlist.project.settings import NAME, Settings
    from shortlist.project.starter import Guess, data_file, not_classes, write_starter

    screen = Screen(as_json=as_json)
    file = data_file(data, **given.dialect)
    if (folder / NAME).exists() and not force:
        raise ShortlistError(f"{folder / NAME} is there already; --force replaces it")
    asks = ask and sys.stdin.isatty()
    if asks:
        given = asked(file, given, screen)
    written = write_starter(
        folder,
        data,
        classes=split_names(given.classes),
        text=given.text or None,
        features=split_names(given.features),
        id=given.id or None,
        gold=given.gold or None,
        guess=not asks,
        force=force,
        **given.dialect,
    )
    for path in written:
        screen.text(f"wrote {path}")
    settings = Settings.read(folder)
    screen.text(taken(settings, guessed=not given.classes))
    strange = not_classes(file, settings.data.gold, settings.classes) if settings.data.gold else {}
    if strange:
        screen.note(no_classes(settings, strange))
    if settings.data.id is None and (twice := Guess.of(file).repeating):
        screen.note(f"column {twice!r} is not taken as the id of a row: its values repeat. Rows are numbered from 0")
    screen.text("next: look at labelers.py, then `shortlist run`, or `shortlist watch` while you edit")
    data_settings = {name: getattr(settings.data, name) for name in COLUMNS}
    found = {"features": list(settings.data.features), "classes": list(settings.classes), "not_classes": strange}
    screen.json({"written": [str(path) for path in written], **data_settings, **found})


def taken(settings: Settings, *, guessed: bool) -> str:
    """Which columns and classes the project begins with: where nobody was asked, they are guesses."""
    data = settings.data
    columns = {name: getattr(data, name) or "none" for name in COLUMNS}
    if data.features:
        columns["features"] = listed(data.features)
    where = f" (from {data.gold})" if guessed else ""
    shown = "; ".join(f"{name}: {value}" for name, value in columns.items())
    return f"{shown}; classes: {listed(settings.classes)}{where}"


def no_classes(settings: Settings, strange: dict[str, int]) -> str:
    """That the gold column holds values that are no classes, so that the first run would end there."""
    described = (_described(value, rows, settings.classes) for value, rows in strange.items())
    return (
        f"column {settings.data.gold!r} holds values that are no classes: {some_of(described, joint='; ', last='; ')}. "
        "Correct `classes` in shortlist.toml, or the column: `shortlist run` ends with an error at such a row"
    )


def _described(value: str, rows: int, classes: Sequence[str]) -> str:
    close = nearest(value, classes)
    return f"{value!r} on {number_of(rows, 'row')}" + (f" (the nearest class is {close!r})" if close else "")


def asked(file: RowFile, given: Answers, screen: Screen) -> Answers:
    """Ask for what was not given; what the columns suggest is offered."""
    from shortlist.project.starter import Guess, known_classes

    guess = Guess.of(file, id=given.id or None, gold=given.gold or None)
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)  # polars lets reads go on after Ctrl-C; a question should end
    screen.text(f"{file.path}: {', '.join(f'{name} ({kind})' for name, kind in file.schema.items())}")
    columns = file.columns
    if not given.text and not given.features:
        given = replace(given, text=column("Which column holds the text?", columns, guess.text))
    if not given.text and not given.features and guess.features:
        numbers = typer.prompt("Columns of numbers for the classifier (- for none)", default=listed(guess.features))
        given = replace(given, features="" if numbers == "-" else numbers)
    if not given.id:
        given = replace(given, id=column("Which column is the id of a row?", columns, guess.id))
    if not given.gold:
        given = replace(given, gold=column("Which column holds known classes, if any?", columns, guess.gold))
    if not given.classes:
        known = listed(known_classes(file, given.gold)) if given.gold else None
        given = replace(given, classes=typer.prompt("The classes, with commas between", default=known))
        while len(split_names(given.classes)) < 2:
            screen.text("at least two are needed, for example: business, sports, world")
            given = replace(given, classes=typer.prompt("The classes, with commas between"))
    return given


def column(question: str, columns: list[str], guess: str | None) -> str:
    """A column of the file, or none: asked again until it is one."""
    while True:
        answer: str = typer.prompt(f"{question} (- for none)", default=guess or "-").strip()
        if answer == "-" or answer in columns:
            return "" if answer == "-" else answer
        typer.echo(f"there is no column {answer!r}.{did_you_mean(answer, columns)} Columns: {', '.join(columns)}")
