"""train and predict: a classifier that learns from the beliefs, and what it predicts about rows."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shortlist.classifier.kinds import find_kind, learns_from_uncovered
from shortlist.errors import BadFit, ShortlistError
from shortlist.progress import Tell
from shortlist.project.session import Session
from shortlist.project.settings import Settings, belongs
from shortlist.project.stages.fit import right_on_gold
from shortlist.project.stages.stage import Facts, Stage, warnings_as_notes
from shortlist.wording import did_you_mean, number_of

if TYPE_CHECKING:
    import polars as pl

    from shortlist.arrays import Positions
    from shortlist.project.rows import Rows
    from shortlist.votes import Votes
    from shortlist.votes.vote_parts import VoteParts


class Train(Stage):
    name = "train"
    help = "Train the classifier on the beliefs."
    needs = ("vote", "fit")

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        kind = find_kind(settings.classifier.kind)
        return (f"classifier{kind.suffix if kind else ''}",)

    def key(self, session: Session) -> Any:
        return [session.data_digests(), asdict(session.settings.data), asdict(session.settings.classifier)]

    def disabled_reason(self, settings: Settings) -> ShortlistError | None:
        return no_classifier(settings)

    def skip_reason(self, session: Session) -> str | None:
        data = session.settings.data
        if data.text is None and not data.features and not session.settings.classifier.on:
            return (
                "[data] names neither text nor features, so there is nothing for a classifier to read: write text or "
                "features there to train one"
            )
        if session.state.records["vote"].facts["covered"]:
            return None
        return "no labeler votes on any row yet, so there is nothing to train a classifier on"

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        settings, parts = session.settings, session.parts
        made = make_classifier(settings, session.listener.tell)
        all_rows = learns_from_uncovered(made)
        chosen, votes = training_rows(parts, settings.classifier.max_rows, all_rows=all_rows)
        inputs = classifier_inputs(settings, session.rows.take(chosen, read_columns(settings)))
        notes: list[str] = []
        with warnings_as_notes(notes):
            beliefs = session.model.predict_proba(votes)
            with option_errors(settings):
                trained = made.fit(inputs, beliefs, covered=votes.covered, classes=votes.space)
        trained.save(paths[0])
        session.results[self.name] = trained
        return {"trained_on": len(chosen), "notes": [*notes, *_left_out(len(chosen), parts, all_rows)]}

    def load(self, paths: Sequence[Path], settings: Settings) -> Any:
        return classifier_class(settings).load(paths[0])

    def summary(self, facts: Facts) -> str:
        return f"trained on {number_of(facts['trained_on'], 'row')}"

    def is_poor(self, facts: Facts) -> bool:
        return bool(facts["trained_on"] < 30)


def no_classifier(settings: Settings) -> ShortlistError | None:
    """Error of settings without a classifier."""
    if settings.classifier.kind != "none":
        return None
    return settings.toml.wrong('no classifier is wanted: [classifier] kind is "none"', "classifier", "kind")


def training_rows(parts: VoteParts, most: int, *, all_rows: bool) -> tuple[Positions, Votes]:
    """Rows that a classifier can use and their votes, or `most` of them, evenly spread."""
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
    """Note that some usable rows were left out."""
    count = len(parts) if all_rows else parts.covered
    if trained < count:
        rows = "rows with a vote" if count == parts.covered else "rows"
        yield f"trained on {trained:,} of {count:,} {rows} (classifier.max_rows), evenly spread"


# -- predict ---------------------------------------------------------------------------------------------


class Predict(Stage):
    name = "predict"
    help = "Classify rows with the trained classifier."
    needs = ("train",)

    def outputs(self, settings: Settings) -> tuple[str, ...]:
        return (f"predictions.{settings.output.format}",)

    def key(self, session: Session) -> Any:
        data, output = session.settings.data, session.settings.output
        return [session.data_digests(), session.gold_digest(), asdict(data), output.format, output.shortlist]

    def disabled_reason(self, settings: Settings) -> ShortlistError | None:
        return no_classifier(settings)

    def size(self, session: Session) -> int:
        return len(session.rows)

    def do(self, session: Session, paths: Sequence[Path]) -> Facts:
        return predict_rows(session, session.rows, paths[0], session.gold_by_row)

    def summary(self, facts: Facts) -> str:
        return f"{number_of(facts['rows'], 'row')}{right_on_gold(facts)}"


def predict_rows(session: Session, rows: Rows, path: Path, gold_by_row: Mapping[int, int] | None = None) -> Facts:
    """Stream rows through the classifier into a file; score those of known class.

    `gold_by_row` are labels made by people, row → position; they count before the gold column.
    """
    from shortlist.beliefs import LabelTable
    from shortlist.project.gold import gold_by_part
    from shortlist.rows import write_table

    settings, classifier = session.settings, session.classifier
    for read in (session.rows, rows):
        read.refuse_to_overwrite(path)
    classes = [str(name) for name in classifier.classes_]
    table = LabelTable(classes, rows.key(), held=settings.output.shortlist, voted=False)
    counts: Counter[bool] = Counter()  # right and wrong rows of known class

    def frames() -> Iterator[pl.DataFrame]:
        known = gold_by_part(rows, settings.classes, gold_by_row or {})
        for segment, keys, gold in zip(rows.segments(read_columns(settings)), rows.key_parts(), known, strict=True):
            frame = table.frame(keys, classifier.predict_proba(classifier_inputs(settings, segment.frame)))
            pairs = zip(frame["class"].to_list(), () if gold is None else gold.tolist(), strict=gold is not None)
            counts.update(name == settings.classes[j] for name, j in pairs if j >= 0)
            session.listener.advance(len(frame))
            yield frame

    write_table(path, frames(), table.schema)
    scores = {"accuracy": counts[True] / counts.total(), "gold_rows": counts.total()} if counts else {}
    return {"rows": len(rows)} | scores


# -- the classifier --------------------------------------------------------------------------------------


def make_classifier(settings: Settings, tell: Tell | None = None) -> Any:
    """The classifier with the options of the settings, not fitted yet. `tell` becomes its progress callback."""
    made, options = classifier_class(settings), dict(settings.classifier.options)
    if settings.classifier.on:
        options["on"] = list(settings.classifier.on)
    known = [name for name in inspect.signature(made).parameters if name != "self"]
    for name in options:
        if name not in known:
            raise settings.toml.wrong(
                f"classifier.{name} is no option of {made.__name__}."
                f"{belongs(name, 'classifier') or did_you_mean(name, known)} "
                f"Options: {', '.join(known)}", "classifier", name,
            )  # fmt: skip
    if tell is not None and "progress" in known:
        options.setdefault("progress", tell)
    with option_errors(settings):
        return made(**options)


@contextmanager
def option_errors(settings: Settings) -> Iterator[None]:
    """Add the line of the settings to an error about an option."""
    try:
        yield
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(error.message, "classifier", *error.option) from error
    except (TypeError, ValueError) as error:
        if not settings.classifier.options:
            raise
        options = ", ".join(settings.classifier.options)
        what = f"{type(error).__name__}: {error}"
        message = f"the classifier cannot work with {options} as given: {what}"
        raise settings.toml.wrong(message, "classifier") from error


def classifier_class(settings: Settings) -> Any:
    kind = find_kind(settings.classifier.kind)
    if kind is None:
        raise settings.toml.wrong(f"there is no classifier of kind {settings.classifier.kind!r}", "classifier", "kind")
    return kind.find()


def read_columns(settings: Settings) -> list[str]:
    """Columns that the classifier reads: text, unless its kind reads numbers only or there is no text."""
    data, kind, on = settings.data, find_kind(settings.classifier.kind), settings.classifier.on
    if on:
        return list(on)
    if data.text is None and not data.features:
        raise settings.toml.wrong(
            '[data] names neither text nor features, so there is nothing for a classifier to read: write text = "…", '
            'features = ["…"], or kind = "none" under [classifier]', "data",
        )  # fmt: skip
    if data.text is None or (kind is not None and kind.reads == "numbers"):
        return list(data.features)
    return [data.text]


def classifier_inputs(settings: Settings, frame: pl.DataFrame) -> Any:
    """Texts, a table of the columns of text that the classifier joins, or a matrix of numbers."""
    if settings.classifier.on:
        return frame
    text = settings.data.text
    return frame[text].to_list() if text in frame.columns else numbers(frame)


def numbers(frame: pl.DataFrame) -> Any:
    """Columns of numbers as a matrix, 0 for empty cells."""
    import polars as pl

    try:
        return frame.cast(pl.Float64).fill_null(0.0).to_numpy()
    except pl.exceptions.PolarsError as error:
        raise ShortlistError(f"features are columns of numbers: {' '.join(str(error).split())[:200]}") from error
