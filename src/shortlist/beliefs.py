"""Beliefs: (m, k) arrays of P(class | row). Most likely class, smallest set of classes, recalibration, label table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shortlist.arrays import Floats, Mask, Positions, row_largest
from shortlist.errors import BadFile

if TYPE_CHECKING:
    import polars as pl

TIE = 1e-9  # beliefs closer than this are equal
PRECISION = 3.0  # 1 / variance of the prior of a recalibration
LEAST = 1e-300  # avoids the log of 0
BY_GOLD, BY_VOTES, BY_BOTH, BY_ROW = SOURCES = ("gold", "votes", "votes and text", "text alone")  # of labels


def leading(beliefs: Floats) -> Mask:
    """(m, k): the classes of the largest belief of each row; several where they tie."""
    return beliefs >= row_largest(beliefs) - TIE


def most_likely(beliefs: Floats, balance: Floats) -> Positions:
    """(m,): the class of the largest belief. A tie goes to the class with the larger share, then to the first."""
    order = np.lexsort((np.arange(len(balance)), -np.round(balance, 9)))
    best: Positions = order[leading(beliefs)[:, order].argmax(axis=1)]
    return best


def shared_credit(beliefs: Floats, gold: Positions) -> Floats:
    """(m,): 1 where the known class is the most believed one; classes that tie share it, whatever their order."""
    leads = leading(beliefs)
    credit: Floats = leads[np.arange(len(gold)), gold] / leads.sum(axis=1)
    return credit


def smallest_sets(beliefs: Floats, coverage: float) -> Mask:
    """(m, k): the most believed classes of each row, as few as together reach the coverage."""
    order = np.argsort(-np.round(beliefs, 9), axis=1, kind="stable")
    held = np.cumsum(np.take_along_axis(beliefs, order, axis=1), axis=1)
    needed = np.concatenate([np.zeros((len(held), 1)), held[:, :-1]], axis=1) < coverage - TIE
    masks = np.zeros(beliefs.shape, np.bool_)
    np.put_along_axis(masks, order, needed, axis=1)
    return masks


class Said(NamedTuple):
    """What labelers said about rows of known class, and what that says about the class."""

    answers: Any  # (m, v) sparse: 1 where the row has that answer
    evidence: Floats  # (v, k): log P(answer | class)
    owner: Positions  # (v,): the labeler of the answer


def recalibration(beliefs: Floats, classes: Positions, weights: Floats, said: Said | None = None) -> Floats:
    """The likeliest powers and offsets for rows of known class, for `recalibrated`: (s + k,), or (s + n + k,).

    log B = Σ_i a_i · log beliefs_i + Σ_i d_i · evidence of labeler i + b_j, up to a constant. A normal prior holds a
    near (1, 0, …), and d and b near 0. It is the stricter about d, the more evidence a row has: so many labelers
    together are held as firmly as one power a.
    """
    from scipy.optimize import minimize  # not needed to read beliefs

    logs, rows, s, k = _centred_logs(beliefs), np.arange(len(classes)), *beliefs.shape[::2]
    n = 0 if said is None else int(said.owner.max(initial=-1)) + 1
    start = np.zeros(s + n + k)
    start[0] = 1.0
    precision = np.full(len(start), PRECISION)
    if said is not None:
        precision[s : s + n] *= weights @ (said.answers @ said.evidence.var(axis=1)) / weights.sum()

    def loss(x: Floats) -> tuple[float, Floats]:
        log_odds, of_labelers = np.tensordot(x[:s], logs, 1) + x[s + n :], np.zeros(n)
        if said is not None:
            log_odds += said.answers @ (x[s : s + n][said.owner, None] * said.evidence)
        slope = _softmax(log_odds)
        value = -float(weights @ np.log(np.maximum(slope[rows, classes], LEAST)))
        slope[rows, classes] -= 1
        slope *= weights[:, None]
        if said is not None:
            of_labelers += np.bincount(said.owner, ((said.answers.T @ slope) * said.evidence).sum(axis=1), n)
        away = precision * (x - start)
        value += float(away @ (x - start)) / 2
        return value, np.concatenate([(logs * slope).sum(axis=(1, 2)), of_labelers, slope.sum(axis=0)]) + away

    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def recalibrated(beliefs: Floats, x: Floats) -> Floats:
    """(m, k): one table of beliefs from several, (s, m, k), by powers and offsets."""
    return _softmax(np.tensordot(x[: len(beliefs)], _centred_logs(beliefs), 1) + x[len(beliefs) :])


def _centred_logs(beliefs: Floats) -> Floats:
    logs = np.log(beliefs + TIE)
    return np.asarray(logs - logs.mean(axis=2, keepdims=True))


def _softmax(scores: Floats) -> Floats:
    odds = np.exp(scores - row_largest(scores))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


class LabelTable:
    """Beliefs as a table that can be joined to the rows: class, belief, margin, shortlist, source, a belief per class.

    The table is made one frame at a time; all frames have the same schema.

    key        the column that joins labels to rows, and its data type
    balance    (k,), the class balance; ties go to the class with the larger share
    held       the shortlist of a row is the smallest set of classes that holds this much belief
    voted      count the votes of each row (a row without any vote then has no class)
    """

    def __init__(
        self,
        classes: Sequence[str],
        key: tuple[str, pl.DataType],
        *,
        balance: Floats | None = None,
        held: float = 0.9,
        voted: bool = True,
    ) -> None:
        self.classes = list(classes)
        self.key = key
        self.balance = np.full(len(self.classes), 1 / len(self.classes)) if balance is None else balance
        self.held = held
        columns = _columns(self.classes, voted)
        if key[0] in columns:
            raise BadFile(f"the id column is called {key[0]!r}, which labels need for themselves: give it another name")
        self.schema: dict[str, Any] = {key[0]: key[1], **columns}

    def frame(self, beliefs: Floats, votes: Any | None = None, source: Sequence[str] | None = None) -> pl.DataFrame:
        """The labels of some rows, without the key; `votes` is the number of labelers that voted on each.

        `source` is what the labels rest on. Without it, that is the votes, and rows without a vote have neither class
        nor source.
        """
        import polars as pl

        best = pl.Series(self.classes, dtype=pl.String).gather(most_likely(beliefs, self.balance))
        nothing = np.zeros(len(beliefs), np.bool_) if votes is None or source is not None else np.asarray(votes) == 0
        ranked = np.sort(beliefs, axis=1)
        columns: dict[str, Any] = {
            "class": best.set(pl.Series(nothing), None),
            "belief": ranked[:, -1],
            "margin": ranked[:, -1] - ranked[:, -2],
            "shortlist": self._shortlists(beliefs),
            "source": [None if none else BY_VOTES for none in nothing] if source is None else list(source),
        }
        if votes is not None:
            columns["votes"] = votes.astype(np.uint32)
        columns |= {f"belief_{name}": beliefs[:, j] for j, name in enumerate(self.classes)}
        return pl.DataFrame(columns, schema_overrides={"source": pl.String()})

    def _shortlists(self, beliefs: Floats) -> pl.Series:
        """The names of the smallest sets, each distinct one made once."""
        import polars as pl

        masks = np.packbits(smallest_sets(beliefs, self.held), axis=1)
        kinds, which = np.unique(masks, axis=0, return_inverse=True)
        flags = np.unpackbits(kinds, axis=1, count=len(self.classes)).astype(np.bool_)
        sets = [[self.classes[j] for j in np.flatnonzero(row)] for row in flags]
        return pl.Series(sets, dtype=pl.List(pl.String)).gather(which.ravel())


def _columns(classes: Sequence[str], voted: bool) -> dict[str, Any]:
    """The columns of a label table but for its key, with their data types."""
    import polars as pl

    number, text = pl.Float64(), pl.String()
    columns: dict[str, Any] = {"class": text, "belief": number, "margin": number, "shortlist": pl.List(pl.String)}
    columns["source"] = text
    if voted:
        columns["votes"] = pl.UInt32()
    return columns | {f"belief_{name}": number for name in classes}
