"""Output of a command: tables and progress bars on a terminal, plain text in a pipe, or one JSON object."""

from __future__ import annotations

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

from shortlist.cli.exits import print_json
from shortlist.project.session import Listener
from shortlist.project.stages.stage import Outcome
from shortlist.wording import harmless, is_figure, visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Screen(Listener):
    """Prints results to standard output, and progress and notes to standard error."""

    def __init__(self, *, as_json: bool = False, each_stage: bool = False) -> None:
        self.as_json = as_json
        self.each_stage = each_stage
        self.out = _console(sys.stdout)
        self.err = _console(sys.stderr)
        self._printed: set[str] = set()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    # -- callbacks of a run ----------------------------------------------------------------------------

    def waiting(self, process: str) -> None:
        self.note(f"waiting: another shortlist (process {process}) is running in this folder")

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
        """Show a progress bar, if standard error is a terminal."""
        if self.as_json or not self.err.is_terminal:
            yield self
            return
        from rich import progress

        columns = (
            progress.SpinnerColumn(), progress.TextColumn("{task.description}"), progress.BarColumn(),
            progress.TaskProgressColumn(), progress.TextColumn("{task.fields[speed]}"),
            progress.TextColumn("{task.fields[left]}"), progress.TimeRemainingColumn(),
        )  # fmt: skip
        with progress.Progress(*columns, console=self.err, transient=True) as bar:
            self._bar, self._task = bar, bar.add_task("checking for changes", total=None, left="", speed="")
            try:
                yield self
            finally:
                self._bar = self._task = None

    # -- output ----------------------------------------------------------------------------------------

    def print(self, *lines: Any) -> None:
        for line in lines if not self.as_json else ():
            if isinstance(line, Text):
                line.plain = harmless(line.plain)  # rows and ids may hold escape sequences of terminals
            self.out.print(line, soft_wrap=not self.out.is_terminal)

    def text(self, line: str) -> None:
        """Print a line as text, never as markup. On a terminal, wrapped lines keep their indent."""
        shown = visible(line)
        indent = len(shown) - len(shown.lstrip(" "))
        self.print(Padding.indent(Text(shown[indent:]), indent) if indent and self.out.is_terminal else Text(shown))

    def note(self, line: str) -> None:
        """Print a note to standard error, once."""
        if not self.as_json and line not in self._printed:
            self._printed.add(line)
            self.err.print(Text.assemble(("note: ", "yellow"), visible(line)), soft_wrap=not self.err.is_terminal)

    def error(self, error: Exception) -> None:
        """Print an error that does not end the command."""
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
        """Print one line about a stage."""
        signs = {"done": "[green]✓[/]", "up to date": "[dim]·[/]", "skipped": "[yellow]–[/]"}
        where = ", ".join(map(str, outcome.outputs))
        summary = Text(visible(" → ".join(filter(None, (outcome.summary, where)))))
        took = f"[dim]{outcome.seconds:.1f} s[/]" if outcome.status == "done" else outcome.status
        line = Table.grid(padding=(0, 2))
        line.add_row("[yellow]![/]" if outcome.is_poor else signs[outcome.status], f"{outcome.stage:<7}", summary, took)
        above = self._bar is not None and self.out.is_terminal  # a line must not run into the bar
        (self.err if above else self.out).print(line)

    def json(self, value: Any) -> None:
        """Print the JSON object of the command, if it was asked for."""
        if self.as_json:
            print_json(value)

    def table(self, title: str | None, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table: text is left-aligned, numbers right-aligned."""
        if self.as_json:
            return
        plain = not self.out.is_terminal
        if title is not None:
            self.out.print(Text(title, style="bold"))
        style = "" if plain else "bold"
        table = Table(box=None if plain else box.SIMPLE_HEAD, pad_edge=False, header_style=style)
        for i, header in enumerate(headers):
            figures = all(is_figure(row[i]) for row in rows)
            table.add_column(Text(visible(header)), justify="right" if figures and rows else "left", no_wrap=figures)
        for row in rows:
            table.add_row(*(Text(visible(cell)) for cell in row))
        self.out.print(table)


def _console(stream: Any) -> Console:
    """Console as wide as the terminal, or 240 columns in a pipe."""
    console = PipedConsole(file=stream, highlight=False, soft_wrap=False)
    return console if console.is_terminal else PipedConsole(file=stream, highlight=False, width=240)


class PipedConsole(Console):
    """A console that raises BrokenPipeError; rich would exit the process with code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
