"""Overview: everything that the page and the terminal tell, worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.accuracy import WIDEST
from shortlist.analysis.calibration import Calibration
from shortlist.analysis.labelers import not_known
from shortlist.analysis.pairs import same_shortlists
from shortlist.arrays import Floats
from shortlist.identifiability import Diagnosis, diagnose
from shortlist.labelmodel.evidence import Gold
from shortlist.reporting.advising.lines import Lines
from shortlist.reporting.advising.to_do import advise
from shortlist.reporting.advising.trials import FEW
from shortlist.reporting.checkup import Checkup
from shortlist.votes import Votes
from shortlist.wording import number_of

COPIES = 0.5  # correlation given the class from which two labelers are called near-copies
MODEL = "label model"  # its name among scores
MEET = 0.5  # of near-copies: how often both vote at least, as a share of how often they would by chance


class Tile(NamedTuple):
    """One number worth knowing first."""

    name: str
    value: str
    note: str = ""


class Overview:
    """Votes, a model if there is one and gold labels if there are any, with what is to be said about them.

    diagnosis    what `diagnose` found; without it, that is found out here, within the time limit (seconds)
    checkup      what `check` found: advice and diagnosis; without it, that is found out here
    scores       who is right on how many gold rows: the classifier, for example; or the label model (MODEL), which is
                 right less often than it seems where it was fitted with them
    gold_fits    whether the model was fitted with the known classes, too
    gold_hard    how many gold rows were picked because they are hard, so that they are no fair sample
    lines        the language in which advice says what to write: Python, or that of a project
    """

    def __init__(
        self,
        analysis: Analysis,
        *,
        level: float = 0.9,
        diagnosis: Diagnosis | None = None,
        time_limit: float = 10.0,
        checkup: Checkup | None = None,
        scores: Mapping[str, float] | None = None,
        lines: Lines | None = None,
        gold_fits: bool = False,
        gold_hard: int = 0,
    ) -> None:
        self.analysis, self.votes, self.model = analysis, analysis.votes, analysis.model
        self.level, self.time_limit, self._diagnosis = level, time_limit, diagnosis
        self._checkup, self.other_scores = checkup, dict(scores or {})
        self.lines, self.gold_fits, self.gold_hard = lines or Lines(), gold_fits, gold_hard

    @property
    def estimates(self) -> bool:
        """Whether the model is one that estimates accuracies."""
        return hasattr(self.model, "accuracy_")

    @property
    def class_by_class(self) -> bool:
        """Whether accuracies differ from class to class, of labelers with more than one thing to say."""
        if not self.estimates:
            return False
        told = zip(self.votes.names, self.votes.codomains, strict=True)
        order = [self.model.panel_.names.index(name) for name, codomain in told if not codomain.one_sided]
        return bool((np.ptp(self.model.accuracy_[order], axis=1) > 1e-9).any())

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """The one that was given, or else what can be found out within the time limit."""
        if self._checkup is not None:
            return self._checkup.diagnosis
        return self._diagnosis or diagnose(self.votes, time_limit=self.time_limit)

    @cached_property
    def checkup(self) -> Checkup:
        """What to do, and the diagnosis."""
        right = self.other_scores.get(MODEL, self.calibration.right if self.calibration is not None else None)
        return self._checkup or Checkup(len(self.votes), tuple(advise(self)), self.diagnosis, right, self.gold_fits)

    @cached_property
    def plain_labelers(self) -> pl.DataFrame:
        """The table of labelers, and whether the accuracy of each is not known; without what each is worth."""
        table = self.analysis.labelers(level=self.level)
        return table.with_columns(not_known=not_known()) if "accuracy" in table.columns else table

    @cached_property
    def labelers(self) -> pl.DataFrame:
        """The table of labelers; with what each is worth where the model can be fitted again."""
        table = self.plain_labelers
        if self.estimates and len(self.votes) > 1 and self.model.accuracy_.size <= WIDEST:
            table = table.join(self.analysis.worth(), on="labeler", how="left", maintain_order="left")
        return table

    @cached_property
    def pairs(self) -> pl.DataFrame:
        return self.analysis.pairs()

    @cached_property
    def near_copies(self) -> set[tuple[str, str]]:
        """Pairs that depend on each other beyond the class, or that never say different things.

        Evidence counts twice where both vote. So two that seldom vote on the same row are none, whatever their votes
        have to do with each other.
        """
        bits = self.analysis.bits
        table = self.pairs.with_columns(kinds=_upper(bits.kinds(same_shortlists(bits.layout))))
        found = (pl.col("same") == pl.col("overlap")) & (pl.col("kinds") > 1) & (pl.col("same") * bits.m >= FEW)
        if "correlation" in table.columns:
            found |= pl.col("correlation").fill_null(0) >= COPIES
        coverage = dict(zip(self.votes.names, self.votes.coverage, strict=True))
        pairs = table.filter(found & (pl.col("overlap") > 0)).select("labeler", "other", "overlap").iter_rows()
        return {(one, other) for one, other, both in pairs if both >= MEET * coverage[one] * coverage[other]}

    @cached_property
    def classes(self) -> pl.DataFrame:
        return self.analysis.classes()

    @cached_property
    def buckets(self) -> pl.DataFrame:
        return self.analysis.buckets()

    @cached_property
    def suggestions(self) -> pl.DataFrame:
        """Rows to look at next; where all rows have a gold label, as if none had."""
        if self.analysis.gold is not None and (self.analysis.gold >= 0).all():
            return self.analysis.without_gold().suggest(12)
        return self.analysis.suggest(12)

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
        """How often the most believed class is right, on rows with a vote whose class is known."""
        scored = self.analysis.scored
        if self.model is None or self.analysis.gold is None or not scored.any():
            return None
        return Calibration.of(self.belief[scored], self.analysis.guess[scored] == self.analysis.gold[scored])

    @cached_property
    def conflicted(self) -> float:
        """The share of rows on which two labelers contradict each other."""
        from shortlist.analysis.bits import count, union

        return float(count(union(self.analysis.bits.against))) / len(self.votes)

    @cached_property
    def score_tiles(self) -> list[Tile]:
        """Who is right on how many gold rows: the model, a mere count of the votes, and others that were scored.

        The first two label rows with a vote; others, such as a classifier, label every row.
        """
        assert self.calibration is not None
        scores = {MODEL: self.calibration.right, "counting votes": self.analysis.counting_on_gold}
        known, voted = int(self.known.sum()), int(self.analysis.scored.sum())
        every = f"right on {known:,} gold rows"
        some = every if known == voted else f"right on {voted:,} gold rows with a vote, {known - voted:,} have none"
        shown = (scores | self.other_scores).items()
        return [Tile(name, f"{share:.1%}", some if name in scores else every) for name, share in shown]

    @cached_property
    def tiles(self) -> list[Tile]:
        m, n = self.votes.shape
        tiles = [
            Tile("rows", f"{m:,}", f"{number_of(n, 'labeler')}, {len(self.votes.space)} classes"),
            Tile("covered", f"{self.votes.covered.mean():.1%}", "rows with a vote"),
            Tile("in conflict", f"{self.conflicted:.1%}", "rows where two labelers exclude each other"),
        ]
        if self.model is not None:
            tiles.append(Tile("mean belief", f"{self.belief.mean():.1%}", "in the most likely class, over all rows"))
        if self.calibration is not None:
            tiles += self.score_tiles
        return tiles


def _upper(square: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The upper triangle, in the order of the table of pairs."""
    above: npt.NDArray[np.int64] = square[np.triu_indices(len(square), 1)]
    return above


def checkup(votes: Votes, model: Any = None, *, gold: Gold | None = None, time_limit: float = 10.0) -> Checkup:
    """What to do about the labelers, the most gain first, and whether accuracies can be learned from votes alone.

    gold         known classes, by row (None where unknown) or as a mapping from row to class: they measure gains
    time_limit   seconds that the identifiability check may take
    """
    return Overview(Analysis(votes, model, gold=gold), time_limit=time_limit).checkup
