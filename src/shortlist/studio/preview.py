"""Preview of a rule while it is being written."""

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


class Superseded(ShortlistError):  # noqa: N818  as in errors.py
    """A newer request has replaced this one."""


def preview(
    session: Session, record: Any, replaces: str | None, superseded: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Return coverage, votes, conflicts, accuracy on gold rows and examples. The project is not changed."""
    labeler = checked(session, record, replaces)
    if isinstance(labeler, PromptLabeler):  # only its cost: nothing is sent
        (line,) = planned(session, record).lines
        return {"name": line.labeler, "plan": asdict(line)}
    draft = draft_votes(session, labeler, superseded)
    codes, codomain = draft.codes[:, 0].astype(np.int64), draft.codomains[0]
    voted = codes != 0
    examples = show_rows(session, _examples(session, codes, codomain))
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


def tried(session: Session, record: Any, replaces: str | None, rows: list[int]) -> list[dict[str, Any]]:
    """Answers of a prompt for a few rows. The model is asked for those that are not in the cache."""
    if not isinstance(checked(session, record, replaces), PromptLabeler):
        raise ShortlistError("only prompts can be tried on some rows; other rules are previewed as you type")
    if not 0 < len(rows) <= 10:
        raise ShortlistError(f"a prompt can be tried on 1 to 10 rows; got {len(rows)}")
    answers = previewed(session, record, rows).to_dicts()
    for answer in answers:
        del answer["row"], answer["prompt"]
    views = show_rows(session, rows)
    return [view.to_dict() | {"answer": answer} for view, answer in zip(views, answers, strict=True)]


def draft_votes(session: Session, labeler: Labeler, superseded: Callable[[], bool]) -> Votes:
    """Votes of one labeler on all rows, chunk by chunk; ends early if superseded."""
    asker = Asker.of([labeler], space=session.settings.classes, features=session.roster.features(session.rows.columns))
    results = []
    text = session.settings.data.text
    columns = [text] if text is not None and getattr(labeler, "on", None) == text else None
    for segment in session.rows.segments(columns):
        parts, _ = chunks(segment.frame, size=16_384, first=segment.start)
        for chunk in parts:
            if superseded():
                raise Superseded("replaced by a newer request")
            results.append(asker(chunk))
    return asker.votes(results)


def _says(session: Session, codes: Positions, codomain: Codomain) -> list[dict[str, Any]]:
    """Number of votes for each shortlist."""
    space = session.votes.space
    counts = np.bincount(codes, minlength=len(codomain) + 1)[1:]
    return [
        {"classes": list(space.ordered(shortlist)), "votes": int(count)}
        for shortlist, count in zip(codomain.shortlists, counts, strict=True)
        if shortlist not in codomain.dummies
    ]


def _member(session: Session, codomain: Codomain) -> Mask:
    """(c + 1, k): the classes that each code allows; abstaining allows all."""
    space = session.votes.space
    return np.vstack([np.ones(len(space), np.bool_), codomain.member(space)])


def _right(session: Session, codes: Positions, codomain: Codomain, voted: Mask) -> dict[str, Any] | None:
    """Number of votes on gold rows, and how many of them contain the known class."""
    gold = session.analysis.gold
    if gold is None:
        return None
    rows = np.flatnonzero(voted & (gold >= 0))
    right = _member(session, codomain)[codes[rows], gold[rows]]
    return {"votes": len(rows), "right": int(right.sum()), "accuracy": float(right.mean()) if len(rows) else None}


def _conflicts(session: Session, codes: Positions, codomain: Codomain, others: list[int]) -> list[dict[str, Any]]:
    """Per other labeler: rows on which both vote, and rows on which they conflict; most conflicts first."""
    votes = session.votes
    own, pairs = _member(session, codomain)[1:].astype(np.int64), []
    for i in others:
        its = votes.codomains[i].member(votes.space).astype(np.int64)
        apart = np.zeros((len(own) + 1, len(its) + 1), np.bool_)
        apart[1:, 1:] = own @ its.T == 0
        pair = np.bincount(codes * apart.shape[1] + votes.codes[:, i], minlength=apart.size)
        table = pair.reshape(apart.shape)
        together, conflict = int(table[1:, 1:].sum()), int(table[apart].sum())
        if together:
            pairs.append({"labeler": votes.names[i], "together": together, "conflict": conflict})
    return sorted(pairs, key=lambda line: (-line["conflict"], -line["together"]))


def _examples(session: Session, codes: Positions, codomain: Codomain, most: int = 12) -> list[int]:
    """Rows to show: some wrong votes on gold rows, then some rows of each vote, evenly spaced."""
    gold, chosen = session.analysis.gold, []
    if gold is not None:
        wrong = np.flatnonzero((gold >= 0) & ~_member(session, codomain)[codes, np.maximum(gold, 0)])
        chosen += _spread(wrong, most // 3)
    kinds = [c for c in range(1, len(codomain) + 1) if (codes == c).any()]
    for c in kinds:
        chosen += _spread(np.flatnonzero(codes == c), max(2, most // len(kinds)))
    return list(dict.fromkeys(chosen))[:most]


def _spread(rows: Positions, most: int) -> list[int]:
    at = np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(np.int64)
    return [int(a) for a in rows[np.unique(at)]]


def _example(labeler: Labeler, row: RowView, said: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """A row with the matches of the draft marked, and whether its vote is right, if the class is known."""
    marks = [(labeler.name, span) for span in spans(labeler, [row.text])[0]]
    draft = said.get(labeler.name)
    return row.to_dict() | {
        "pieces": [[piece.text, list(piece.labelers)] for piece in pieces(row.text, marks)],
        "draft": draft,
        "right": bool(set(draft) & set(row.known)) if draft is not None and row.known else None,
    }
