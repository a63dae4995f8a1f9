"""Preview of a rule that is being written: what it matches, and then its effect on the final labels."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from shortlist.analysis.bits import Bits, count
from shortlist.arrays import Mask, Positions
from shortlist.browse import RowView, show_rows
from shortlist.browse.trial import TrialFit, TrialRows, answers
from shortlist.browse.words import Words, suggest
from shortlist.errors import ShortlistError
from shortlist.labelers import Labeler
from shortlist.labelers.apply import Asker
from shortlist.labelers.labeler import AllRows
from shortlist.labelers.text_search import TextLabeler, pieces, spans
from shortlist.progress import Tell, silent, still_wanted
from shortlist.project.session import Session
from shortlist.prompts import PromptLabeler
from shortlist.reporting.trials import evenly_spaced
from shortlist.rows import Chunk, chunks
from shortlist.studio.rules import Superseded, checked
from shortlist.votes import Votes


def preview(
    session: Session,
    record: Any,
    replaces: str | None,
    superseded: Callable[[], bool] = lambda: False,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Return votes, overlap, conflicts, precision and recall on gold rows, and examples. The project is not changed."""
    labeler = checked(session, record, replaces)
    if isinstance(labeler, PromptLabeler):  # only its cost: nothing is sent
        (line,) = session.plan(record).lines
        return {"plan": asdict(line)}
    draft = draft_votes(session, labeler, superseded, tell=tell)
    bits, gold, space = Bits(draft), session.analysis.gold, draft.space
    codes, codomain, member = draft.codes[:, 0].astype(np.int64), draft.codomains[0], bits.layout.member
    allowed = np.vstack([np.ones(len(space), np.bool_), member])  # (c + 1, k): abstaining allows all
    scored = np.flatnonzero((codes != 0) & (gold >= 0)) if gold is not None else np.zeros(0, np.int64)
    wrong = scored[~allowed[codes[scored], gold[scored]]] if gold is not None else scored
    others = np.array([name != replaces for name in session.votes.names])
    covered = (session.votes.codes[:, others] != 0).any(axis=1)
    examples = show_rows(session, _examples(codes, wrong))
    return {
        "engine": getattr(labeler, "engine", "polars"),
        "votes": int((codes != 0).sum()),
        "coverage": float((codes != 0).mean()),
        "new": int(((codes != 0) & ~covered).sum()),
        "says": [
            {"classes": list(space.ordered(shortlist)), "votes": int(n), **line}
            for shortlist, n, line in zip(
                codomain.shortlists, count(bits.rows), _on_gold(codes, member, gold), strict=True
            )
            if shortlist not in codomain.dummies
        ],
        "gold": None if gold is None else {"rows": int((gold >= 0).sum()), "votes": len(scored), "wrong": len(wrong)},
        "conflicts": _conflicts(session, bits, others),
        "examples": [_example(labeler, row, draft.said(row.row)) for row in examples],
    }  # fmt: skip


def _on_gold(codes: Positions, member: Mask, gold: Positions | None) -> list[dict[str, Any]]:
    """Precision and recall of each answer on gold rows; nothing without gold."""
    if gold is None:
        return [{} for _ in member]
    rows = np.flatnonzero(gold >= 0)
    return answers(codes[rows], member, np.eye(member.shape[1])[gold[rows]])


