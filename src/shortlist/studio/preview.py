"""Preview: what a rule would do, while it is being written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from shortlist.arrays import Mask, Positions
from shortlist.browse import RowView, show_rows
from shortlist.errors import ShortlistError
from shortlist.labelers import Labeler
from shortlist.labelers.apply import Asker
from shortlist.labelers.text import pieces, spans
from shortlist.project.prompting import planned, previewed
from shortlist.project.session import Session
from shortlist.prompts import PromptLabeler
from shortlist.rows import chunks
from shortlist.studio.rules import checked
from shortlist.votes import Codomain, Votes

EXAMPLES = 12
TRIED = 10  # rows that a prompt is tried on at most


class Superseded(ShortlistError):  # noqa: N818  as in errors.py
    """Nobody waits for the answer any more."""


def preview(
    session: Session, record: Any, replaces: str | None, superseded: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Matches, coverage, votes, conflicts, accuracy on gold rows and examples. The project is not touched."""
    labeler = checked(session, record, replaces)
    if isinstance(labeler, PromptLabeler):
        return cost(session, record)
    draft = draft_votes(session, labeler, superseded)
    codes, codomain = draft.codes[:, 0].astype(np.int64), draft.codomains[0]
    voted = codes != 0
    examples = show_rows(session, _chosen(session, codes, codomain))
    others = [i for i, name in enumerate(session.votes.names) if name != replaces]
    covered = (session.votes.codes[:, others] != 0).any(axis=1) if others else np.zeros(len(codes), np.bool_)
    return {
        "name": labeler.name,
        "engine": getattr(labeler, "engine", "polars"),
        "rows": len(codes),
        "votes": int(voted.sum()),
        "coverage": float(voted.mean()),
        "new": int((voted & ~covered).sum()),
        "says": _says(session, codes, codomain),
        "gold": _right(session, codes, codomain, voted),
        "conflicts": _conflicts(session, codes, codomain, others),
        "examples": [_example(labeler, row, draft.said(row.row)) for row in examples],
    }


def cost(session: Session, record: Any) -> dict[str, Any]:
    """What a prompt would cost. Nothing is sent."""
    (line,) = planned(session, record).lines
    return {"name": line.labeler, "plan": asdict(line)}


def tried(session: Session, record: Any, replaces: str | None, rows: list[int]) -> list[dict[str, Any]]:
    """What a prompt says about a few rows. The model is asked about those whose answers are not kept."""
    if not isinstance(checked(session, record, replaces), PromptLabeler):
        raise ShortlistError("only a prompt is tried on some rows; what other rules do is shown while they are typed")
    if not 0 < len(rows) <= TRIED:
        raise ShortlistError(f"a prompt is tried on 1 to {TRIED} rows; got {len(rows)}")
    answers = previewed(session, record, rows).to_dicts()
    shown = show_rows(session, rows)
    return [row.to_dict() | {"answer": _plain(answer)} for row, answer in zip(shown, answers, strict=True)]


def _plain(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in ("row", "prompt")}


def draft_votes(session: Session, labeler: Labeler, superseded: Callable[[], bool]) -> Votes:
    """What one labeler says about all rows, chunk by chunk; given up when nobody waits any more."""
    asker = Asker.of([labeler], space=session.settings.classes, features=session.roster.features(session.rows.columns))
    results = []
    columns = [session.settings.data.text] if _reads_text(session, labeler) else None
    for segment in session.rows.segments(columns):  # type: ignore[arg-type]
        parts, _ = chunks(segment.frame, size=16_384, first=segment.start)
        for chunk in parts:
            if superseded():
                raise Superseded("a newer rule is looked at instead")
            results.append(asker(chunk))
    return asker.votes(results)


def _reads_text(session: Session, labeler: Labeler) -> bool:
    column = session.settings.data.text
    return column is not None and getattr(labeler, "on", None) == column


def _says(session: Session, codes: Positions, codomain: Codomain) -> list[dict[str, Any]]:
    """How often each shortlist is said."""
    space = session.votes.space
    counts = np.bincount(codes, minlength=len(codomain) + 1)[1:]
    return [
        {"classes": list(space.ordered(shortlist)), "votes": int(count)}
        for shortlist, count in zip(codomain.shortlists, counts, strict=True)
        if shortlist not in codomain.dummies
    ]


def _member(session: Session, codomain: Codomain) -> Mask:
    """(c + 1, k): which classes each code allows; abstaining allows all."""
    space = session.votes.space
    return np.vstack([np.ones(len(space), np.bool_), codomain.member(space)])


def _right(session: Session, codes: Positions, codomain: Codomain, voted: Mask) -> dict[str, Any] | None:
    """On how many gold rows it votes, and how often the known class is among what it says."""
    gold = session.analysis.gold
    if gold is None:
        return None
    rows = np.flatnonzero(voted & (gold >= 0))
    right = _member(session, codomain)[codes[rows], gold[rows]]
    return {"votes": len(rows), "right": int(right.sum()), "accuracy": float(right.mean()) if len(rows) else None}


def _conflicts(session: Session, codes: Positions, codomain: Codomain, others: list[int]) -> list[dict[str, Any]]:
    """Per other labeler: rows on which both vote, and rows on which they have no class in common; the most first."""
    votes = session.votes
    own, found = _member(session, codomain)[1:].astype(np.int64), []
    for i in others:
        its = votes.codomains[i].member(votes.space).astype(np.int64)
        apart = np.zeros((len(own) + 1, len(its) + 1), np.bool_)
        apart[1:, 1:] = own @ its.T == 0
        pair = np.bincount(codes * apart.shape[1] + votes.codes[:, i], minlength=apart.size)
        table = pair.reshape(apart.shape)
        together, conflict = int(table[1:, 1:].sum()), int(table[apart].sum())
        if together:
            found.append({"labeler": votes.names[i], "together": together, "conflict": conflict})
    return sorted(found, key=lambda line: (-line["conflict"], -line["together"]))


def _chosen(session: Session, codes: Positions, codomain: Codomain) -> list[int]:
    """Rows to show: some that are wrong on gold rows, then some of each thing it says, from everywhere."""
    gold, chosen = session.analysis.gold, []
    if gold is not None:
        wrong = np.flatnonzero((gold >= 0) & ~_member(session, codomain)[codes, np.maximum(gold, 0)])
        chosen += _spread(wrong, EXAMPLES // 3)
    kinds = [c for c in range(1, len(codomain) + 1) if (codes == c).any()]
    for c in kinds:
        chosen += _spread(np.flatnonzero(codes == c), max(2, EXAMPLES // len(kinds)))
    return list(dict.fromkeys(chosen))[:EXAMPLES]


def _spread(rows: Positions, most: int) -> list[int]:
    at = np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(np.int64)
    return [int(a) for a in rows[np.unique(at)]]


def _example(labeler: Labeler, row: RowView, said: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """A row with the words that the draft matches, and whether it is right about it, where that is known."""
    marks = [(labeler.name, span) for span in spans(labeler, [row.text])[0]]
    draft = said.get(labeler.name)
    return row.to_dict() | {
        "pieces": [[piece.text, list(piece.labelers)] for piece in pieces(row.text, marks)],
        "draft": draft,
        "right": bool(set(draft) & set(row.known)) if draft is not None and row.known else None,
    }
