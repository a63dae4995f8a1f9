"""A row as people see it: text with matches marked, votes, beliefs, known class, and why it has its label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shortlist.archive import read_archive
from shortlist.arrays import Floats, Positions
from shortlist.beliefs import most_likely
from shortlist.errors import ShortlistError
from shortlist.labelers.text_search import Piece, Span, pieces, spans

if TYPE_CHECKING:
    from shortlist.project.session import Session


@dataclass(frozen=True)
class RowView:
    """A row. `beliefs` are by votes alone, the largest first; `known` is one class, or several that are possible."""

    row: int
    id: str | None
    pieces: tuple[Piece, ...]
    fields: dict[str, str]  # the other columns, if the project has no text column
    votes: dict[str, tuple[str, ...]]  # labeler → its shortlist, for those that vote
    label: str | None  # the most likely class by votes alone; None without a vote
    beliefs: dict[str, float]
    known: tuple[str, ...]
    final: tuple[str, float] | None = None  # by votes and text, and the belief in it, if there was a run

    @property
    def name(self) -> str:
        return f"row {self.row}" if self.id is None else self.id

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    def blind(self) -> RowView:
        """Copy without what labelers, model and other people say about it."""
        text = (Piece(self.text),) if self.text else ()
        return replace(self, pieces=text, votes={}, label=None, beliefs={}, known=(), final=None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON. A piece is [text, labelers that match it]."""
        return {
            "row": self.row,
            "id": self.id,
            "text": self.text,
            "pieces": [[piece.text, list(piece.labelers)] for piece in self.pieces],
            "fields": self.fields,
            "votes": {name: list(classes) for name, classes in self.votes.items()},
            "class": self.label,
            "beliefs": self.beliefs,
            "gold": list(self.known),
            "final": self.final,
        }


def show_rows(
    session: Session, numbers: Sequence[int] | Positions, labeler: str | None = None, search: str | None = None
) -> list[RowView]:
    """Return rows by number, with the matches of one labeler marked, or of all; those of a search have the name ""."""
    chosen = [int(a) for a in numbers]
    texts, fields = _content(session, chosen)
    marked = _marked(session, texts, labeler, search)
    analysis, votes, ids = session.analysis, session.votes, session.votes.ids
    beliefs = analysis.distinct.at(np.array(chosen, np.int64)) if chosen else np.zeros((0, 0))
    final = _final(session, chosen)
    return [
        RowView(
            row=a,
            id=None if ids is None else str(ids[a]),
            pieces=marked[place],
            fields=fields[place],
            votes=votes.said(a),
            label=votes.space[int(analysis.guess[a])] if votes.covered[a] else None,
            beliefs=dict(sorted(zip(votes.space, beliefs[place].tolist(), strict=True), key=lambda pair: -pair[1])),
            known=_known(session, a),
            final=final.get(a),
        )
        for place, a in enumerate(chosen)
    ]


def _content(session: Session, chosen: list[int], longest: int = 20_000) -> tuple[list[str], list[dict[str, str]]]:
    """The text of each row, or its columns if the project has no text column."""
    table = session.rows.to_show().take(chosen)
    text = session.settings.data.text
    if text is None:
        lines = [{name: "" if v is None else str(v) for name, v in line.items()} for line in table.to_dicts()]
        return [""] * len(chosen), lines
    return [(one or "")[:longest] for one in table[text]], [{} for _ in chosen]


def _marked(session: Session, texts: list[str], labeler: str | None, search: str | None) -> list[tuple[Piece, ...]]:
    column, sought = session.settings.data.text, re.compile(re.escape(search or ""), re.IGNORECASE)
    marks = [[("", Span(*one.span())) for one in sought.finditer(text)] if search else [] for text in texts]
    for one in session.roster.labelers:
        if labeler in (None, one.name) and getattr(one, "on", column) == column:
            for mark, places in zip(marks, spans(one, texts), strict=True):
                mark += [(one.name, span) for span in places]
    return [pieces(text, mark) for text, mark in zip(texts, marks, strict=True)]


def final_beliefs(session: Session) -> tuple[Positions, Floats, Positions]:
    """Rows that the last run learned from, with beliefs and labels by votes and text; none if anything changed since.

    What is believed of a gold row is what models say that have not seen its gold label.
    """
    from shortlist.project.stages.run import find_stage, is_current, paths_of
    from shortlist.project.stages.train import training_rows

    if not is_current(session, "vote", "fit", "train"):
        nothing = np.zeros(0, np.int64)
        return nothing, np.zeros((0, len(session.votes.space))), nothing
    path = paths_of(find_stage("train"), session)[1]
    beliefs, balance = _beliefs_in(path, path.stat().st_mtime_ns)
    return training_rows(session), beliefs, most_likely(beliefs, balance)


@lru_cache(maxsize=1)
def _beliefs_in(path: Path, _written: int) -> tuple[Floats, Floats]:
    """Beliefs and class balance of a joint model, without its classifier, which may need torch."""
    _, arrays = read_archive(path, kind="joint model", version=1)
    return arrays["out_of_fold_"], arrays["balance_"]


def _final(session: Session, chosen: Sequence[int]) -> dict[int, tuple[str, float]]:
    learned, beliefs, labels = final_beliefs(session)
    shown = np.intersect1d(chosen, learned)
    places = np.searchsorted(learned, shown)
    names = [session.votes.space[j] for j in labels[places].tolist()]
    return dict(zip(shown.tolist(), zip(names, beliefs[places].max(axis=1).tolist(), strict=True), strict=True))


def _known(session: Session, row: int) -> tuple[str, ...]:
    known = session.known
    if row in known.shortlists:
        return known.shortlists[row]
    name = known.classes[row] if known.classes is not None else None
    return () if name is None else (name,)


def find_row(session: Session, name: str) -> int:
    """Return the number of the row with this id (if there is an id column), or with this number."""
    ids = session.votes.ids
    name = name.encode("utf-8", "replace").decode()  # half a character is in no id
    if ids is not None:
        matches = (pl.Series(ids).cast(pl.String) == name).arg_true()
        if len(matches):
            return int(matches[0])
    if name.isdecimal() and len(name) < 20 and int(name) < len(session.votes):
        return int(name)
    hint = f"no row has the id {name!r}, and " if ids is not None else ""
    raise ShortlistError(f"{hint}there is no row {name}: there are {len(session.votes):,} rows, numbered from 0")


@dataclass(frozen=True)
class Why:
    """The most likely class against another: the contribution of each labeler in log-odds, the largest first.

    start    log-odds before any vote: the class balance
    moves    (labeler, its vote or "abstained", what that added)
    """

    row: RowView
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
    """Explain the label of a row: the most likely class against the second, or against another."""
    (view,) = show_rows(session, [row])
    explanation = session.model.explain(session.votes[[row]], against=against)
    return Why(view, explanation.of, explanation.against, explanation.balance, tuple(explanation.lines()))
