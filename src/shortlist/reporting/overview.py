"""Overview: everything that the page and the terminal tell, worked out once."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.accuracy import WIDEST
from shortlist.analysis.pairs import same_shortlists
from shortlist.arrays import Floats
from shortlist.identifiability import Diagnosis, diagnose
from shortlist.reporting.calibration import Calibration
from shortlist.reporting.finder import Finder, RowFinder

COPIES = 0.5  # correlation given the class from which two labelers are called near-copies
FEW = 20  # rows: what fewer show may be chance


class Tile(NamedTuple):
    """One number worth knowing first."""

    name: str
    value: str
    note: str = ""


class Overview:
    """Votes, a model if there is one and gold labels if there are any, with what is to be said about them.

    diagnosis    what `diagnose` found; without it, that is found out here, within the time limit (seconds)
    finder       finds rows by what is said about them, where the analysis does not hold all rows
    """

    def __init__(
        self,
        analysis: Analysis,
        *,
        level: float = 0.9,
        diagnosis: Diagnosis | None = None,
        time_limit: float = 10.0,
        finder: Finder | None = None,
    ) -> None:
        self.analysis, self.votes, self.model = analysis, analysis.votes, analysis.model
        self.finder, self.total = finder or RowFinder(analysis), analysis.total
        self.level, self.time_limit, self._diagnosis = level, time_limit, diagnosis

    @property
    def estimates(self) -> bool:
        """Whether the model is one that estimates accuracies."""
        return hasattr(self.model, "accuracy_")

    @property
    def class_by_class(self) -> bool:
        """Whether accuracies differ from class to class."""
        return self.estimates and bool((np.ptp(self.model.accuracy_, axis=1) > 1e-9).any())

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """The one that was given, or else what can be found out within the time limit."""
        return self._diagnosis or diagnose(self.votes, time_limit=self.time_limit)

    @cached_property
    def labelers(self) -> pl.DataFrame:
        """The table of labelers; with what each is worth where the model can be fitted again."""
        table = self.analysis.labelers(level=self.level)
        if self.estimates and self.total > 1 and self.model.accuracy_.size <= WIDEST:
            table = table.join(self.analysis.worth(), on="labeler", how="left", maintain_order="left")
        return table

    @cached_property
    def pairs(self) -> pl.DataFrame:
        return self.analysis.pairs()

    @cached_property
    def near_copies(self) -> set[tuple[str, str]]:
        """Pairs that depend on each other beyond the class, or that never say different things."""
        bits = self.analysis.bits
        table = self.pairs.with_columns(kinds=_upper(bits.kinds(same_shortlists(bits.layout))))
        found = (pl.col("same") == pl.col("overlap")) & (pl.col("kinds") > 1) & (pl.col("same") * self.total >= FEW)
        if "correlation" in table.columns:
            found |= pl.col("correlation").fill_null(0) >= COPIES
        return set(table.filter(found).select("labeler", "other").iter_rows())

    @cached_property
    def classes(self) -> pl.DataFrame:
        return self.analysis.classes()

    @cached_property
    def buckets(self) -> pl.DataFrame:
        return self.analysis.buckets()

    @cached_property
    def suggestions(self) -> pl.DataFrame:
        """Rows to look at next; where all rows have a gold label, as if none had."""
        if self.all_known:
            return self.analysis.without_gold().suggest(12)
        return self.analysis.suggest(12)

    @property
    def all_known(self) -> bool:
        """Whether all rows have a gold label."""
        return self.analysis.gold is not None and bool((self.analysis.gold >= 0).all())

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """(m,): how many rows each row stands for."""
        weights = self.analysis.weights
        return np.ones(len(self.votes), np.int64) if weights is None else weights

    @cached_property
    def belief(self) -> Floats:
        """(m,): the largest belief of each row."""
        rows = self.analysis.distinct
        return rows.spread(rows.beliefs.max(axis=1))

    @cached_property
    def known(self) -> npt.NDArray[np.bool_]:
        """(m,): rows with a gold label."""
        gold = self.analysis.gold
        return np.zeros(len(self.votes), np.bool_) if gold is None else gold >= 0

    @cached_property
    def calibration(self) -> Calibration | None:
        """How often the most believed class is right, where gold labels can tell."""
        if self.model is None or self.analysis.gold is None:
            return None
        right = self.analysis.guess[self.known] == self.analysis.gold[self.known]
        return Calibration.of(self.belief[self.known], right, self.counts[self.known])

    @cached_property
    def conflicted(self) -> float:
        """The share of rows on which two labelers contradict each other."""
        from shortlist.analysis.bits import union

        bits = self.analysis.bits
        return float(bits.count(union(bits.against))) / self.total

    @cached_property
    def covered(self) -> float:
        """The share of rows with a vote."""
        return float(np.average(self.votes.covered, weights=self.counts))

    @cached_property
    def tiles(self) -> list[Tile]:
        n = len(self.votes.names)
        tiles = [
            Tile("rows", f"{self.total:,}", f"{n} labelers, {len(self.votes.space)} classes"),
            Tile("covered", f"{self.covered:.1%}", "rows with a vote"),
            Tile("in conflict", f"{self.conflicted:.1%}", "rows with disjoint shortlists"),
        ]
        if self.model is not None:
            mean = np.average(self.belief, weights=self.counts)
            tiles.append(Tile("mean belief", f"{mean:.1%}", "in the best guess"))
        if self.calibration is not None:
            tiles.append(
                Tile("right", f"{self.calibration.right:.1%}", f"of {self.counts[self.known].sum():,} gold rows")
            )
        if hasattr(self.model, "n_iter_"):
            note = "converged" if self.model.converged_ else "stopped early"
            tiles.append(Tile("fit", f"{self.model.n_iter_} steps", note))
        return tiles


def _upper(square: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The upper triangle, in the order of the table of pairs."""
    above: npt.NDArray[np.int64] = square[np.triu_indices(len(square), 1)]
    return above
