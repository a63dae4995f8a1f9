"""Together: labelers that search columns of text, asked about a chunk in one plan of polars.

One plan reads each column once and runs all expressions side by side on all cores. A call per labeler would leave cores
idle between the calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shortlist.errors import BadRows
from shortlist.labelers.answers import Codebook
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.features import Columns
from shortlist.labelers.regex import Linear
from shortlist.labelers.regex.marks import disputed, marked, not_ascii


@dataclass(frozen=True)
class Search:
    """What a labeler looks for in a column of text, and the codes of its two answers."""

    column: str | None
    linear: Linear
    yes: int
    no: int

    def expression(self, pattern: str, name: str, kind: type[pl.DataType]) -> pl.Expr:
        """The codes of a column of that name; 0 where there is no text."""
        text = pl.col(name)
        votes = pl.when(text.str.contains(pattern)).then(pl.lit(self.yes, kind))
        if self.no:
            votes = votes.when(text.is_null()).then(pl.lit(0, kind))  # type: ignore[assignment]
        return votes.otherwise(pl.lit(self.no, kind))


class Searches:
    """Labelers that search columns, by place, each with its codebook; and their expressions, which are made once."""

    def __init__(self, asked: dict[int, tuple[Search, Codebook]]) -> None:
        self.asked = asked
        self.columns = list(dict.fromkeys(search.column for search, _ in asked.values()))
        self.kind = pl.UInt8 if all(len(book.seen) < 256 for _, book in asked.values()) else pl.UInt16
        self._plans: dict[tuple[str | None, ...], list[pl.Expr]] = {}

    def plan(self, there: tuple[str | None, ...]) -> list[pl.Expr]:
        """The codes of all labelers that search these columns, which are called by their places."""
        if there not in self._plans:
            found = {i: search for i, (search, _) in self.asked.items() if search.column in there}
            self._plans[there] = [
                one.expression(one.linear.pattern, str(there.index(one.column)), self.kind).alias(str(i))
                for i, one in found.items()
            ]
        return self._plans[there]

    def __reduce__(self) -> tuple[type[Searches], tuple[dict[int, tuple[Search, Codebook]]]]:
        return Searches, (self.asked,)


def ballots_together(searches: Searches, columns: Columns) -> dict[int, Ballot]:
    """Labeler → its ballot. A labeler whose column cannot be read is not among them: asked alone, it says why."""
    texts: dict[str | None, pl.Series] = {}
    for column in searches.columns:
        try:
            texts[column] = columns.chunk.text(column)
        except BadRows:
            continue
    frame = pl.DataFrame([series.alias(str(place)) for place, series in enumerate(texts.values())])
    codes = frame.select(searches.plan(tuple(texts)))
    ballots = {int(name): _ballot(codes[name], searches.asked[int(name)][1]) for name in codes.columns}
    for column, series in texts.items():
        here = {i: one for i, (one, _) in searches.asked.items() if one.column == column}
        _settle(ballots, here, series, searches.kind)
    return ballots


def _ballot(codes: pl.Series, codebook: Codebook) -> Ballot:
    ballot = Ballot(codebook)
    ballot.codes = codes.to_numpy()
    return ballot


def _settle(ballots: dict[int, Ballot], searches: dict[int, Search], texts: pl.Series, kind: type[pl.DataType]) -> None:
    """Rows that a pattern is not for are looked at again with another one."""
    wider = {i: one.linear.wider for i, one in searches.items() if one.linear.wider is not None}
    with_marks = {i: one.linear.marked for i, one in searches.items() if one.linear.marked is not None}
    for patterns, find_rows, written in ((wider, not_ascii, pl.Series), (with_marks, disputed, marked)):
        rows = find_rows(texts) if patterns else pl.Series([], dtype=pl.UInt32)
        if not len(rows):
            continue
        frame = written(texts.gather(rows)).alias("again").to_frame()
        found = frame.select(searches[i].expression(one, "again", kind).alias(str(i)) for i, one in patterns.items())
        for i in patterns:
            ballots[i].codes = ballots[i].codes.copy()
            ballots[i].codes[rows.to_numpy()] = found[str(i)].to_numpy()
