"""Notices: what stands out, in plain words: first about identifiability, then about what the tables show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import polars as pl

from shortlist.reporting.overview import FEW, Overview
from shortlist.wording import some_of

HARD = 0.2  # expected error from which two classes are called hard to tell apart
OFF = 0.05  # distance of an estimate from gold, or of belief from truth, that is worth a word
MOST = 3  # of each kind

Level = Literal["good", "note", "warn"]


class Notice(NamedTuple):
    """A sentence or two, and how much they matter."""

    level: Level
    text: str


def notices(overview: Overview) -> list[Notice]:
    """What the diagnosis says, then what the tables show."""
    return [*from_diagnosis(overview), *from_tables(overview)]


def from_diagnosis(overview: Overview) -> Iterator[Notice]:
    """Whether accuracies can be learned from votes alone."""
    headline, *others = overview.diagnosis.findings
    levels: dict[bool | None, Level] = {True: "good", False: "warn", None: "note"}
    yield Notice(levels[overview.diagnosis.identifiable], headline)
    for text in others:
        yield Notice("note", text)


def from_tables(overview: Overview) -> Iterator[Notice]:
    """What votes, model and gold labels show."""
    yield from silent(overview)
    yield from failed(overview)
    yield from uncovered(overview)
    yield from copies(overview)
    if overview.model is not None:
        yield from unfinished(overview)
        yield from hard_classes(overview.classes)
    if "accuracy" in overview.labelers.columns:
        yield from worse_than_chance(overview)
        yield from off_gold(overview.labelers)
    if overview.calibration is not None and overview.counts[overview.known].sum() >= FEW:
        yield from miscalibrated(overview)


def silent(overview: Overview) -> Iterator[Notice]:
    names = overview.labelers.filter(pl.col("votes") == 0)["labeler"].to_list()
    if names:
        yield Notice("warn", f"{some_of(names)} never voted on these rows.")


def failed(overview: Overview) -> Iterator[Notice]:
    for name, failure in zip(overview.votes.names, overview.votes.failures, strict=True):
        if failure:
            yield Notice("warn", f"{name} failed on {failure.count:,} rows, first with: {failure.first}")


def uncovered(overview: Overview) -> Iterator[Notice]:
    share = 1 - overview.covered
    if share > 0.01:
        yield Notice("note", f"{share:.0%} of the rows have no vote: nothing but the class balance is known there.")


def unfinished(overview: Overview) -> Iterator[Notice]:
    if getattr(overview.model, "converged_", True) is False:
        yield Notice("warn", "The fit stopped before it converged. Raise max_iter, or tol if this is good enough.")


def copies(overview: Overview) -> Iterator[Notice]:
    """Labelers that agree beyond what the class explains, or always."""
    pairs, near = overview.pairs.iter_rows(named=True), overview.near_copies
    found = [pair for pair in pairs if (pair["labeler"], pair["other"]) in near]
    found.sort(key=lambda pair: -(pair.get("correlation") or 1))
    for pair in found[:MOST]:
        always = pair["same"] == pair["overlap"]
        yield Notice("warn", _always(pair, overview.total) if always else _dependent(pair))


def _always(pair: dict[str, Any], m: int) -> str:
    return (
        f"{pair['labeler']} and {pair['other']} say the same on all {pair['same'] * m:,.0f} rows on which both vote. "
        "Either both are always right, or one copies the other: then leave one out."
    )


def _dependent(pair: dict[str, Any]) -> str:
    return (
        f"{pair['labeler']} and {pair['other']} depend on each other beyond what the class explains (correlation "
        f"{pair['correlation']:.2f}). The model counts their evidence twice and takes both to be more accurate than "
        "they are. Merge them, or leave one out."
    )


def hard_classes(classes: pl.DataFrame) -> Iterator[Notice]:
    found = classes.filter(pl.col("error") >= HARD).sort("error", descending=True)
    for pair in found.head(MOST).iter_rows(named=True):
        yield Notice(
            "warn",
            f"{pair['class']} and {pair['other']} are hard to tell apart: on rows of either, the better guess between "
            f"the two is expected to be wrong {pair['error']:.0%} of the time. "
            f"{_labelers(pair['labelers'])} one without the other.",
        )


def _labelers(count: int) -> str:
    return {0: "No labeler names", 1: "One labeler names"}.get(count, f"{count} labelers name")


def worse_than_chance(overview: Overview) -> Iterator[Notice]:
    """Labelers whose shortlists hold the class no more often than any shortlist of that size."""
    chance = pl.col("ambiguity") / len(overview.votes.space)
    top = pl.coalesce("accuracy_high", "accuracy")
    for row in overview.labelers.filter(top < chance).head(MOST).iter_rows(named=True):
        luck = row["ambiguity"] / len(overview.votes.space)
        yield Notice(
            "warn",
            f"{row['labeler']} is estimated to be right {row['accuracy']:.0%} of the time; shortlists of that size, "
            f"drawn at random, would be right {luck:.0%} of the time.",
        )


def off_gold(labelers: pl.DataFrame) -> Iterator[Notice]:
    """Labelers whose estimated accuracy gold rows contradict."""
    if "gold_accuracy" not in labelers.columns:
        return
    gap = (pl.col("accuracy") - pl.col("gold_accuracy")).abs()
    found = labelers.filter((gap > OFF) & (pl.col("gold_votes") >= FEW)).sort(gap, descending=True)
    for row in found.head(MOST).iter_rows(named=True):
        more = "more" if row["accuracy"] > row["gold_accuracy"] else "less"
        yield Notice(
            "note",
            f"{row['labeler']} is taken to be {more} accurate than it is: estimated {row['accuracy']:.0%}, on "
            f"{row['gold_votes']:,} gold rows {row['gold_accuracy']:.0%}.",
        )


def miscalibrated(overview: Overview) -> Iterator[Notice]:
    found = overview.calibration
    assert found is not None
    gap = found.belief - found.right
    if abs(gap) <= OFF:
        yield Notice("good", f"Beliefs are honest on average: {found.belief:.0%} believed, {found.right:.0%} right.")
    else:
        how = "over" if gap > 0 else "under"
        yield Notice(
            "warn" if gap > 0 else "note",
            f"Beliefs are {how}confident: {found.belief:.0%} believed on average, {found.right:.0%} right.",
        )
