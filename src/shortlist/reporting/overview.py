"""Overview: the tables and figures that page, terminal and studio show, worked out once; and what stands out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from shortlist.analysis import Analysis
from shortlist.analysis.labeler_tables import MOST_ACCURACIES, only_known
from shortlist.analysis.measures import Calibration
from shortlist.analysis.tables import same_shortlists
from shortlist.arrays import Floats
from shortlist.joint import Teacher
from shortlist.reporting.checkup import Checkup
from shortlist.reporting.trials import FEW, Features, Trials
from shortlist.wording import number_of

LABEL_MODEL, VOTES_AND_TEXT = "label model", "votes and text"  # names among scores
GOLD_FITS = (
    "Gold rows take part in the fit. Scores are fair: gold rows were scored by models that have not seen their gold "
    "labels. Other figures of the label model on gold rows, in check and report, are too high."
)
FAIR_SCORE = "For a fair score: shortlist label --random"


class Tile(NamedTuple):
    """A number to show first."""

    name: str
    value: str
    note: str = ""


class Final(NamedTuple):
    """The labels that users take home, from votes and rows together.

    beliefs    (m, k); those of gold rows as if their gold label were unknown
    features   of rows, by their numbers
    teacher    whose beliefs are combined with the rows, and how
    shares     (k,): estimated class shares
    use_gold   gold rows have taught
    """

    beliefs: Floats
    features: Features
    teacher: Teacher
    shares: Floats
    use_gold: bool = False


class Overview:
    """Tables and figures about votes, and about a model and gold labels if there are any.

    scores       accuracy on gold rows by name: of the classifier, for example; or of the label model (LABEL_MODEL),
                 where it was fitted with them and so seems to be right more often than it is
    gold_fits    whether the model was fitted with the known classes, too
    gold_hard    number of gold rows that were picked because they are hard: no fair sample
    final        labels from votes and rows together, if there are any
    """

    def __init__(
        self,
        analysis: Analysis,
        *,
        level: float = 0.9,
        scores: Mapping[str, float] | None = None,
        gold_fits: bool = False,
        gold_hard: int = 0,
        final: Final | None = None,
    ) -> None:
        self.analysis, self.votes, self.model = analysis, analysis.votes, analysis.model
        self.known = analysis.known
        self.level, self.other_scores = level, dict(scores or {})
        self.gold_fits, self.gold_hard, self.final = gold_fits, gold_hard, final

    @cached_property
    def trials(self) -> Trials | None:
        """Fits with one change each; None where the model cannot be fitted again, or not in time."""
        if not self.estimates or self.model.accuracy_.size > MOST_ACCURACIES:
            return None
        if self.final is None:
            return Trials(self.analysis)
        return Trials(self.analysis, self.final.features, self.final.teacher, use_gold=self.final.use_gold)

    @property
    def estimates(self) -> bool:
        """True if the model estimates accuracies."""
        return hasattr(self.model, "accuracy_")

    @property
    def class_by_class(self) -> bool:
        """True if accuracies differ from class to class, for some labeler that is not one-sided."""
        if not self.estimates:
            return False
        columns = zip(self.votes.names, self.votes.codomains, strict=True)
        order = [self.model.panel_.names.index(name) for name, codomain in columns if not codomain.one_sided]
        return bool((np.ptp(self.model.accuracy_[order], axis=1) > 1e-9).any())

    @cached_property
    def plain_labelers(self) -> pl.DataFrame:
        """The table of labelers, with estimates that votes cannot tell."""
        return self.analysis.labelers(level=self.level)

    @cached_property
    def labelers(self) -> pl.DataFrame:
        """The table of labelers to show; with what each is worth if the model can be fitted again."""
        table = only_known(self.plain_labelers)
        if self.estimates and len(self.votes) > 1 and self.model.accuracy_.size <= MOST_ACCURACIES:
            table = table.join(self.analysis.worth(), on="labeler", how="left", maintain_order="left")
        return table

    @cached_property
    def pairs(self) -> pl.DataFrame:
        return self.analysis.pairs()

    @cached_property
    def near_copies(self) -> set[tuple[str, str]]:
        """Pairs with a correlation given the class of at least 0.5, or that never say different things.

        Evidence counts twice where both vote. So two that seldom vote on the same row are none: less than half as often
        as by chance.
        """
        bits = self.analysis.bits
        kinds = bits.kinds(same_shortlists(bits.layout))
        table = self.pairs.with_columns(kinds=kinds[np.triu_indices(len(kinds), 1)])
        near = (pl.col("same") == pl.col("overlap")) & (pl.col("kinds") > 1) & (pl.col("same") * bits.m >= FEW)
        if "correlation" in table.columns:
            near |= pl.col("correlation").fill_null(0) >= 0.5
        coverage = dict(zip(self.votes.names, self.votes.coverage, strict=True))
        pairs = table.filter(near & (pl.col("overlap") > 0)).select("labeler", "other", "overlap").iter_rows()
        return {(one, other) for one, other, both in pairs if both >= 0.5 * coverage[one] * coverage[other]}

    @cached_property
    def suggestions(self) -> pl.DataFrame:
        """Rows to look at next; where all rows have a gold label, as if none had."""
        return (self.analysis.with_gold(None) if self.known.all() else self.analysis).suggest(12)

    @cached_property
    def tiles(self) -> list[Tile]:
        """The numbers to show first."""
        m, n = self.votes.shape
        tiles = [
            Tile("rows", f"{m:,}", f"{number_of(n, 'labeler')}, {len(self.votes.space)} classes"),
            Tile("covered", f"{self.votes.covered.mean():.1%}", "rows with a vote"),
            Tile("in conflict", f"{self.analysis.conflicted:.1%}", "rows where two labelers exclude each other"),
        ]
        if self.model is not None:
            belief = f"{self.analysis.belief.mean():.1%}"
            tiles.append(Tile("mean belief", belief, "in the most likely class, over all rows"))
        return [*tiles, *self._scores()]

    def _scores(self) -> Iterator[Tile]:
        """Accuracies on gold rows. Model and counting label rows with a vote; others, such as a classifier, all."""
        if self.analysis.calibration is None:
            return
        scores = {LABEL_MODEL: self.analysis.calibration.right, "counting votes": self.analysis.counting_on_gold}
        known, voted = int(self.known.sum()), int(self.analysis.scored.sum())
        for name, share in (scores | self.other_scores).items():
            note = f"right on {known:,} gold rows"
            if name in scores and voted < known:
                note = f"right on {voted:,} gold rows with a vote, {known - voted:,} have none"
            yield Tile(name, f"{share:.1%}", note)


# -- what stands out -----------------------------------------------------------------------------------


class Notice(NamedTuple):
    """A sentence or two, and how much they matter."""

    level: Literal["good", "note", "warn"]
    text: str


def notices(overview: Overview) -> Iterator[Notice]:
    """Facts that stand out in the tables. What to do about them is advice."""
    if overview.gold_fits and overview.known.any():
        yield Notice("note", GOLD_FITS)
    if overview.gold_hard:
        yield Notice("warn", f"{hard_ones(overview.gold_hard)}, so figures on gold rows may be too low. {FAIR_SCORE}")
    yield from copy_notices(overview)
    yield from off_gold(overview.labelers)
    if overview.analysis.calibration is not None and overview.known.sum() >= FEW:
        yield miscalibrated(overview.analysis.calibration)


def hard_ones(rows: int) -> str:
    """The clause that gold rows are no fair sample."""
    picked = "was picked because it is" if rows == 1 else "were picked because they are"
    return f"{rows:,} of the gold rows {picked} hard"


def verdict(checkup: Checkup) -> Notice:
    """The verdict of a checkup."""
    return Notice("good" if checkup.identifiable else "note", checkup.verdict)


def copy_notices(overview: Overview, most: int = 3) -> Iterator[Notice]:
    """Labelers that agree beyond what the class explains, or always."""
    pairs, near = overview.pairs.iter_rows(named=True), overview.near_copies
    copies = [pair for pair in pairs if (pair["labeler"], pair["other"]) in near]
    for pair in sorted(copies, key=lambda pair: -(pair.get("correlation") or 1))[:most]:
        if pair["same"] == pair["overlap"]:
            how = f"say the same on all {pair['same'] * len(overview.votes):,.0f} rows on which both vote. "
            how += "Either both are always right, or one copies the other."
        else:
            how = f"depend on each other beyond what the class explains (correlation {pair['correlation']:.2f})."
        yield Notice("note", f"{pair['labeler']} and {pair['other']} {how}")


def off_gold(labelers: pl.DataFrame, most: int = 3) -> Iterator[Notice]:
    """Labelers whose estimated accuracy differs from that on gold rows by more than 5 points."""
    if not {"accuracy", "gold_accuracy"} <= set(labelers.columns):
        return
    gap = (pl.col("accuracy") - pl.col("gold_accuracy")).abs()
    off = labelers.filter((gap > 0.05) & (pl.col("gold_votes") >= FEW)).sort(gap, descending=True)
    for row in off.head(most).iter_rows(named=True):
        how = "over" if row["accuracy"] > row["gold_accuracy"] else "under"
        yield Notice(
            "note",
            f"The model {how}estimates the accuracy of {row['labeler']}: {row['accuracy']:.0%}, where "
            f"{row['gold_votes']:,} gold rows show {row['gold_accuracy']:.0%}.",
        )


def miscalibrated(calibration: Calibration) -> Notice:
    """Mean belief against accuracy: they differ if by more than 5 points."""
    gap = calibration.belief - calibration.right
    shown = (
        f"on gold rows with a vote, the mean belief in the best guess is {calibration.belief:.0%}, and "
        f"{calibration.right:.0%} of the guesses are right"
    )
    if abs(gap) <= 0.05:
        return Notice("good", f"Beliefs are well calibrated on average: {shown}.")
    if gap > 0:
        return Notice("warn", f"Beliefs are overconfident: {shown}.")
    return Notice("note", f"Beliefs are underconfident: {shown}.")
