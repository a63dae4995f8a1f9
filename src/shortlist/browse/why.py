"""Why: what made the model believe what it believes of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shortlist.browse.shown import Shown, show_rows
from shortlist.errors import ShortlistError

if TYPE_CHECKING:
    from shortlist.project.session import Session


@dataclass(frozen=True)
class Why:
    """The most likely class against another: what each labeler added, in log-odds, the most first.

    start    log-odds before any vote: the class balance
    moves    (labeler, what it says or "abstained", what that added)
    """

    row: Shown
    of: str
    against: str
    start: float
    moves: tuple[tuple[str, str, float], ...]

    @property
    def log_odds(self) -> float:
        return self.start + sum(move for _, _, move in self.moves)

    def to_dict(self) -> dict[str, Any]:
        moves = [{"labeler": name, "says": says, "added": added} for name, says, added in self.moves]
        return {
            **self.row.to_dict(), "of": self.of, "against": self.against, "start": self.start,
            "moves": moves, "log_odds": self.log_odds,
        }  # fmt: skip


def why(session: Session, row: int, against: str | None = None) -> Why:
    """Why a row has its label: the most likely class against the next, or against another."""
    (shown,) = show_rows(session, [row])
    found = session.model.explain(session.votes[[row]], against=against)
    return Why(shown, found.of, found.against, found.balance, tuple(found.lines()))


def find_row(session: Session, name: str) -> int:
    """The number of a row that is named by its id (where a column holds ids), or by its number."""
    ids = session.votes.ids
    if ids is not None:
        found = np.flatnonzero(ids.astype(np.str_) == name) if len(ids) < 1_000_000 else _search(ids, name)
        if len(found):
            return int(found[0])
    if name.isdecimal() and int(name) < len(session.votes):
        return int(name)
    what = f"no row has the id {name!r}, and " if ids is not None else ""
    raise ShortlistError(f"{what}there is no row {name}: there are {len(session.votes):,} rows, numbered from 0")


def _search(ids: Any, name: str) -> Any:
    return (pl.Series(ids).cast(pl.String) == name).arg_true().to_numpy()
