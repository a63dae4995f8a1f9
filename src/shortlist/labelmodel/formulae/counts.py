"""Counts: the expected counts of one E step. They add up, so chunks and known labels join by addition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats, Positions
from shortlist.labelmodel.formulae.layout import Layout
from shortlist.labelmodel.formulae.likelihood import Emission


@dataclass(frozen=True, eq=False)
class Counts:
    """How many rows of each class are expected, how often each shortlist was voted on them, and how likely it is."""

    votes: Floats  # (S, k)
    mass: Floats  # (k,)
    log_likelihood: float

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.votes + other.votes, self.mass + other.mass, self.log_likelihood + other.log_likelihood)


@dataclass(frozen=True, eq=False)
class Known:
    """The counts of rows whose class is known: the same whatever the parameters are. True where there are any."""

    votes: Floats  # (S, k)
    mass: Floats  # (k,)

    @classmethod
    def of(cls, codes: npt.NDArray[np.integer], gold: Positions, weights: Floats, layout: Layout) -> Known:
        votes = np.zeros((len(layout.member), layout.k))
        if not len(gold):
            return cls(votes, np.zeros(layout.k))
        for start, column in zip(layout.starts, codes.T, strict=True):
            voted = column > 0
            np.add.at(votes, (start + column[voted].astype(np.int64) - 1, gold[voted]), weights[voted])
        return cls(votes, np.bincount(gold, weights, layout.k).astype(np.float64))

    def __bool__(self) -> bool:
        return bool(self.mass.any())

    def __add__(self, other: Known) -> Known:
        return Known(self.votes + other.votes, self.mass + other.mass)

    def unscored(self) -> Counts:
        """These counts, before there is a table that could say how likely they are."""
        return Counts(self.votes, self.mass, 0.0)

    def counts(self, table: Emission, layout: Layout) -> Counts:
        """These counts with their log P(G, Y) under a table: known labels enter Eq. 1 as they are."""
        votes, abstain = table.tempered(layout)
        silent = self.mass - layout.per_labeler(self.votes)
        value = (self.votes * votes).sum() + (silent * abstain).sum() + self.mass @ table.balance
        return Counts(self.votes, self.mass, float(value))


def vote_counts(columns: npt.NDArray[np.integer], weights: Floats, layout: Layout) -> Floats:
    """(S,): how often each shortlist was voted, from columns of codes (n, rows) and the weights of the rows."""
    counts = [np.bincount(column, weights, size + 1)[1:] for column, size in zip(columns, layout.sizes, strict=True)]
    return np.concatenate([*counts, np.zeros(0)])
