"""Together: labelers that search columns of text, asked about a chunk in one plan of polars.

One plan reads each column once and runs all expressions side by side on all cores. A call per labeler would leave cores
idle between the calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from shortlist.errors import BadRows
from shortlist.labelers.answers import Codebook
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.features import Columns
from shortlist.labelers.regex import Linear
from shortlist.labelers.regex.marks import disputed, marked


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


def ballots_together(searches: dict[int, Search], codebooks: Sequence[Codebook], columns: Columns) -> dict[int, Ballot]:
    """Labeler → its ballot. A labeler whose column cannot be read is not among them: asked alone, it says why."""
    texts: dict[str | None, pl.Series] = {}
    for column in {search.column for search in searches.values()}:
        try:
            texts[column] = columns.chunk.text(column)
        except BadRows:
            continue
    found = {i: search for i, search in searches.items() if search.column in texts}
    names = {column: str(place) for place, column in enumerate(texts)}
    frame = pl.DataFrame([series.alias(names[column]) for column, series in texts.items()])
    kind = pl.UInt8 if all(len(book.seen) < 256 for book in codebooks) else pl.UInt16
    plan = [one.expression(one.linear.pattern, names[one.column], kind).alias(str(i)) for i, one in found.items()]
    codes = frame.select(plan)
    ballots = {i: _ballot(codes[str(i)], codebooks[i]) for i in found}
    for column, series in texts.items():
        _settle(ballots, {i: one for i, one in found.items() if one.column == column}, series, kind)
    return ballots


def _ballot(codes: pl.Series, codebook: Codebook) -> Ballot:
    ballot = Ballot(codebook)
    ballot.codes = codes.to_numpy()
    return ballot


def _settle(ballots: dict[int, Ballot], searches: dict[int, Search], texts: pl.Series, kind: type[pl.DataType]) -> None:
    """Rows on which the engine and Python may differ about where words end are looked at again, with marks."""
    asked = {i: one for i, one in searches.items() if one.linear.marked is not None}
    rows = disputed(texts) if asked else pl.Series([], dtype=pl.UInt32)
    if not len(rows):
        return
    frame = marked(texts.gather(rows)).alias("marked").to_frame()
    again = frame.select(
        one.expression(str(one.linear.marked), "marked", kind).alias(str(i)) for i, one in asked.items()
    )
    for i in asked:
        ballots[i].codes = ballots[i].codes.copy()
        ballots[i].codes[rows.to_numpy()] = again[str(i)].to_numpy()
