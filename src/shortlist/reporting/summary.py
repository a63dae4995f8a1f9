"""The summary: the report, for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shortlist.analysis import Analysis
from shortlist.analysis.labeler_tables import labeler_columns
from shortlist.identifiability import Diagnosis
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting.advice import check
from shortlist.reporting.checkup import Checkup
from shortlist.reporting.overview import Overview, notices, verdict
from shortlist.votes import Votes

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

WIDTH = 20  # characters of an interval, from 0 to 1


def summarise(
    votes: Votes,
    model: Any = None,
    *,
    gold: Gold | None = None,
    level: float = 0.9,
    time_limit: float = 10.0,
    diagnosis: Diagnosis | None = None,
) -> Summary:
    """Advice, notices and the tables of the report, to print: in colour with rich, plainly with `print`.

    Without a diagnosis, `diagnose(votes)` is run within the time limit (seconds).
    """
    overview = Overview(Analysis(votes, model, gold=gold), level=level)
    return Summary(overview, check(overview, diagnosis=diagnosis, time_limit=time_limit))


class Summary:
    """Prints itself."""

    def __init__(self, overview: Overview, checkup: Checkup) -> None:
        self.overview, self.checkup = overview, checkup

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        yield Text(" · ".join(f"{tile.value} {tile.name}" for tile in self.overview.tiles), style="bold")
        yield ""
        yield from (Text(line) for line in self.checkup.lines())
        yield ""
        yield self._notices()
        for table in (self._labelers(), *self._tables()):
            yield ""
            yield table

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=110, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    __repr__ = __str__

    def _notices(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        signs = {"good": "[green]✓[/]", "note": "[blue]i[/]", "warn": "[yellow]![/]"}
        table = Table.grid(padding=(0, 1))
        for notice in (*notices(self.overview), verdict(self.checkup)):
            table.add_row(signs[notice.level], Text(notice.text))
        return table

    def _labelers(self) -> Table:
        """The table of labelers, with a ruler beside the column that has an interval."""
        from rich.text import Text

        columns = labeler_columns(self.overview.labelers)
        table = _table("Labelers", "labeler")
        for column in columns:
            table.add_column(column.title, justify="right")
            if column.drawing == "interval":
                table.add_column("0" + " " * (WIDTH - 2) + "1", no_wrap=True)
        for line in self.overview.labelers.iter_rows(named=True):
            cells = [Text(line["labeler"])]
            for column in columns:
                cells.append(Text(column.text(line)))
                if column.drawing == "interval":
                    cells.append(Text(ruler(line), style="blue"))
            table.add_row(*cells)
        return table

    def _tables(self, most: int = 5) -> Iterator[Table]:
        """Classes, contradictions and rows to label next, the first few of each."""
        overview = self.overview
        if overview.model is not None:
            pairs = overview.classes.sort("error", descending=True, maintain_order=True).head(most)
            headers = ["class", "other", "expected error", "labelers that tell"]
            rows = pairs.select("class", "other", "error", "labelers").iter_rows()
            yield _filled("Classes that are mixed up", headers, ((a, b, f"{e:.1%}", str(n)) for a, b, e, n in rows))
        if not overview.buckets.is_empty():
            headers = ["labeler", "says", "while", "says", "rows"]
            rows = overview.buckets.head(most).iter_rows()
            yield _filled("Contradictions", headers, ((*words, f"{count:,}") for *words, count in rows))
        if overview.model is not None:
            headers = ["row", "believed", "or", "rows like it", "expected gain"]
            lines = overview.suggestions.head(most).iter_rows(named=True)
            yield _filled("What to label next", headers, map(_suggestion, lines))


def _suggestion(line: Mapping[str, Any]) -> tuple[str, ...]:
    believed, other = f"{line['class']} {line['belief']:.0%}", f"{line['or']} {line['or_belief']:.0%}"
    return str(line.get("id", line["row"])), believed, other, f"{line['rows']:,}", f"{line['gain']:.1f}"


def ruler(line: Mapping[str, Any]) -> str:
    """An interval in characters: ──●──, with ◆ where gold is."""
    marks = [" "] * WIDTH
    if line["accuracy"] is not None:
        if line["accuracy_low"] is not None:
            for at in range(_at(line["accuracy_low"]), _at(line["accuracy_high"]) + 1):
                marks[at] = "─"
        if line.get("gold_accuracy") is not None:
            marks[_at(line["gold_accuracy"])] = "◆"
        marks[_at(line["accuracy"])] = "●"
    return "".join(marks)


def _at(share: float) -> int:
    return min(WIDTH - 1, int(share * WIDTH))


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(*columns, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)


def _filled(title: str, headers: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
    """A table of words of users: text, never markup."""
    from rich.text import Text

    table = _table(title, *headers)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
