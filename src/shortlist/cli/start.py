"""`shortlist init`: start a project from a data file, with options or questions."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shortlist.cli.screen import Screen
from shortlist.errors import ShortlistError
from shortlist.wording import did_you_mean, listed, nearest, number_of, some_of, split_names

if TYPE_CHECKING:
    from shortlist.project.settings import Settings
    from shortlist.rows import RowFile


@dataclass
class InitOptions:
    """The options of the command, or the answers to its questions; empty if left open."""

    classes: str = ""
    text: str = ""
    features: str = ""
    id: str = ""
    gold: str = ""
    separator: str = ""
    encoding: str = ""
    comment: str = ""

    @property
    def dialect(self) -> dict[str, str | None]:
        """Separator, encoding and comments of a csv file. Tabs, which are hard to type, may be written tab or \\t."""
        separator = "\t" if self.separator in ("tab", "\\t") else self.separator
        return {"separator": separator or None, "encoding": self.encoding or None, "comment": self.comment or None}

    @property
    def settings(self) -> dict[str, Any]:
        """All of them, as `write_starter` takes them."""
        lists = {"classes": split_names(self.classes), "features": split_names(self.features)}
        return lists | {"text": self.text or None, "id": self.id or None, "gold": self.gold or None} | self.dialect


def start(data: Path, folder: Path, options: InitOptions, *, ask: bool, force: bool, as_json: bool) -> None:
    """Write the files of a project. On a terminal, ask first for what the options leave open."""
    from shortlist.project.init import Guess, data_file, not_classes, other_spellings, write_starter
    from shortlist.project.settings import NAME, Settings

    screen = Screen(as_json=as_json)
    file = data_file(data, **options.dialect)
    if (folder / NAME).exists() and not force:
        raise ShortlistError(f"{folder / NAME} exists already; --force overwrites it")
    asks = ask and sys.stdin.isatty()
    if asks:
        ask_user(file, options, screen)
    written = write_starter(folder, data, guess=not asks, force=force, **options.settings)
    for path in written:
        screen.text(f"wrote {path}")
    settings = Settings.read(folder)
    screen.text(chosen_columns(settings, guessed=not options.classes))
    unknown = not_classes(file, settings.data.gold, settings.classes) if settings.data.gold else {}
    if settings.data.gold and (respelled := other_spellings(file, settings.data.gold, settings.classes)):
        screen.note(f"in column {settings.data.gold!r}, {respelled}")
    if unknown:
        screen.note(unknown_classes(settings, unknown))
    if settings.data.id is None and (repeating := Guess.of(file).repeating):
        screen.note(f"column {repeating!r} is not used as the row id: its values repeat. Rows are numbered from 0")
    screen.text("next: edit labelers.py, then `shortlist run`, or `shortlist watch` while you edit")
    columns = {name: getattr(settings.data, name) for name in ("text", "id", "gold")}
    screen.json({"written": [str(path) for path in written], **columns, "features": list(settings.data.features),
                 "classes": list(settings.classes), "not_classes": unknown})  # fmt: skip


def chosen_columns(settings: Settings, *, guessed: bool) -> str:
    """Columns and classes of the new project, in one line."""
    data = settings.data
    columns = {name: getattr(data, name) or "none" for name in ("text", "id", "gold")}
    if data.features:
        columns["features"] = listed(data.features)
    where = f" (from {data.gold})" if guessed else ""
    shown = "; ".join(f"{name}: {value}" for name, value in columns.items())
    return f"{shown}; classes: {listed(settings.classes)}{where}"


def unknown_classes(settings: Settings, unknown: dict[str, int]) -> str:
    """Warn about values of the gold column that are not classes."""

    def described(value: str, rows: int) -> str:
        close = nearest(value, settings.classes)
        return f"{value!r} on {number_of(rows, 'row')}" + (f" (the nearest class is {close!r})" if close else "")

    values = some_of((described(*item) for item in unknown.items()), joint="; ", last="; ")
    return (
        f"column {settings.data.gold!r} contains values that are not classes: {values}. "
        "Correct `classes` in shortlist.toml, or the column: `shortlist run` stops with an error at such a row"
    )


def ask_user(file: RowFile, options: InitOptions, screen: Screen) -> None:
    """Ask for what is left open, with guesses from the columns as defaults."""
    from shortlist.project.init import Guess, known_classes

    guess = Guess.of(file, id=options.id or None, gold=options.gold or None)
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)  # polars makes reads continue after Ctrl-C
    screen.text(f"{file.path}: {', '.join(f'{name} ({kind})' for name, kind in file.schema.items())}")
    if not options.text and not options.features:
        options.text = ask_column("Which column has the text?", file.columns, guess.text)
    if not options.text and not options.features and guess.features:
        numbers = typer.prompt("Numeric columns for the classifier (- for none)", default=listed(guess.features))
        options.features = "" if numbers == "-" else numbers
    if not options.id:
        options.id = ask_column("Which column is the row id?", file.columns, guess.id)
    if not options.gold:
        options.gold = ask_column(
            "Which column has known classes, if any?", file.columns, guess.gold,
            lambda name: None if options.classes else known_classes(file, name),
        )  # fmt: skip
    if not options.classes:
        known = listed(known_classes(file, options.gold)) if options.gold else ""
        while True:
            options.classes = typer.prompt("Classes, separated by commas", default=known, show_default=bool(known))
            if len(split_names(options.classes)) > 1:
                break
            screen.text("name at least two, for example: business, sports, world")


def ask_column(question: str, columns: list[str], guess: str | None, check: Callable[[str], object] = str) -> str:
    """Ask for a column until the answer is none, or one for which `check` raises no error."""
    while True:
        answer: str = typer.prompt(f"{question} (- for none)", default=guess or "-").strip()
        if answer == "-":
            return ""
        try:
            if answer in columns:
                check(answer)
                return answer
            typer.echo(f"there is no column {answer!r}.{did_you_mean(answer, columns)} Columns: {', '.join(columns)}")
        except ShortlistError as error:
            typer.echo(str(error))
