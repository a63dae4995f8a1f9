"""Screen: what a command shows: tables and bars on a terminal, plain text in a pipe, or one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shortlist.cli.streams import reads_unicode
from shortlist.project.listener import Listener
from shortlist.project.stages import Outcome
from shortlist.wording import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

WIDE = 240  # columns of text that nobody reads on a screen
SIGNS = {"done": "[green]✓[/]", "up to date": "[dim]·[/]", "skipped": "[yellow]–[/]"}


class Screen(Listener):
    """Results go to standard output; bars, notes and waiting go to standard error."""

    def __init__(self, *, as_json: bool = False, each_stage: bool = False) -> None:
        self.as_json = as_json
        self.each_stage = each_stage
        self.out = _console(sys.stdout)
        self.err = _console(sys.stderr)
        self._told: set[str] = set()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    # -- as a listener ---------------------------------------------------------------------------------

    def waiting(self, process: str) -> None:
        self.note(f"another shortlist (process {process}) is working in this folder; waiting for it to end")

    def working_on(self, engine: str, workers: int, dashboard: str | None) -> None:
        page = f"; dashboard: {dashboard}" if dashboard else ""
        self.note(f"{engine} with {workers} workers{page}")

    def begin(self, stage: str, rows: int | None = None) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(stage, total=rows, left="time left" if rows else "", speed="")

    def advance(self, rows: int) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, rows)
            pace = self._bar.tasks[-1].speed
            self._bar.update(self._task, speed=f"{pace:,.0f} rows/s" if pace else "")

    def tell(self, line: str) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=escape(line))

    def end(self, outcome: Outcome) -> None:
        if self.each_stage and not self.as_json and outcome.status != "up to date":
            self.outcome(outcome)

    @contextmanager
    def working(self) -> Iterator[Screen]:
        """A bar with the time left, where somebody watches."""
        if self.as_json or not self.err.is_terminal:
            yield self
            return
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        share, left = TaskProgressColumn(), TextColumn("{task.fields[left]}")
        speed = TextColumn("{task.fields[speed]}")
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            share,
            speed,
            left,
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self.err, transient=True) as bar:
            self._bar, self._task = bar, bar.add_task("looking for what changed", total=None, left="", speed="")
            try:
                yield self
            finally:
                self._bar = self._task = None

    # -- what is shown ---------------------------------------------------------------------------------

    def print(self, *lines: Any) -> None:
        for line in lines if not self.as_json else ():
            self.out.print(line, soft_wrap=not self.out.is_terminal)

    def text(self, line: str) -> None:
        """What users wrote is text, never markup, and cannot move the cursor. On a terminal, all of it is indented."""
        shown = visible(line)
        indent = len(shown) - len(shown.lstrip(" "))
        self.print(Padding.indent(Text(shown[indent:]), indent) if indent and self.out.is_terminal else Text(shown))

    def note(self, line: str) -> None:
        """What the user should know besides; each note is told once."""
        if not self.as_json and line not in self._told:
            self._told.add(line)
            self.err.print(Text.assemble(("note: ", "yellow"), visible(line)), soft_wrap=not self.err.is_terminal)

    def mistake(self, error: Exception) -> None:
        """An error that does not end the command."""
        if self.as_json:
            self.json({"error": str(error)})
        else:
            line = visible(" ".join(str(error).split()))
            self.err.print(Text.assemble(("error: ", "bold red"), line), soft_wrap=True)

    def notes(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            for note in outcome.notes:
                self.note(f"{outcome.stage}: {note}")

    def outcome(self, outcome: Outcome) -> None:
        """One line about a stage."""
        where = ", ".join(map(str, outcome.outputs))
        found = Text(visible(" → ".join(filter(None, (outcome.line, where)))))
        took = f"[dim]{outcome.seconds:.1f} s[/]" if outcome.status == "done" else outcome.status
        line = Table.grid(padding=(0, 2))
        line.add_row("[yellow]![/]" if outcome.doubtful else SIGNS[outcome.status], f"{outcome.stage:<7}", found, took)
        above = self._bar is not None and self.out.is_terminal  # a line must not run into the bar
        (self.err if above else self.out).print(line)

    def json(self, value: Any) -> None:
        """The one object that programs read."""
        if self.as_json:
            print(json.dumps(value, ensure_ascii=not reads_unicode(sys.stdout), default=str))

    def table(self, title: str | None, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Words to the left, numbers to the right."""
        if self.as_json:
            return
        plain = not self.out.is_terminal
        if title is not None:
            self.out.print(Text(title, style="bold"))
        style = "" if plain else "bold"
        table = Table(box=None if plain else box.SIMPLE_HEAD, pad_edge=False, header_style=style)
        for i, header in enumerate(headers):
            figures = all(_is_figure(row[i]) for row in rows)
            table.add_column(Text(visible(header)), justify="right" if figures and rows else "left", no_wrap=figures)
        for row in rows:
            table.add_row(*(Text(visible(cell)) for cell in row))
        self.out.print(table)


def _is_figure(cell: str) -> bool:
    return not cell or cell[0].isdigit() or cell[0] in "+-−–"


def _console(stream: Any) -> Console:
    """As wide as it is on a terminal; as wide as it takes elsewhere."""
    console = PipedConsole(file=stream, highlight=False, soft_wrap=False)
    return console if console.is_terminal else PipedConsole(file=stream, highlight=False, width=WIDE)


class PipedConsole(Console):
    """A console that lets the command end as it should when nobody reads on; rich would end it itself."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
