"""The table about rows: what is believed of each, how firmly, and who contradicts whom about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import entr

from shortlist.analysis.bits import Bits
from shortlist.analysis.labelers import frame
from shortlist.arrays import Floats

if TYPE_CHECKING:
    from shortlist.analysis.core import Analysis


def row_table(analysis: Analysis) -> pl.DataFrame:
    """One line a row, in order. `entropy` is in nats; `margin` is the lead over the second most believed class."""
    votes, space = analysis.votes, pl.Enum(list(analysis.votes.space))
    columns: dict[str, Any] = {"row": np.arange(len(votes))}
    if votes.ids is not None:
        columns["id"] = votes.ids
    if analysis.model is not None:
        spread = analysis.distinct.spread
        first, second = top_two(analysis.distinct.beliefs)
        columns |= {
            "class": _named(analysis.guess, space),
            "belief": spread(first),
            "margin": spread(first - second),
            "entropy": spread(entropy(analysis.distinct.beliefs)),
        }
    columns["votes"] = voters(analysis.bits)
    columns["conflict"] = conflict_lists(analysis, votes.names)
    if analysis.gold is not None:
        columns["gold"] = _named(analysis.gold, space)
    return frame(columns)


def top_two(beliefs: Floats) -> tuple[Floats, Floats]:
    """The largest and the second largest belief of each row."""
    columns = np.ascontiguousarray(beliefs.T)
    first, second = columns[0].copy(), np.full(len(beliefs), -np.inf)
    for column in columns[1:]:
        np.maximum(second, np.minimum(first, column), out=second)
        np.maximum(first, column, out=first)
    return first, second


def entropy(beliefs: Floats) -> Floats:
    """H(Y | votes) of each row, in nats."""
    total = np.zeros(len(beliefs))
    for column in beliefs.T:
        total += entr(column)
    return total


def voters(bits: Bits) -> Any:
    """(m,): how many labelers vote on each row."""
    total = np.zeros(bits.m, np.uint32)
    for row in bits.voted:
        total += bits.table(row[None])[:, 0]
    return total


def conflict_lists(analysis: Analysis, names: tuple[str, ...]) -> pl.Series:
    """The labelers of each row whose shortlist is disjoint with that of another."""
    patterns = None if analysis.model is None else analysis.distinct.patterns
    if patterns is None:
        return _lists(analysis.bits, names)
    return _lists(Bits(analysis.distinct.votes), names).gather(patterns.inverse)


def _lists(bits: Bits, names: tuple[str, ...]) -> pl.Series:
    cells = np.flatnonzero(np.ascontiguousarray(bits.table(bits.against)))
    rows, who = np.divmod(cells.astype(np.uint32 if bits.m * len(names) < 2**32 else np.uint64), len(names))
    found = pl.DataFrame({"row": pl.Series(rows).set_sorted(), "labeler": _named(who, pl.Enum(list(names)))})
    lists = found.group_by("row", maintain_order=True).agg("labeler")
    every = pl.DataFrame({"row": np.arange(bits.m, dtype=rows.dtype)}).join(
        lists, on="row", how="left", maintain_order="left"
    )
    return every["labeler"].fill_null([]).rename("conflict")


def _named(positions: Any, names: pl.Enum) -> pl.Series:
    """Positions as names, null where a position is −1."""
    codes = pl.Series(positions + 1)
    return pl.Series([None, *names.categories], dtype=names).gather(codes)
