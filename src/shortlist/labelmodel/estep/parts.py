"""Parts: the E step over parts of the rows, each counted wherever an engine runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from shortlist.engines import Engine, ordered
from shortlist.labelmodel.estep.expectation import FullEStep
from shortlist.labelmodel.estep.kernel import Precision
from shortlist.labelmodel.formulae.counts import Counts
from shortlist.labelmodel.formulae.likelihood import Emission


class Parts:
    """What travels to a part is a table, what comes back are its counts; counts add up.

    They are added in the order of the parts, so the result does not depend on the engine. A part is anything that
    counts: an `Expectation` over some of the rows, or an object that finds its rows where it runs.
    """

    def __init__(self, parts: Sequence[FullEStep], engine: Engine) -> None:
        self.parts, self.engine = tuple(parts), engine
        self.total = float(sum(part.total for part in self.parts))
        self.large = any(part.large for part in self.parts)
        self.vote_counts = reduce(add, (part.vote_counts for part in self.parts))
        self.known = reduce(add, (part.known for part in self.parts))

    def __call__(self, table: Emission, precision: Precision = np.float64) -> Counts:
        """One E step: expected counts and log-likelihood under a table."""
        return reduce(add, ordered(self.engine, Count(table, precision), self.parts))


@dataclass(frozen=True)
class Count:
    """One E step over one part."""

    table: Emission
    precision: Precision

    def __call__(self, part: FullEStep) -> Counts:
        return part(self.table, self.precision)
