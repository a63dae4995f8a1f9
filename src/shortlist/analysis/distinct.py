"""Distinct rows: where rows repeat, what a model believes is worked out once for all rows with the same votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.predictor import Predictor
from shortlist.votes import Patterns, Votes
from shortlist.votes.patterns import count_patterns

LOOK = 10_000  # rows that are looked at to see whether rows repeat
SELDOM = 0.8  # of these rows differ: then looking for patterns costs more than it saves

Values = TypeVar("Values", bound=npt.NDArray[Any])


@dataclass(frozen=True, eq=False)
class Distinct:
    """Votes that differ, how many rows of each there are, and what is believed of them."""

    votes: Votes
    counts: npt.NDArray[np.int64]  # (u,)
    beliefs: Floats  # (u, k)
    patterns: Patterns | None  # None: every row for itself

    @classmethod
    def of(cls, votes: Votes, model: Any, patterns: Patterns | None = None) -> Distinct:
        """`patterns` are those of the votes, where they are known already."""
        if patterns is None and seldom_repeat(votes):
            return cls(votes, np.ones(len(votes), np.int64), believed(model, votes), None)
        patterns = patterns or votes.patterns()
        rows = Votes(patterns.codes, votes.codomains, votes.space, votes.names)
        return cls(rows, patterns.counts, believed(model, rows), patterns)

    def spread(self, values: Values) -> Values:
        """What is known of the distinct rows, for all rows."""
        return values if self.patterns is None else values[self.patterns.inverse]  # type: ignore[return-value]

    def at(self, rows: slice | Positions) -> Floats:
        """(rows, k): what is believed of some of all rows."""
        beliefs: Floats = self.beliefs[rows if self.patterns is None else self.patterns.inverse[rows]]
        return beliefs


def seldom_repeat(votes: Votes) -> bool:
    """Whether most of some rows, taken from everywhere, differ."""
    some = votes.codes[:: max(1, len(votes) // LOOK)]
    return len(votes) > LOOK and len(count_patterns(some, votes.sizes)[1]) > SELDOM * len(some)


def believed(model: Any, votes: Votes) -> Floats:
    """P(class | votes) of rows that differ, which need no looking for rows that do not."""
    if isinstance(model, Predictor):
        return model._beliefs(model._panel().codes(votes))
    beliefs: Floats = model.predict_proba(votes)
    return beliefs
