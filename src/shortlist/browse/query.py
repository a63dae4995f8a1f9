"""Queries for rows: which rows to look at, and in which order."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shortlist.analysis.bits import unpack
from shortlist.arrays import Floats, Mask, Positions
from shortlist.browse.row_view import final_beliefs
from shortlist.errors import ShortlistError
from shortlist.labelspace import LabelSpace, Not, Shortlist
from shortlist.votes import Votes
from shortlist.wording import did_you_mean, listed, split_names

if TYPE_CHECKING:
    from shortlist.project.session import Session

NO_GOLD = "no row has a known class: label some rows (`shortlist label`), or set gold = … under [data]"


@dataclass(frozen=True)
class Query:
    """Conditions on rows; all that are set must hold. Labels are the final ones of the last run, or else by votes.

    labeler     rows this labeler votes on
    votes       … with this vote: "sports", "business, politics" or "not politics"
    conflict    rows on which this labeler and `labeler` (or any labeler) have no class in common
    uncovered   rows without a vote
    wrong       rows whose label differs from the known class; with `labeler`, rows on which its vote excludes it
    believed    rows with this label
    gold        rows with this known class; "?" for any
    text        rows that contain this text, ignoring case
    unsure      least certain rows first
    disagree    rows whose label from votes differs from what the classifier reads in their text, as of the last run
    like        the rows most alike to the one of this number, as features of texts or columns of numbers have it
    """

    labeler: str | None = None
    votes: str | None = None
    conflict: str | None = None
    uncovered: bool = False
    wrong: bool = False
    believed: str | None = None
    gold: str | None = None
    text: str | None = None
    unsure: bool = False
    disagree: bool = False
    like: str | None = None

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Query:
        """Make a query from plain data. Unknown names and values of the wrong type are errors."""
        fields = asdict(cls())
        for name, value in record.items():
            if name not in fields:
                hint = did_you_mean(name, fields)
                raise ShortlistError(f"a query has no field {name!r}.{hint} Fields: {', '.join(fields)}")
            kind = bool if isinstance(fields[name], bool) else str
            if value is not None and not isinstance(value, kind):
                raise ShortlistError(f"{name} must be {'true or false' if kind is bool else 'text'}; got {value!r}")
        return cls(**{name: value for name, value in record.items() if value not in (None, "")})


def parse_shortlist(text: str, space: LabelSpace) -> Shortlist:
    """Read `sports`, `business, politics`, `{business, politics}` or `not politics`.

    A class that contains a comma stands alone, or in double quotes: `"Rock, hard", Pop`.
    """
    plain = text.strip().strip("{}").strip()
    if plain in space:
        return frozenset([plain])
    negated = plain.lower().startswith("not ")
    rest = (plain[4:] if negated else plain).strip("{} ")
    names = [rest] if rest in space else split_names(rest)
    if not names:
        raise ShortlistError(f"{text!r} names no class. Classes: {listed(space)}")
    shortlist = space.shortlist(Not(*names) if negated else set(names))
    assert shortlist is not None
    return shortlist


def select(session: Session, query: Query) -> Positions:
    """Return the numbers of the matching rows, in the order of the data, least certain first, or most alike first."""
    labels = ShownLabels.of(session)
    mask = _mask(session, query, labels)
    rows = np.flatnonzero(mask)
    if query.like is not None:
        near = alike(session, query.like)
        rows = near[mask[near]]
    if query.text:
        rows = _containing(session, rows, query.text)
    if query.unsure:
        rows = rows[np.argsort(labels.belief[rows], kind="stable")]  # the belief that is shown
    return rows


class ShownLabels(NamedTuple):
    """The class of each row (m,), the belief in it, and if it has one, as `show_rows` shows them."""

    guess: Positions
    belief: Floats
    there: Mask

    @classmethod
    def of(cls, session: Session) -> ShownLabels:
        learned, beliefs, labels = final_beliefs(session)
        guess, belief, there = (
            session.analysis.guess.copy(),
            session.analysis.belief.copy(),
            session.votes.covered.copy(),
        )
        guess[learned], belief[learned], there[learned] = labels, beliefs.max(axis=1), True
        return cls(guess, belief, there)


def _mask(session: Session, query: Query, labels: ShownLabels) -> Mask:
    votes = session.votes
    mask = np.ones(len(votes), np.bool_)
    if query.labeler:
        mask &= votes.codes[:, _position(votes, query.labeler)] != 0
    if query.votes:
        mask &= _with_vote(votes, query)
    if query.conflict:
        mask &= _conflicting(session, query)
    if query.uncovered:
        mask &= ~votes.covered
    if query.unsure:
        mask &= labels.there
    if query.believed:
        mask &= labels.there & (labels.guess == votes.space.position(query.believed))
    if query.disagree:
        mask &= votes.covered & (session.analysis.guess != _read_in_text(session))
    if query.gold or query.wrong:
        mask &= _with_gold(session, query, labels)
    return mask


def _position(votes: Votes, name: str) -> int:
    if name not in votes.names:
        hint = did_you_mean(name, votes.names)
        raise ShortlistError(f"there is no labeler {name!r}.{hint} Labelers: {', '.join(votes.names)}", labeler=name)
    return votes.names.index(name)


def _with_vote(votes: Votes, query: Query) -> Mask:
    """Rows on which the labeler, or any labeler, gives exactly this vote."""
    wanted = parse_shortlist(query.votes or "", votes.space)
    columns = range(len(votes.names)) if query.labeler is None else [_position(votes, query.labeler)]
    mask = np.zeros(len(votes), np.bool_)
    for i in columns:
        shortlists = votes.codomains[i].shortlists
        if wanted in shortlists:
            mask |= votes.codes[:, i] == shortlists.index(wanted) + 1
    return mask


def _conflicting(session: Session, query: Query) -> Mask:
    votes = session.votes
    other = _position(votes, query.conflict or "")
    if query.labeler is None:
        return unpack(session.analysis.bits.against[other], len(votes))
    i = _position(votes, query.labeler)
    one, two = (votes.codomains[column].member(votes.space).astype(np.int64) for column in (i, other))
    disjoint = np.zeros((len(one) + 1, len(two) + 1), np.bool_)
    disjoint[1:, 1:] = one @ two.T == 0
    return disjoint[votes.codes[:, i], votes.codes[:, other]]


def _with_gold(session: Session, query: Query, labels: ShownLabels) -> Mask:
    """Rows with this known class, or those of them with a wrong label or vote."""
    analysis, votes = session.analysis, session.votes
    if analysis.gold is None:
        raise ShortlistError(NO_GOLD)
    any_class = query.gold in (None, "?")
    mask: Mask = analysis.gold >= 0 if any_class else analysis.gold == votes.space.position(query.gold or "")
    if not query.wrong:
        return mask
    if query.labeler is None:
        wrong: Mask = labels.guess != analysis.gold
        return mask & wrong & labels.there
    i = _position(votes, query.labeler)
    member = np.vstack([np.ones(len(votes.space), np.bool_), votes.codomains[i].member(votes.space)])
    right: Mask = member[votes.codes[:, i], analysis.gold]
    return mask & ~right


def _read_in_text(session: Session) -> Positions:
    """(m,): class of each row by its text alone, without its own votes, as the last run trained it."""
    try:
        alone = session.joint.rows_alone_
    except (ShortlistError, OSError):
        alone = np.zeros((0, 1))
    if len(alone) != len(session.votes):
        raise ShortlistError("no classifier has read all of these rows yet: `shortlist run`, or Export, Everything")
    return np.asarray(alone.argmax(axis=1))


def _containing(session: Session, rows: Positions, text: str) -> Positions:
    column = session.settings.data.text
    if column is None:
        raise ShortlistError("there is no text column to search: set text = … under [data]")
    mask = np.zeros(len(session.votes), np.bool_)
    for segment in session.rows.segments([column]):
        matches = segment.frame[column].str.contains("(?i)" + re.escape(text)).fill_null(False).to_numpy()
        mask[segment.start : segment.start + len(matches)] = matches
    return rows[mask[rows]]


def alike(session: Session, name: str, among: int = 20_000, most: int = 200) -> Positions:
    """The rows most alike to one row, by cosine; if there are many rows, among an even sample of them."""
    from scipy.sparse import issparse  # these take a second to load, and are rarely needed
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize, scale

    from shortlist.browse.trial import inputs_of
    from shortlist.classifier.embeddings import VECTORS, embed, vectors_file, vectors_kept_in

    m = len(session.votes)
    if not name.isdecimal() or int(name) >= m:
        raise ShortlistError(f"there is no row {name}: there are {m:,} rows, numbered from 0")
    rows = np.unique([*np.linspace(0, m - 1, min(m, among)).astype(np.int64), int(name)])
    inputs = inputs_of(session, rows)
    encoder, vectors = session.settings.classifier.encoder, session.hidden / VECTORS
    if not isinstance(inputs, list):
        X = normalize(scale(inputs))
    elif encoder and vectors_file(vectors, encoder).exists():
        with vectors_kept_in(vectors):
            X = embed(encoder, inputs)
    else:
        X = TfidfVectorizer(sublinear_tf=True).fit_transform(inputs)
    likeness = X @ X[[int(np.searchsorted(rows, int(name)))]].T
    dense = np.asarray(likeness.toarray() if issparse(likeness) else likeness).ravel()
    return np.asarray(rows[np.argsort(-dense, kind="stable")[:most]])
