"""Measures: what all tables of an analysis are computed from, each worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis.bits import Bits, count, pack, union
from shortlist.arrays import Floats, Mask, Positions, wilson
from shortlist.beliefs import most_likely, shared_credit
from shortlist.errors import BadFit, BadVotes
from shortlist.labelmodel.evidence import Gold, gold_positions
from shortlist.labelmodel.kernel import one_blas_thread
from shortlist.labelmodel.layout import Layout, one_hot
from shortlist.labelmodel.predictor import MajorityVote, Predictor
from shortlist.votes import Patterns, Votes
from shortlist.votes.votes import not_votes

Values = TypeVar("Values", bound=npt.NDArray[Any])
NINETY = 1.6448536269514722  # standard errors: an interval of 90 %


class Measures:
    """Votes, a model and gold labels if there are any, and the arrays that tables share."""

    def __init__(self, votes: Votes, model: Any = None, *, gold: Gold | None = None) -> None:
        if not isinstance(votes, Votes):
            raise not_votes(votes)
        if not len(votes) or not votes.names:
            raise BadVotes(f"there is nothing to analyse: {len(votes)} rows × {len(votes.names)} labelers")
        if model is not None and not hasattr(model, "predict_proba"):
            raise BadFit(f"expected a fitted model such as LabelModel, got {type(model).__name__}")
        self.votes = votes
        self.model = model
        self.gold = None if gold is None else gold_positions(gold, len(votes), votes.space)
        if self.gold is not None and not (self.gold >= 0).any():
            raise BadFit("no row has a known class: leave gold out")

    def with_gold(self, gold: Gold | None) -> Self:
        """An analysis of the same votes with other known classes; arrays that do not depend on these are kept."""
        other = type(self)(self.votes, self.model, gold=gold)
        kept = ("bits", "distinct", "beliefs", "mass", "guess", "soft")
        other.__dict__ |= {name: self.__dict__[name] for name in kept if name in self.__dict__}
        return other

    def with_one_more(self, row: int, name: str | None) -> Self:
        """An analysis after the class of one row became known, or (None) is no longer."""
        other = self.with_gold(None)
        gold = np.full(len(self.votes), -1, np.int64) if self.gold is None else self.gold.copy()
        gold[row] = -1 if name is None else self.votes.space.position(name)
        other.gold = gold if (gold >= 0).any() else None
        return other

    @cached_property
    def bits(self) -> Bits:
        return Bits(self.votes)

    @cached_property
    def distinct(self) -> Distinct:
        """Rows that differ in their votes, their beliefs, and how many of each there are."""
        if self.model is None:
            raise BadFit("this needs a fitted model: Analysis(votes, model)")
        return Distinct.of(self.votes, self.model)

    @property
    def patterns(self) -> Patterns:
        return self.distinct.patterns

    @cached_property
    def beliefs(self) -> Floats:
        """(m, k): P(class | votes)."""
        return self.distinct.spread(self.distinct.beliefs)

    @cached_property
    def mass(self) -> Floats:
        """(k,): expected number of rows of each class."""
        return self.distinct.counts @ self.distinct.beliefs

    @cached_property
    def guess(self) -> Positions:
        """(m,): the position of the most likely class."""
        return self.distinct.spread(most_likely(self.distinct.beliefs, self.model.class_balance_))

    @cached_property
    def belief(self) -> Floats:
        """(m,): the largest belief of each row."""
        return self.distinct.spread(self.distinct.beliefs.max(axis=1))

    @cached_property
    def conflicted(self) -> float:
        """Share of the rows on which two labelers contradict each other."""
        return float(count(union(self.bits.against))) / len(self.votes)

    @cached_property
    def calibration(self) -> Calibration | None:
        """Calibration on rows with a vote and a known class, if there are any."""
        if self.model is None or self.gold is None or not self.scored.any():
            return None
        return Calibration.of(self.belief[self.scored], self.guess[self.scored] == self.gold[self.scored])

    @cached_property
    def soft(self) -> Floats:
        """(S, k): expected number of votes for each shortlist on rows of each class."""
        rows = self.distinct
        return soft_counts(rows.votes.codes, rows.beliefs * rows.counts[:, None], self.bits.layout)

    @cached_property
    def gold_counts(self) -> Floats:
        """(S, k): votes for each shortlist on rows known to be of each class."""
        assert self.gold is not None
        of_class = pack(self.gold[:, None] + 1, (len(self.votes.space),))
        return np.stack([count(self.bits.rows & rows) for rows in of_class], axis=1).astype(np.float64)

    @cached_property
    def scored(self) -> Mask:
        """(m,): rows with a known class and a vote."""
        return self.known & self.votes.covered

    @cached_property
    def known(self) -> Mask:
        """(m,): rows with a known class."""
        return np.zeros(len(self.votes), np.bool_) if self.gold is None else self.gold >= 0

    @property
    def known_rows(self) -> int:
        """Number of rows with a known class."""
        return int(self.known.sum())

    @property
    def right_on_gold(self) -> float:
        """Accuracy of the most likely class, on rows with a known class and a vote.

        A row without any vote has no label, so it is neither right nor wrong.
        """
        right = self.guess[self.scored] == self.need_gold()[self.scored]
        return float(right.mean()) if right.size else float("nan")

    @cached_property
    def counting_on_gold(self) -> float:
        """`right_on_gold` of a count of the votes, which every model should beat. Classes that tie share a row."""
        gold, scored = self.need_gold(), np.flatnonzero(self.scored)
        beliefs = MajorityVote().fit(self.votes).predict_proba(self.votes[scored])
        return float(shared_credit(beliefs, gold[scored]).mean()) if len(scored) else float("nan")

    def need_gold(self) -> Positions:
        """Positions of the known classes, or an error."""
        if self.gold is None:
            raise BadFit("this needs known classes: Analysis(votes, model, gold=…)")
        return self.gold

    def need_estimates(self) -> Any:
        """The model, if it is one that estimates accuracies, or an error."""
        if not hasattr(self.model, "accuracy_"):
            raise BadFit("this needs a fitted LabelModel: Analysis(votes, model)")
        return self.model


@dataclass(frozen=True, eq=False)
class Distinct:
    """Rows with different votes, how many rows of each there are, and their beliefs."""

    votes: Votes
    beliefs: Floats  # (u, k)
    patterns: Patterns

    @classmethod
    def of(cls, votes: Votes, model: Any, patterns: Patterns | None = None) -> Distinct:
        """`patterns` are those of the votes, if they were counted already."""
        patterns = patterns or votes.patterns()
        rows = Votes(patterns.codes, votes.codomains, votes.space, votes.names)
        return cls(rows, believed(model, rows), patterns)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """(u,): number of rows of each."""
        return self.patterns.counts

    def spread(self, values: Values) -> Values:
        """Values of the distinct rows, for all rows."""
        return values[self.patterns.inverse]  # type: ignore[return-value]

    def at(self, rows: slice | Positions) -> Floats:
        """(rows, k): beliefs of a choice of rows."""
        return self.beliefs[self.patterns.inverse[rows]]


def believed(model: Any, votes: Votes) -> Floats:
    """P(class | votes) of rows that differ: patterns are not counted again."""
    if isinstance(model, Predictor):
        return model._beliefs(model._panel().codes(votes))
    beliefs: Floats = model.predict_proba(votes)
    return beliefs


def soft_counts(codes: npt.NDArray[Any], beliefs: Floats, layout: Layout, block: int = 8_192) -> Floats:
    """(S, k): sum of the beliefs of the rows with each shortlist, as one matrix product for each block of rows."""
    sums = np.zeros((len(layout.member), layout.k))
    X = np.empty((len(layout.member), min(block, max(1, len(codes)))), np.float32)
    with one_blas_thread():
        for start in range(0, len(codes), block):
            columns = np.ascontiguousarray(codes[start : start + block].T)
            part = X[:, : columns.shape[1]]
            one_hot(columns, layout.sizes, part)
            sums += part @ beliefs[start : start + block].astype(np.float32)
    return sums


def inside(soft: Floats, layout: Layout) -> Floats:
    """(S,): those of the counts (S, k) whose class is in the shortlist."""
    right: Floats = (soft * layout.member).sum(axis=1)
    return right


def share(part: Any, whole: Any) -> Floats:
    """part / whole, NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    ratio: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return ratio


