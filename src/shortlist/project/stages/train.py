"""train: a classifier that learns from the beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.errors import BadFit, ShortlistError
from shortlist.project.stages.stage import Facts, Stage, noted
from shortlist.wording import number_of

if TYPE_CHECKING:
    from shortlist.arrays import Positions
    from shortlist.project.session import Session
    from shortlist.project.settings import Settings
    from shortlist.votes import Votes
    from shortlist.votes.vote_parts import VoteParts

LITTLE = 30  # rows: fewer teach a classifier next to nothing
SILENCE = "no labeler votes on any row yet, so there is nothing to train a classifier on"

NOTHING = (
    "[data] names neither text nor features, so there is nothing for a classifier to read: write text or features "
    "there to train one"
)


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
        data = session.settings.data
        if data.text is None and not data.features and not session.settings.classifier.on:
            return NOTHING
        return None if session.state.records["vote"].facts["covered"] else SILENCE

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        from shortlist.classifier.kinds import learns_from_uncovered
        from shortlist.project.stages.classifiers import (
            classifier_inputs,
            make_classifier,
            options_told,
            read_columns,
        )

        settings, parts = session.settings, session.parts
        made = make_classifier(settings, session.listener.tell)
        all_rows = learns_from_uncovered(made)
        chosen, votes = training_rows(parts, settings.classifier.max_rows, all_rows=all_rows)
        inputs = classifier_inputs(settings, session.rows.take(chosen, read_columns(settings)))
        notes: list[str] = []
        with noted(notes):
            beliefs = session.model.predict_proba(votes)
            with options_told(settings):
                trained = made.fit(inputs, beliefs, covered=votes.covered, classes=votes.space)
        trained.save(paths[0])
        session.results[self.name] = trained
        return {"trained_on": len(chosen), "notes": [*notes, *_left_out(len(chosen), parts, all_rows)]}

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:
        from shortlist.project.stages.classifiers import classifier_class

        return classifier_class(settings).load(paths[0])

    def tell(self, facts: Facts) -> str:
        return f"trained on {number_of(facts['trained_on'], 'row')}"

    def doubtful(self, facts: Facts) -> bool:
        return bool(facts["trained_on"] < LITTLE)


def no_classifier(settings: Settings) -> ShortlistError | None:
    """The error of who asks for a classifier where the settings want none."""
    if settings.classifier.kind != "none":
        return None
    return settings.toml.wrong('no classifier is wanted: [classifier] kind is "none"', "classifier", "kind")


def training_rows(parts: VoteParts, most: int, *, all_rows: bool) -> tuple[Positions, Votes]:
    """The rows that a classifier can use and their votes, or as many of them as may be, evenly spread."""
    import numpy as np

    from shortlist.votes import Votes

    if not parts.covered:
        raise BadFit("no labeler votes on any row: there is nothing to train a classifier on")
    usable = np.cumsum([0, *(part.rows if all_rows else part.covered for part in parts.parts)])
    total = int(usable[-1])
    wanted = np.arange(total) if total <= most else np.linspace(0, total - 1, most).astype(np.int64)
    rows, votes = [], []
    for number, start in enumerate(parts.starts[:-1]):
        here = wanted[(wanted >= usable[number]) & (wanted < usable[number + 1])] - usable[number]
        if len(here):
            part = parts.part(number)
            places = here if all_rows else np.flatnonzero(part.covered)[here]
            rows.append(places + start)
            votes.append(part[places])
    return np.concatenate(rows), Votes.concat(votes)


def _left_out(trained: int, parts: VoteParts, all_rows: bool) -> Iterator[str]:
    """A note where some rows that could be learned from were not."""
    count = len(parts) if all_rows else parts.covered
    if trained < count:
        rows = "rows with a vote" if count == parts.covered else "rows"
        yield f"trained on {trained:,} of {count:,} {rows} (classifier.max_rows), evenly spread"
