"""train: a classifier that learns from the beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import BadFit, ShortlistError
from shortlist.project.stages.stage import Facts, Stage, noted

if TYPE_CHECKING:
    from shortlist.arrays import Mask, Positions
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings

LITTLE = 30  # rows: fewer teach a classifier next to nothing
SILENCE = "no labeler votes on any row yet, so there is nothing to train a classifier on"


class Train(Stage):
    name = "train"
    help = "Train the classifier on the beliefs."
    needs = ("vote", "fit")

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        from shortlist.classifier.kinds import find_kind

        kind = find_kind(settings.classifier.kind)
        return (f"classifier{kind.suffix if kind else ''}",)

    def key(self, session: Session) -> Any:
        return [session.data_digests(), asdict(session.settings.data), asdict(session.settings.classifier)]

    def refusal(self, settings: Settings) -> ShortlistError | None:
        return no_classifier(settings)

    def idle(self, session: Session) -> str | None:
        return None if session.state.records["vote"].facts["covered"] else SILENCE

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.classifier.kinds import learns_from_uncovered
        from shortlist.project.stages.classifiers import (
            classifier_inputs,
            make_classifier,
            options_told,
            read_columns,
        )

        settings, votes = session.settings, session.votes
        made = make_classifier(settings)
        usable = votes.covered | learns_from_uncovered(made)
        chosen = training_rows(votes.covered, usable, settings.classifier.max_rows)
        inputs = classifier_inputs(settings, session.rows.take(chosen, read_columns(settings)))
        notes: list[str] = []
        with noted(notes):
            beliefs = session.analysis.distinct.at(chosen)
            with options_told(settings):
                trained = made.fit(inputs, beliefs, covered=votes.covered[chosen], classes=votes.space)
        trained.save(paths[0])
        session.results[self.name] = trained
        return {"trained_on": len(chosen), "notes": [*notes, *_left_out(len(chosen), usable, votes.covered)]}

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:
        from shortlist.project.stages.classifiers import classifier_class

        return classifier_class(settings).load(paths[0])

    def tell(self, facts: Facts) -> str:
        return f"trained on {facts['trained_on']:,} rows"

    def doubtful(self, facts: Facts) -> bool:
        return bool(facts["trained_on"] < LITTLE)


def no_classifier(settings: Settings) -> ShortlistError | None:
    """The error of who asks for a classifier where the settings want none."""
    if settings.classifier.kind != "none":
        return None
    return settings.toml.wrong('no classifier is wanted: [classifier] kind is "none"', "classifier", "kind")


def training_rows(covered: Mask, usable: Mask, most: int) -> Positions:
    """The rows that a classifier can use, or as many of them as may be, evenly spread."""
    import numpy as np

    if not covered.any():
        raise BadFit("no labeler votes on any row: there is nothing to train a classifier on")
    rows = np.flatnonzero(usable)
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _left_out(trained: int, usable: Mask, covered: Mask) -> Iterator[str]:
    """A note where some rows that could be learned from were not."""
    count = int(usable.sum())
    if trained < count:
        rows = "rows with a vote" if count == covered.sum() else "rows"
        yield f"trained on {trained:,} of {count:,} {rows} (classifier.max_rows), evenly spread"
