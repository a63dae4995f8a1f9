"""Notices: what stands out in the tables, in plain words. What to do about it is advice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import polars as pl

from shortlist.analysis.labelers import not_known
from shortlist.reporting.advising.trials import FEW
from shortlist.reporting.overview import Overview

OFF = 0.05  # distance of an estimate from gold, or of belief from truth, that is worth a word
MOST = 3  # of each kind

GOLD_FITS = (
    "Gold rows take part in the fit. The score of the label model is fair: each half of the gold rows was scored by a "
    "model that was fitted with the other half. The score of the classifier, and other figures on gold rows in `check` "
    "and in the report, are too high: model and classifier have learned from these rows."
)

FAIR_SCORE = "For a fair score: shortlist label --random"

Level = Literal["good", "note", "warn"]


class Notice(NamedTuple):
    """A sentence or two, and how much they matter."""

    level: Level
    text: str


def notices(overview: Overview) -> Iterator[Notice]:
    """What votes, model and gold labels show, besides what there is to do about it."""
    if overview.gold_fits and overview.known.any():
        yield Notice("note", GOLD_FITS)
    if overview.gold_hard:
        yield Notice("warn", f"{hard_ones(overview.gold_hard)}, so figures on gold rows may be too low. {FAIR_SCORE}")
    yield from copies(overview)
    if "accuracy" in overview.labelers.columns:
        yield from off_gold(overview.labelers)
    if overview.calibration is not None and overview.known.sum() >= FEW:
        yield from miscalibrated(overview)


def hard_ones(rows: int) -> str:
    """That so many gold rows are no fair sample."""
    picked = "was picked because it is" if rows == 1 else "were picked because they are"
    return f"{rows:,} of the gold rows {picked} hard"


def verdict(overview: Overview) -> Notice:
    """Whether accuracies can be learned from votes alone."""
    levels: dict[bool | None, Level] = {True: "good", False: "note", None: "note"}
    return Notice(levels[overview.diagnosis.identifiable], overview.checkup.verdict)


def copies(overview: Overview) -> Iterator[Notice]:
    """Labelers that agree beyond what the class explains, or always."""
    pairs, near = overview.pairs.iter_rows(named=True), overview.near_copies
    found = [pair for pair in pairs if (pair["labeler"], pair["other"]) in near]
    found.sort(key=lambda pair: -(pair.get("correlation") or 1))
    for pair in found[:MOST]:
        always = pair["same"] == pair["overlap"]
        yield Notice("note", _always(pair, len(overview.votes)) if always else _dependent(pair))


def _always(pair: dict[str, Any], m: int) -> str:
    return (
        f"{pair['labeler']} and {pair['other']} say the same on all {pair['same'] * m:,.0f} rows on which both vote. "
        "Either both are always right, or one copies the other."
    )


def _dependent(pair: dict[str, Any]) -> str:
    return (
        f"{pair['labeler']} and {pair['other']} depend on each other beyond what the class explains (correlation "
        f"{pair['correlation']:.2f})."
    )


def off_gold(labelers: pl.DataFrame) -> Iterator[Notice]:
    """Labelers whose estimated accuracy gold rows contradict."""
    if "gold_accuracy" not in labelers.columns:
        return
    gap = (pl.col("accuracy") - pl.col("gold_accuracy")).abs()
    told = ~not_known()  # what is not known is not off
    found = labelers.filter(told & (gap > OFF) & (pl.col("gold_votes") >= FEW)).sort(gap, descending=True)
    for row in found.head(MOST).iter_rows(named=True):
        how = "over" if row["accuracy"] > row["gold_accuracy"] else "under"
        yield Notice(
            "note",
            f"The model {how}estimates the accuracy of {row['labeler']}: {row['accuracy']:.0%}, where "
            f"{row['gold_votes']:,} gold rows show {row['gold_accuracy']:.0%}.",
        )


def miscalibrated(overview: Overview) -> Iterator[Notice]:
    found = overview.calibration
    assert found is not None
    gap = found.belief - found.right
    shown = (
        f"on gold rows with a vote, the mean belief in the best guess is {found.belief:.0%}, and {found.right:.0%} of "
        "the guesses are right"
    )
    if abs(gap) <= OFF:
        yield Notice("good", f"Beliefs are well calibrated on average: {shown}.")
    else:
        how = "over" if gap > 0 else "under"
        yield Notice(
            "warn" if gap > 0 else "note",
            f"Beliefs are {how}confident: {shown}.",
        )
