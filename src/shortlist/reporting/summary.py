"""The summary: what the page says, for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from shortlist.analysis import Analysis
from shortlist.identifiability import Diagnosis
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting.notices import notices, verdict
from shortlist.reporting.overview import Overview
from shortlist.votes import Votes
from shortlist.wording import NOT_KNOWN

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

SIGNS = {"good": "[green]✓[/]", "note": "[blue]i[/]", "warn": "[yellow]![/]"}
WIDTH = 20  # characters of an interval, from 0 to 1
MOST = 5


def summarise(
    votes: Votes,
    model: Any = None,
    *,
    gold: Gold | None = None,
    level: float = 0.9,
    time_limit: float = 10.0,
    diagnosis: Diagnosis | None = None,
) -> Summary:
    """What to do, what stands out and the tables of the report, to print: in colour with rich, plainly with `print`.

    `diagnosis` is what `diagnose(votes)` found; without it, that is found out here.
    """
    analysis = Analysis(votes, model, gold=gold)
    return Summary(Overview(analysis, level=level, diagnosis=diagnosis, time_limit=time_limit))


class Summary:
    """Prints itself."""

    def __init__(self, overview: Overview) -> None:
        self.overview = overview

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        yield Text(" · ".join(f"{tile.value} {tile.name}" for tile in self.overview.tiles), style="bold")
        yield ""
        yield from (Text(line) for line in self.overview.checkup.lines())
        yield ""
        yield notice_table(self.overview)
        yield ""
        yield labeler_table(self.overview)
        for table in (class_table(self.overview), bucket_table(self.overview), next_table(self.overview)):
            if table is not None:
                yield ""
                yield table

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=110, color_system=None).print(self)
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    __repr__ = __str__


def notice_table(overview: Overview) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    for notice in (*notices(overview), verdict(overview)):
        table.add_row(SIGNS[notice.level], Text(notice.text))
    return table


def labeler_table(overview: Overview) -> Table:
    table = _table("Labelers", "labeler", "coverage", "conflict", "size")
    columns = overview.labelers.columns
    for name, header in (("accuracy", "accuracy"), ("accuracy", "0" + " " * (WIDTH - 2) + "1")):
        if name in columns:
            table.add_column(header, no_wrap=True)
    for name, header in (("gold_accuracy", "gold accuracy"), ("worth", "worth"), ("gold_gain", "gold gain")):
        if name in columns:
            table.add_column(header, justify="right")
    for line in overview.labelers.iter_rows(named=True):
        table.add_row(*_labeler(line, columns))
    return table


def _labeler(line: dict[str, Any], columns: list[str]) -> Iterator[Any]:
    from rich.text import Text

    yield Text(line["labeler"])
    yield f"{line['coverage']:.1%}"
    yield f"{line['conflict']:.1%}"
    yield "–" if line["size"] is None else f"{line['size']:.1f}"
    if "accuracy" in columns:
        yield NOT_KNOWN if line["not_known"] else _share(line["accuracy"])
        yield Text(ruler(line), style="blue")
    if "gold_accuracy" in columns:
        yield _share(line["gold_accuracy"])
    if "worth" in columns:
        yield "–" if line["worth"] is None else f"{line['worth']:z.2f}"
    if "gold_gain" in columns:
        yield "–" if line["gold_gain"] is None else f"{100 * line['gold_gain']:+z.1f}"


def ruler(line: dict[str, Any]) -> str:
    """An interval in characters: ──●──, with ◆ where gold is."""
    marks = [" "] * WIDTH
    if line["accuracy"] is None:
        return "".join(marks)
    if line["accuracy_low"] is not None:
        for at in range(_at(line["accuracy_low"]), _at(line["accuracy_high"]) + 1):
            marks[at] = "─"
    if line.get("gold_accuracy") is not None:
        marks[_at(line["gold_accuracy"])] = "◆"
    marks[_at(line["accuracy"])] = "●"
    return "".join(marks)


def _at(share: float) -> int:
    return min(WIDTH - 1, int(share * WIDTH))


def class_table(overview: Overview) -> Table | None:
    if overview.model is None:
        return None
    table = _table("Classes that are mixed up", "class", "other", "expected error", "labelers that tell")
    for line in overview.classes.sort("error", descending=True, maintain_order=True).head(MOST).iter_rows(named=True):
        _add(table, line["class"], line["other"], f"{line['error']:.1%}", str(line["labelers"]))
    return table


def bucket_table(overview: Overview) -> Table | None:
    if overview.buckets.is_empty():
        return None
    table = _table("Contradictions", "labeler", "says", "while", "says", "rows")
    for line in overview.buckets.head(MOST).iter_rows(named=True):
        _add(table, line["labeler"], line["says"], line["other"], line["other_says"], f"{line['rows']:,}")
    return table


def next_table(overview: Overview) -> Table | None:
    if overview.model is None:
        return None
    table = _table("What to label next", "row", "believed", "or", "rows like it", "expected gain")
    for line in overview.suggestions.head(MOST).iter_rows(named=True):
        believed, other = f"{line['class']} {line['belief']:.0%}", f"{line['or']} {line['or_belief']:.0%}"
        _add(table, str(line.get("id", line["row"])), believed, other, f"{line['rows']:,}", f"{line['gain']:.1f}")
    return table


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(*columns, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)


def _add(table: Table, *cells: str) -> None:
    """What users wrote is text, never markup."""
    from rich.text import Text

    table.add_row(*(Text(cell) for cell in cells))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"