class TrialFits:
    """TrialFit fits of an open project. The sample and its words are kept as long as the data are the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sources: list[str] | None = None
        self._trial: tuple[Votes, Positions, TrialFit] | None = None

    def of(self, session: Session) -> TrialFit:
        """The trial for the votes and gold labels as they are."""
        known = session.known.positions
        with self._lock:
            if self._sources != session.rows.sources or self._misses(np.flatnonzero(known >= 0)):
                self.sample = TrialRows(session)
                self.words = Words(self.sample)
                self._sources, self._trial = session.rows.sources, None
            if self._trial is None or self._trial[0] is not session.votes or self._trial[1] is not known:
                self._trial = session.votes, known, TrialFit.of(session, self.sample)
                self._trial[2].beliefs  # noqa: B018  computed here, once
            return self._trial[2]

    def _misses(self, known: Positions) -> bool:
        """Too many gold rows are not in the sample."""
        return len(np.setdiff1d(known, self.sample.rows)) > max(10, len(known) - TrialRows.MOST_GOLD)

    def effect(
        self, session: Session, record: Any, replaces: str | None, superseded: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """Effect of a rule on the final labels; precision and recall by other labelers and text."""
        labeler, trial = checked(session, record, replaces), self.of(session)
        draft = draft_votes(session, labeler, superseded, self.sample.rows)
        without_gold = int((session.known.positions < 0).sum())
        if not session.settings.gold_wins:
            trial, without_gold = trial.blind, len(session.votes)
        others = trial.beliefs if replaces is None else trial.label(trial.without(replaces))
        codes, member = draft.codes[:, 0].astype(np.int64), draft.codomains[0].member(draft.space)
        with self._lock:
            effect = trial.effect(draft, replaces, without_gold)
        figures = {"rows": effect.rows, "margin": effect.error, "changed": effect.changed, "gold": effect.gold}
        return {**figures, "rows_without_gold": without_gold, "estimated": answers(codes, member, others)}

    def suggest(self, session: Session, classes: Sequence[str], taken: Sequence[str], row: int | None) -> Any:
        """Words to add to a rule about some classes, or of a row."""
        trial = self.of(session)
        written = [one.what for one in session.roster.labelers if isinstance(one, TextLabeler)]
        taken = [*taken, *(word for what in written if not isinstance(what, str) for word in what)]
        text = None if row is None else str(session.rows.take([row])[session.settings.data.text or ""][0])
        most = 3 if row is not None else 10 if classes else 2
        found = suggest(trial, self.words, len(session.votes), classes, among=text, most=most, taken=taken)
        return [one.to_dict() for one in found]


def tried(session: Session, record: Any, replaces: str | None, rows: list[int]) -> list[dict[str, Any]]:
    """Answers of a prompt for a few rows. The model is asked for those that are not in the cache."""
    if not isinstance(checked(session, record, replaces), PromptLabeler):
        raise ShortlistError("only prompts can be tried on some rows; other rules are previewed as you type")
    if not 0 < len(rows) <= 10:
        raise ShortlistError(f"a prompt can be tried on 1 to 10 rows; got {len(rows)}")
    answers = session.preview(record, rows).to_dicts()
    for answer in answers:
        del answer["row"], answer["prompt"]
    views = show_rows(session, rows)
    return [view.to_dict() | {"answer": answer} for view, answer in zip(views, answers, strict=True)]


def draft_votes(
    session: Session,
    labeler: Labeler,
    superseded: Callable[[], bool],
    only: Positions | None = None,
    tell: Tell = silent,
) -> Votes:
    """Votes of one labeler on all rows, or on some, chunk by chunk; ends early if superseded."""
    text = session.settings.data.text
    columns = [text] if text is not None and getattr(labeler, "on", None) == text else None

    def check() -> None:
        if superseded():
            raise Superseded("replaced by a newer request")

    def read() -> Iterator[Chunk]:
        whole = ((segment.frame, segment.start) for segment in session.rows.segments(columns))
        for frame, start in whole if only is None else [(session.rows.take(only, columns), 0)]:
            for chunk in chunks(frame, size=16_384, first=start)[0]:
                check()
                yield chunk

    before = still_wanted.set(check)  # a slow pattern looks at it between rows
    try:
        ready = labeler.prepare(AllRows(lambda: (read(), None), tell))
        asker = Asker.of([ready], columns=session.rows.columns, text=text, space=session.settings.classes)
        return asker.votes([asker(chunk) for chunk in read()])
    finally:
        still_wanted.reset(before)


def _conflicts(session: Session, draft: Bits, others: Mask) -> list[dict[str, Any]]:
    """Per other labeler: rows on which both vote, and rows on which they conflict; most conflicts first."""
    bits = session.analysis.bits
    pairs = np.stack([count(bits.rows & rows) for rows in draft.rows], axis=1)  # (S, c)
    disjoint = bits.layout.member.astype(np.int64) @ draft.layout.member.T.astype(np.int64) == 0
    together = bits.layout.per_labeler(pairs.astype(np.float64)).sum(axis=1)
    conflict = bits.layout.per_labeler((pairs * disjoint).astype(np.float64)).sum(axis=1)
    lines = [
        {"labeler": session.votes.names[i], "together": int(together[i]), "conflict": int(conflict[i])}
        for i in np.flatnonzero(others & (together > 0))
    ]
    return sorted(lines, key=lambda line: (-line["conflict"], -line["together"]))


def _examples(codes: Positions, wrong: Positions, most: int = 12) -> list[int]:
    """Rows to show: some wrong votes on gold rows, then some rows of each vote, evenly spaced."""
    votes = [rows for c in range(1, int(codes.max(initial=0)) + 1) if len(rows := np.flatnonzero(codes == c))]
    chosen = evenly_spaced(wrong, most // 3).tolist()
    for rows in votes:
        chosen += evenly_spaced(rows, max(2, most // len(votes))).tolist()
    return list(dict.fromkeys(chosen))[:most]


def _example(labeler: Labeler, row: RowView, said: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """A row with the matches of the draft marked, and whether its vote is right, if the class is known."""
    marks = [(labeler.name, span) for span in spans(labeler, [row.text])[0]]
    draft = said.get(labeler.name)
    return row.to_dict() | {
        "pieces": [[piece.text, list(piece.labelers)] for piece in pieces(row.text, marks)],
        "draft": draft,
        "right": bool(set(draft) & set(row.known)) if draft is not None and row.known else None,
    }
