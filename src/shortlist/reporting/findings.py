"""Findings: what stands out, in plain words, the doctor's first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import polars as pl

from shortlist.reporting.digest import FEW, Digest
from shortlist.wording import some_of

HARD = 0.2  # expected error from which two classes are called hard to tell apart
OFF = 0.05  # distance of an estimate from gold, or of belief from truth, that is worth a word
MOST = 3  # of each kind

Level = Literal["good", "note", "warn"]


class Finding(NamedTuple):
    """A sentence or two, and how much they matter."""

    level: Level
    text: str


def findings(digest: Digest) -> list[Finding]:
    """The doctor's verdict and remarks, then what the tables show."""
    return [*doctors(digest), *seen(digest)]


def doctors(digest: Digest) -> Iterator[Finding]:
    """What Theorem 1 says about these labelers."""
    headline, *others = digest.diagnosis.findings
    levels: dict[bool | None, Level] = {True: "good", False: "warn", None: "note"}
    yield Finding(levels[digest.diagnosis.identifiable], headline)
    for text in others:
        yield Finding("note", text)


def seen(digest: Digest) -> Iterator[Finding]:
    """What the votes, the model and gold labels show."""
    yield from silent(digest)
    yield from failed(digest)
    yield from uncovered(digest)
    yield from copies(digest)
    if digest.model is not None:
        yield from unfinished(digest)
        yield from hard_classes(digest.classes)
    if "accuracy" in digest.labelers.columns:
        yield from worse_than_chance(digest)
        yield from off_gold(digest.labelers)
    if digest.calibration is not None and digest.known.sum() >= FEW:
        yield from miscalibrated(digest)


def silent(digest: Digest) -> Iterator[Finding]:
    names = digest.labelers.filter(pl.col("votes") == 0)["labeler"].to_list()
    if names:
        yield Finding("warn", f"{some_of(names)} never voted on these rows.")


def failed(digest: Digest) -> Iterator[Finding]:
    for name, failure in zip(digest.votes.names, digest.votes.failures, strict=True):
        if failure:
            yield Finding("warn", f"{name} failed on {failure.count:,} rows, first with: {failure.first}")


def uncovered(digest: Digest) -> Iterator[Finding]:
    share = 1 - digest.votes.covered.mean()
    if share > 0.01:
        yield Finding("note", f"{share:.0%} of the rows have no vote: nothing but the class balance is known there.")


def unfinished(digest: Digest) -> Iterator[Finding]:
    if getattr(digest.model, "converged_", True) is False:
        yield Finding("warn", "The fit stopped before it converged. Raise max_iter, or tol if this is good enough.")


def copies(digest: Digest) -> Iterator[Finding]:
    """Labelers that agree beyond what the class explains, or always."""
    found = [
        pair for pair in digest.pairs.iter_rows(named=True) if (pair["labeler"], pair["other"]) in digest.near_copies
    ]
    found.sort(key=lambda pair: -(pair.get("correlation") or 1))
    for pair in found[:MOST]:
        yield Finding("warn", _always(pair, len(digest.votes)) if pair["same"] == pair["overlap"] else _dependent(pair))


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


def hard_classes(classes: pl.DataFrame) -> Iterator[Finding]:
    found = classes.filter(pl.col("error") >= HARD).sort("error", descending=True)
    for pair in found.head(MOST).iter_rows(named=True):
        yield Finding(
            "warn",
            f"{pair['class']} and {pair['other']} are hard to tell apart: on rows of either, the better guess between "
            f"the two is expected to be wrong {pair['error']:.0%} of the time. "
            f"{_labelers(pair['labelers'])} one without the other.",
        )


def _labelers(count: int) -> str:
    return {0: "No labeler names", 1: "One labeler names"}.get(count, f"{count} labelers name")


def worse_than_chance(digest: Digest) -> Iterator[Finding]:
    """Labelers whose shortlists hold the class no more often than any shortlist of that size."""
    chance = pl.col("ambiguity") / len(digest.votes.space)
    top = pl.coalesce("accuracy_high", "accuracy")
    for row in digest.labelers.filter(top < chance).head(MOST).iter_rows(named=True):
        luck = row["ambiguity"] / len(digest.votes.space)
        yield Finding(
            "warn",
            f"{row['labeler']} is estimated to be right {row['accuracy']:.0%} of the time; shortlists of that size, "
            f"drawn at random, would be right {luck:.0%} of the time.",
        )


def off_gold(labelers: pl.DataFrame) -> Iterator[Finding]:
    """Labelers whose estimated accuracy gold rows contradict."""
    if "gold_accuracy" not in labelers.columns:
        return
    gap = (pl.col("accuracy") - pl.col("gold_accuracy")).abs()
    found = labelers.filter((gap > OFF) & (pl.col("gold_votes") >= FEW)).sort(gap, descending=True)
    for row in found.head(MOST).iter_rows(named=True):
        more = "more" if row["accuracy"] > row["gold_accuracy"] else "less"
        yield Finding(
            "note",
            f"{row['labeler']} is taken to be {more} accurate than it is: estimated {row['accuracy']:.0%}, on "
            f"{row['gold_votes']:,} gold rows {row['gold_accuracy']:.0%}.",
        )


def miscalibrated(digest: Digest) -> Iterator[Finding]:
    found = digest.calibration
    assert found is not None
    gap = found.belief - found.right
    if abs(gap) <= OFF:
        yield Finding("good", f"Beliefs are honest on average: {found.belief:.0%} believed, {found.right:.0%} right.")
    else:
        how = "over" if gap > 0 else "under"
        yield Finding(
            "warn" if gap > 0 else "note",
            f"Beliefs are {how}confident: {found.belief:.0%} believed on average, {found.right:.0%} right.",
        )
