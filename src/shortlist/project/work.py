"""Work: what is done in each stage, once it is out of date."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from shortlist.beliefs import LabelTable
from shortlist.classifier.kinds import find_kind, learns_from_uncovered
from shortlist.errors import BadFit, FitWarning, ShortlistError
from shortlist.project.code.roster import Roster
from shortlist.project.kept.columns import VoteColumns
from shortlist.project.listener import Listener
from shortlist.project.rows import Rows
from shortlist.project.settings import Settings
from shortlist.project.voting import vote
from shortlist.rows import write_table
from shortlist.votes import Votes
from shortlist.wording import did_you_mean

if TYPE_CHECKING:
    from shortlist.project.project import Project

Facts = dict[str, Any]


def do(project: Project, stage: str, path: Path, listener: Listener, *, again: bool) -> Facts:
    """Write the output of a stage; what it found comes back. Done `again`, every labeler is asked again, too."""
    if stage == "vote" and again:
        VoteColumns(project.hidden / "votes").forget(project.roster.fingerprints)
    return _WORK[stage](project, path, listener)


def _vote(project: Project, path: Path, listener: Listener) -> Facts:
    rows, roster = project.rows, project.roster
    listener.begin("vote", len(rows))
    columns = VoteColumns(project.hidden / "votes")
    votes, asked = vote(roster, rows, columns, listener.advance)
    votes.save(path)
    return vote_facts(votes, asked, roster)


def vote_facts(votes: Votes, asked: tuple[str, ...], roster: Roster) -> Facts:
    failed = [f"labeler {name!r} failed on {failure.count:,} rows and abstained there: {_last_line(failure.first)}"
              for name, failure in zip(votes.names, votes.failures, strict=True) if failure]  # fmt: skip
    return {
        "rows": len(votes),
        "labelers": len(votes.names),
        "asked": list(asked),
        "covered": float(votes.covered.mean()),
        "notes": [*(roster.code.notes if roster.code else ()), *failed],
    }


def _last_line(trace: str) -> str:
    return trace.strip().splitlines()[-1] if trace.strip() else ""


def _fit(project: Project, path: Path, listener: Listener) -> Facts:
    listener.begin("fit")
    votes, notes = project.load_votes(), list[str]()
    gold = project.gold() if project.settings.gold_fits else None
    with noted(notes):
        model = fit_model(project.settings, votes, gold)
    model.save(path)
    facts: Facts = {"notes": notes, "gold_used": gold is not None}
    for name in ("n_iter_", "converged_"):
        if hasattr(model, name):
            facts[name.rstrip("_")] = getattr(model, name)
    known = project.gold()
    if known is not None:
        facts["accuracy"] = model.score(votes, known)
    return facts


def fit_model(settings: Settings, votes: Votes, gold: Any) -> Any:
    """The label model with the options of the toml, fitted; an option that cannot be is told at its line."""
    from shortlist.labelmodel import LabelModel

    try:
        return LabelModel.from_options(settings.label_model).fit(votes, gold)
    except ShortlistError as error:
        if not error.option:
            raise
        raise settings.toml.wrong(str(error), "label_model", *error.option) from error


def check_options(settings: Settings, table: str, made: Any, options: Any) -> None:
    """Every option is one that the class takes."""
    known = [name for name in inspect.signature(made).parameters if name != "self"]
    for name in options:
        if name not in known:
            raise settings.toml.wrong(
                f"{table}.{name} is no option of {made.__name__}.{did_you_mean(name, known)} "
                f"Options: {', '.join(known)}", *table.split("."), name,
            )  # fmt: skip


@contextmanager
def noted(notes: list[str]) -> Iterator[None]:
    """Warnings become notes."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", FitWarning)
        yield
    notes += dict.fromkeys(str(one.message) for one in warned if issubclass(one.category, Warning))


def _check(project: Project, path: Path, listener: Listener) -> Facts:
    from shortlist.identifiability import diagnose
    from shortlist.project.kept.state import write_json

    listener.begin("check")
    found = diagnose(project.load_votes())
    write_json(path, found.to_dict())
    return {"identifiable": found.identifiable, "findings": found.findings}


def _report(project: Project, path: Path, listener: Listener) -> Facts:
    from shortlist.reporting import report

    listener.begin("report")
    report(project.load_votes(), project.load_model(), project.rows.to_show(), project.gold(), path,
           title=f"What the labelers of {project.folder.resolve().name} do")  # fmt: skip
    return {}


