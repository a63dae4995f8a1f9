"""Together: labelers that search columns of text, asked about a chunk in one plan of polars.

One plan reads each column once and runs all expressions side by side on all cores. A call per labeler would leave cores
idle between the calls.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shortlist.arrays import Positions
from shortlist.errors import BadRows
from shortlist.labelers.answers import Codebook
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.features import Columns
from shortlist.labelers.regex import Linear
from shortlist.labelers.search import by_row, disputed_rows


@dataclass(frozen=True)
class Search:
    """What a labeler looks for in a column of text, and the codes of its two answers."""

    column: str | None
    python: re.Pattern[str]
    linear: Linear
    yes: int
    no: int

    def expression(self, name: str, kind: type[pl.DataType]) -> pl.Expr:
        """The codes of a column of that name; 0 where there is no text."""
        text = pl.col(name)
        votes = pl.when(text.str.contains(self.linear.pattern)).then(pl.lit(self.yes, kind))
        if self.no:
            votes = votes.when(text.is_null()).then(pl.lit(0, kind))  # type: ignore[assignment]
        return votes.otherwise(pl.lit(self.no, kind))

    def by_python(self, texts: pl.Series) -> list[int]:
        """The same by Python's `re`, row by row."""
        return [(self.no, self.yes, 0)[found] for found in by_row(self.python, texts)]


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
    codes = frame.select(search.expression(names[search.column], kind).alias(str(i)) for i, search in found.items())
    disputed = {column: _disputed(column, found, texts[column]) for column in texts}
    ballots = {}
    for i, search in found.items():
        ballots[i] = Ballot(codebooks[i])
        ballots[i].codes = codes[str(i)].to_numpy()
        rows = disputed[search.column]
        if search.linear.boundaries and len(rows):
            ballots[i].codes = ballots[i].codes.copy()
            ballots[i].codes[rows] = search.by_python(texts[search.column].gather(rows))
    return ballots


def _disputed(column: str | None, searches: dict[int, Search], texts: pl.Series) -> Positions:
    """The rows of a column that Python looks at, where some search depends on it."""
    asked = any(search.linear.boundaries for search in searches.values() if search.column == column)
    return disputed_rows(texts) if asked else np.zeros(0, np.int64)