def frame(columns: dict[str, Any]) -> pl.DataFrame:
    """A polars table with null in the place of NaN."""
    table = pl.DataFrame(columns, strict=False)
    return table.with_columns(pl.col(pl.Float64, pl.Float32).fill_nan(None))


# -- calibration ---------------------------------------------------------------------------------------


class Bin(NamedTuple):
    """Rows with about the same belief, their accuracy, and its 90 % interval (Wilson)."""

    rows: int
    belief: float
    right: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Calibration:
    """Bins with rows in them, in the order of their beliefs, and the means over all rows."""

    bins: tuple[Bin, ...]
    belief: float
    right: float
    error: float  # expected calibration error: mean distance between belief and accuracy

    @classmethod
    def of(cls, belief: Floats, right: Mask, bins: int = 10) -> Calibration:
        filled, which = [], np.minimum((belief * bins).astype(np.int64), bins - 1)
        for inside in (which == b for b in np.unique(which)):
            share, rows = float(right[inside].mean()), int(inside.sum())
            filled.append(Bin(rows, float(belief[inside].mean()), share, *wilson(share, rows, NINETY)))
        error = sum(b.rows * abs(b.belief - b.right) for b in filled) / len(belief)
        return cls(tuple(filled), float(belief.mean()), float(right.mean()), error)