def write_labels(project: Project, path: Path, listener: Listener) -> Facts:
    """Class, belief, margin, shortlist and one belief per class, for every row."""
    project.rows.refuse_to_overwrite(path)
    votes, model = project.load_votes(), project.load_model()
    listener.begin("export", len(votes))
    table = LabelTable(votes.space, project.rows.key(), balance=model.class_balance_,
                       held=project.settings.output.shortlist)  # fmt: skip
    counts: dict[str, int] = {}

    def frames() -> Iterator[pl.DataFrame]:
        start = 0
        for keys in project.rows.key_parts():
            part = votes[start : start + len(keys)]
            frame = table.frame(keys, model.predict_proba(part), (part.codes != 0).sum(axis=1))
            for name, count in frame["class"].drop_nulls().value_counts().iter_rows():
                counts[name] = counts.get(name, 0) + count
            start += len(keys)
            listener.advance(len(keys))
            yield frame

    write_table(path, frames(), table.schema)
    return {"labelled": sum(counts.values()), "classes": {name: counts.get(name, 0) for name in votes.space}}


def _train(project: Project, path: Path, listener: Listener) -> Facts:
    settings, votes, model = project.settings, project.load_votes(), project.load_model()
    made = make_classifier(settings)
    usable = np.ones(len(votes), np.bool_) if learns_from_uncovered(made) else votes.covered
    chosen = training_rows(votes, usable, settings.classifier.max_rows)
    listener.begin("train")
    inputs = classifier_inputs(project, chosen)
    beliefs = model.predict_proba(votes[chosen])
    notes: list[str] = []
    with noted(notes):
        trained = made.fit(inputs, beliefs, covered=votes.covered[chosen], classes=votes.space)
    trained.save(path)
    if len(chosen) < int(usable.sum()):
        rows = "rows" if learns_from_uncovered(made) else "rows with a vote"
        notes.append(f"trained on {len(chosen):,} of {int(usable.sum()):,} {rows} (classifier.max_rows), evenly spread")
    return {"trained_on": len(chosen), "notes": notes}


def training_rows(votes: Votes, usable: npt.NDArray[np.bool_], most: int) -> Any:
    """The rows that a classifier can use, or as many of them as may be, evenly spread."""
    if not votes.covered.any():
        raise BadFit("no labeler votes on any row: there is nothing to train a classifier on")
    rows = np.flatnonzero(usable)
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def classifier_inputs(project: Project, chosen: Any) -> Any:
    """What a classifier reads of some rows."""
    return _inputs(project.settings, project.rows.take(chosen, read_columns(project.settings)))


def _inputs(settings: Settings, frame: pl.DataFrame) -> Any:
    """Texts, a table of the columns of text that the classifier joins, or a matrix of numbers."""
    if settings.classifier.on:
        return frame
    text = settings.data.text
    return frame[text].to_list() if text in frame.columns else numbers(frame)


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


def numbers(frame: pl.DataFrame) -> Any:
    """Columns of numbers as a matrix, 0 where there is none."""
    try:
        return frame.cast(pl.Float64).fill_null(0.0).to_numpy()
    except pl.exceptions.PolarsError as error:
        raise ShortlistError(f"features are columns of numbers: {' '.join(str(error).split())[:200]}") from error


def make_classifier(settings: Settings) -> Any:
    """The classifier that the toml asks for."""
    made, options = classifier_class(settings), dict(settings.classifier.options)
    if settings.classifier.on:
        options["on"] = list(settings.classifier.on)
    check_options(settings, "classifier", made, options)
    return made(**options)


def classifier_class(settings: Settings) -> Any:
    kind = find_kind(settings.classifier.kind)
    if kind is None:
        raise settings.toml.wrong(f"there is no classifier of kind {settings.classifier.kind!r}", "classifier", "kind")
    return kind.find()


def _predict(project: Project, path: Path, listener: Listener) -> Facts:
    listener.begin("predict", len(project.rows))
    return predict_rows(project, project.rows, path, listener)


def predict_rows(project: Project, rows: Rows, path: Path, listener: Listener) -> Facts:
    """Stream rows through the classifier into a file; scored where they hold known classes."""
    for read in (project.rows, rows):
        read.refuse_to_overwrite(path)
    trained, settings = project.load_classifier(), project.settings
    classes = [str(name) for name in trained.classes_]
    table = LabelTable(classes, rows.key(), held=settings.output.shortlist, voted=False)
    gold = rows.gold(settings.classes)
    right = 0

    def frames() -> Iterator[pl.DataFrame]:
        nonlocal right
        keys = rows.key_parts()
        for segment in rows.segments(read_columns(settings)):
            frame = table.frame(next(keys), trained.predict_proba(_inputs(settings, segment.frame)))
            if gold is not None:
                known = gold[segment.start : segment.start + len(frame)]
                right += sum(a == b for a, b in zip(frame["class"], known, strict=True) if b is not None)
            listener.advance(len(frame))
            yield frame

    write_table(path, frames(), table.schema)
    facts: Facts = {"rows": len(rows)}
    if gold is not None:
        known = sum(label is not None for label in gold)
        facts |= {"accuracy": right / known, "gold_rows": known}
    return facts


_WORK = {
    "vote": _vote,
    "fit": _fit,
    "check": _check,
    "export": write_labels,
    "report": _report,
    "train": _train,
    "predict": _predict,
}
