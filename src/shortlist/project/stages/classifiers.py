"""The classifier that shortlist.toml asks for, and what it reads of the rows."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl

from shortlist.classifier.kinds import find_kind
from shortlist.errors import ShortlistError
from shortlist.progress import Tell
from shortlist.project.settings import Settings, belongs
from shortlist.wording import did_you_mean


def make_classifier(settings: Settings, tell: Tell | None = None) -> Any:
    """The classifier with the options of the toml, not fitted yet. `tell` is told how it learns, where it can tell."""
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
    with options_told(settings):
        return made(**options)


@contextmanager
def options_told(settings: Settings) -> Iterator[None]:
    """An option that a classifier cannot work with is told at its line, or at that of [classifier]."""
    try:
        yield
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(error.message, "classifier", *error.option) from error
    except (TypeError, ValueError) as error:
        if not settings.classifier.options:
            raise
        given = ", ".join(settings.classifier.options)
        what = f"{type(error).__name__}: {error}"
        raise settings.toml.wrong(f"the classifier cannot work with {given} as given: {what}", "classifier") from error


def classifier_class(settings: Settings) -> Any:
    kind = find_kind(settings.classifier.kind)
    if kind is None:
        raise settings.toml.wrong(f"there is no classifier of kind {settings.classifier.kind!r}", "classifier", "kind")
    return kind.find()


def read_columns(settings: Settings) -> list[str]:
    """The columns that the classifier reads: those of text, unless its kind reads numbers only or there are none."""
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
    """Columns of numbers as a matrix, 0 where there is none."""
    try:
        return frame.cast(pl.Float64).fill_null(0.0).to_numpy()
    except pl.exceptions.PolarsError as error:
        raise ShortlistError(f"features are columns of numbers: {' '.join(str(error).split())[:200]}") from error
