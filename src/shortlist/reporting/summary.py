"""The summary: the report, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from shortlist.analysis import Analysis
from shortlist.analysis.labeler_tables import labeler_lines
from shortlist.identifiability import Diagnosis
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting.advice import check
from shortlist.reporting.checkup import Checkup
from shortlist.reporting.overview import Overview, notices, verdict
from shortlist.votes import Votes
from shortlist.wording import text_table


def summarise(
    votes: Votes,
    model: Any = None,
    *,
    gold: Gold | None = None,
    level: float = 0.9,
    time_limit: float = 10.0,
    diagnosis: Diagnosis | None = None,
) -> Summary:
    """Advice, notices and the tables of the report, to print.

    Without a diagnosis, `diagnose(votes)` is run within the time limit (seconds).
    """
    overview = Overview(Analysis(votes, model, gold=gold), level=level)
    return Summary(overview, check(overview, diagnosis=diagnosis, time_limit=time_limit))


class Summary:
    """Prints itself."""

    def __init__(self, overview: Overview, checkup: Checkup) -> None:
        self.overview, self.checkup = overview, checkup

    def __str__(self) -> str:
        signs = {"good": "✓", "note": "i", "warn": "!"}
        sentences = [f"{signs[one.level]} {one.text}" for one in (*notices(self.overview), verdict(self.checkup))]
        parts = [
            " · ".join(f"{tile.value} {tile.name}" for tile in self.overview.tiles),
            "\n".join(self.checkup.lines()),
            "\n".join(textwrap.fill(sentence, 110, subsequent_indent="  ") for sentence in sentences),
            *(f"{title}\n{text_table(headers, rows)}" for title, headers, rows in self._tables()),
        ]
        return "\n\n".join(parts)

    __repr__ = __str__

    def _tables(self, most: int = 5) -> Iterator[tuple[str, list[str], list[list[str]]]]:
        """Labelers, then the first classes, contradictions and rows to label next: title, headers, lines."""
        overview = self.overview
        yield "Labelers", *_with_ruler(overview)
        if overview.model is not None:
            pairs = overview.classes.sort("error", descending=True, maintain_order=True).head(most)
            rows = pairs.select("class", "other", "error", "labelers").iter_rows()
            headers = ["class", "other", "expected error", "labelers that separate them"]
            yield "Confused classes", headers, [[a, b, f"{e:.1%}", str(n)] for a, b, e, n in rows]
        if not overview.buckets.is_empty():
            headers = ["labeler", "says", "while", "says", "rows"]
            rows = overview.buckets.head(most).iter_rows()
            yield "Contradictions", headers, [[*words, f"{count:,}"] for *words, count in rows]
        if overview.model is not None:
            headers = ["row", "believed", "or", "rows like it", "expected gain"]
            lines = overview.suggestions.head(most).iter_rows(named=True)
            yield "What to label next", headers, [_suggestion(line) for line in lines]


def _suggestion(line: Mapping[str, Any]) -> list[str]:
    believed, other = f"{line['class']} {line['belief']:.0%}", f"{line['or']} {line['or_belief']:.0%}"
    return [str(line.get("id", line["row"])), believed, other, f"{line['rows']:,}", f"{line['gain']:.1f}"]


def _with_ruler(overview: Overview) -> tuple[list[str], list[list[str]]]:
    """The table of labelers, with a ruler beside the accuracy."""
    headers, rows = labeler_lines(overview.labelers)
    if "accuracy" in headers:
        at = headers.index("accuracy") + 1
        headers.insert(at, "0" + " " * 18 + "1")
        for row, line in zip(rows, overview.labelers.iter_rows(named=True), strict=True):
            row.insert(at, ruler(line))
    return headers, rows


def ruler(line: Mapping[str, Any], width: int = 20) -> str:
    """An interval from 0 to 1 in characters: ──●──, with ◆ where gold is."""
    names = ("accuracy_low", "accuracy_high", "gold_accuracy", "accuracy")
    low, high, gold, value = (None if (x := line.get(n)) is None else min(width - 1, int(x * width)) for n in names)
    marks = [" "] * width
    if value is not None:
        if low is not None and high is not None:
            marks[low : high + 1] = "─" * (high + 1 - low)
        if gold is not None:
            marks[gold] = "◆"
        marks[value] = "●"
    return "".join(marks)
