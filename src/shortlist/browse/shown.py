"""Shown: a row as people see it: its text with the matched words, what labelers say, what is believed and known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shortlist.arrays import Positions
from shortlist.labelers.text import Piece, Span, pieces, spans

if TYPE_CHECKING:
    from shortlist.project.session import Session

LONGEST = 20_000  # characters of a text that are shown


@dataclass(frozen=True)
class Shown:
    """A row. `beliefs` are by class, the most believed first; `known` is what people say, one class or several."""

    row: int
    id: str | None
    pieces: tuple[Piece, ...]
    fields: dict[str, str]  # the other columns, where no column of text is named
    votes: dict[str, tuple[str, ...]]  # labeler → its shortlist, for those that vote
    label: str | None  # the most likely class; None where no labeler votes
    beliefs: dict[str, float]
    known: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"row {self.row}" if self.id is None else self.id

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it. A piece is [text, labelers that match there]."""
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
        }


def show_rows(session: Session, numbers: Sequence[int] | Positions, labeler: str | None = None) -> list[Shown]:
    """Rows by number. The words that this labeler matches are marked; those of all labelers, where none is named."""
    chosen = [int(a) for a in numbers]
    texts, fields = _content(session, chosen)
    marked = _marked(session, texts, labeler)
    analysis, votes, ids = session.analysis, session.votes, session.votes.ids
    beliefs = analysis.distinct.at(np.array(chosen, np.int64)) if chosen else np.zeros((0, 0))
    return [
        Shown(
            row=a,
            id=None if ids is None else str(ids[a]),
            pieces=marked[place],
            fields=fields[place],
            votes=votes.said(a),
            label=votes.space[int(analysis.guess[a])] if votes.covered[a] else None,
            beliefs=_ranked(dict(zip(votes.space, beliefs[place].tolist(), strict=True))),
            known=_known(session, a),
        )
        for place, a in enumerate(chosen)
    ]


def _content(session: Session, chosen: list[int]) -> tuple[list[str], list[dict[str, str]]]:
    """The text of each row, or its other columns where no text is named."""
    shown = session.rows.to_show()
    table = shown.take(chosen)
    text = session.settings.data.text
    if text is None:
        lines = [{name: "" if v is None else str(v) for name, v in line.items()} for line in table.to_dicts()]
        return [""] * len(chosen), lines
    return [(one or "")[:LONGEST] for one in table[text]], [{} for _ in chosen]


def _marked(session: Session, texts: list[str], labeler: str | None) -> list[tuple[Piece, ...]]:
    column = session.settings.data.text
    marks: list[list[tuple[str, Span]]] = [[] for _ in texts]
    for one in session.roster.labelers:
        if labeler in (None, one.name) and getattr(one, "on", column) == column:
            for found, places in zip(marks, spans(one, texts), strict=True):
                found += [(one.name, span) for span in places]
    return [pieces(text, found) for text, found in zip(texts, marks, strict=True)]


def _ranked(beliefs: dict[str, float]) -> dict[str, float]:
    return dict(sorted(beliefs.items(), key=lambda item: -item[1]))


def _known(session: Session, row: int) -> tuple[str, ...]:
    known = session.known
    if row in known.shortlists:
        return known.shortlists[row]
    name = known.classes[row] if known.classes is not None else None
    return () if name is None else (name,)
