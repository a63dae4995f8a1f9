"""Selection: the rows that a query asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from shortlist.analysis.bits import unpack
from shortlist.analysis.rows import top_two
from shortlist.arrays import Mask, Positions
from shortlist.browse.query import Query, parse_shortlist
from shortlist.errors import ShortlistError
from shortlist.votes import Votes
from shortlist.wording import did_you_mean

if TYPE_CHECKING:
    from shortlist.project.session import Session

NO_GOLD = "no class of any row is known: label some rows (`shortlist label`), or name a column, gold = … under [data]"


def select(session: Session, query: Query) -> Positions:
    """The numbers of the rows: in the order of the data, or with `unsure`, the least sure first."""
    rows = np.flatnonzero(_mask(session, query))
    if query.text:
        rows = _holding(session, rows, query.text)
    if query.unsure:
        rows = rows[np.argsort(_margins(session)[rows], kind="stable")]
    return rows


def _mask(session: Session, query: Query) -> Mask:
    votes = session.votes
    mask = np.ones(len(votes), np.bool_)
    if query.labeler:
        codes = votes.codes[:, place(votes, query.labeler)]
        mask &= codes != 0
    if query.votes:
        mask &= _says(votes, query)
    if query.conflict:
        mask &= _conflicting(session, query)
    if query.uncovered:
        mask &= ~votes.covered
    if query.unsure:
        mask &= votes.covered
    if query.believed:
        mask &= votes.covered & (session.analysis.guess == votes.space.position(query.believed))
    if query.gold or query.wrong:
        mask &= _known(session, query)
    return mask


def place(votes: Votes, name: str) -> int:
    """Where a labeler stands among all."""
    if name not in votes.names:
        hint = did_you_mean(name, votes.names)
        raise ShortlistError(f"there is no labeler {name!r}.{hint} Labelers: {', '.join(votes.names)}", labeler=name)
    return votes.names.index(name)


def _says(votes: Votes, query: Query) -> Mask:
    """Rows on which the labeler, or any, says just this."""
    wanted = parse_shortlist(query.votes or "", votes.space)
    columns = range(len(votes.names)) if query.labeler is None else [place(votes, query.labeler)]
    mask = np.zeros(len(votes), np.bool_)
    for i in columns:
        shortlists = votes.codomains[i].shortlists
        if wanted in shortlists:
            mask |= votes.codes[:, i] == shortlists.index(wanted) + 1
    return mask


def _conflicting(session: Session, query: Query) -> Mask:
    votes = session.votes
    other = place(votes, query.conflict or "")
    if query.labeler is None:
        return unpack(session.analysis.bits.against[other], len(votes))
    return disjoint(votes, place(votes, query.labeler), other)


def disjoint(votes: Votes, i: int, other: int) -> Mask:
    """(m,): rows on which two labelers vote and have no class in common."""
    one, two = (votes.codomains[place].member(votes.space).astype(np.int64) for place in (i, other))
    table = np.zeros((len(one) + 1, len(two) + 1), np.bool_)
    table[1:, 1:] = one @ two.T == 0
    found: Mask = table[votes.codes[:, i], votes.codes[:, other]]
    return found


def _known(session: Session, query: Query) -> Mask:
    """Rows of a known class: of this one, or of those that are wrong."""
    analysis, votes = session.analysis, session.votes
    if analysis.gold is None:
        raise ShortlistError(NO_GOLD)
    any_class = query.gold in (None, "?")
    mask: Mask = analysis.gold >= 0 if any_class else analysis.gold == votes.space.position(query.gold or "")
    if not query.wrong:
        return mask
    if query.labeler is None:
        wrong: Mask = analysis.guess != analysis.gold
        return mask & wrong & votes.covered  # a row without a vote has no label that could be wrong
    i = place(votes, query.labeler)
    member = np.vstack([np.ones(len(votes.space), np.bool_), votes.codomains[i].member(votes.space)])
    right: Mask = member[votes.codes[:, i], analysis.gold]
    return mask & ~right


def _holding(session: Session, rows: Positions, words: str) -> Positions:
    """Those of the rows whose text holds the words."""
    column = session.settings.data.text
    if column is None:
        raise ShortlistError("no column of text is named: write text = … under [data] to search in it")
    pattern = "(?i)" + re.escape(words)
    mask = np.zeros(len(session.votes), np.bool_)
    for segment in session.rows.segments([column]):
        found = segment.frame[column].str.contains(pattern).fill_null(False).to_numpy()
        mask[segment.start : segment.start + len(found)] = found
    return rows[mask[rows]]


def _margins(session: Session) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    first, second = top_two(session.analysis.distinct.beliefs)
    margins: np.ndarray[tuple[int], np.dtype[np.float64]] = session.analysis.distinct.spread(first - second)
    return margins
