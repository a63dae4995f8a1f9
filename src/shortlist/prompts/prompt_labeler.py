"""ask() and choose(): a question to a language model as a labeler. Its answers are mapped to shortlists.

    lm = HTTP("http://localhost:8080/v1", "qwen3-4b")
    people = ask("Does it ask for a person?\\n{text}", yes="person", no=Not("person"), model=lm)
    kind = choose("{text}\\nThe answer is a", {" number": "number", " name": {"person", "place"}}, model=lm)

The model is asked for the log-probability of every choice. These scores are stored; votes are computed from them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import polars as pl

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler, BadRows
from shortlist.labelers import Labeler, Parts, labeler_kind
from shortlist.labelers.answers import Ballot, Codebook, Said, plain_answer
from shortlist.labelers.features import Columns
from shortlist.labelers.labeler import AllRows
from shortlist.labelspace import as_written, is_missing, names_in
from shortlist.models import Model, as_model, model_from_record
from shortlist.progress import Tell
from shortlist.prompts.answer_map import AnswerMap, checked_margin, mean_scores
from shortlist.prompts.asking import Asking
from shortlist.prompts.score_store import SCORES_FILE, ScoreStore, open_scores, prompt_keys, temporary_scores
from shortlist.rows import Chunk


@dataclass(frozen=True)
class Template:
    """A text with names of columns in braces: the texts between them, one more than columns."""

    texts: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def parse(cls, source: Any, name: str, option: str) -> Template:
        """Parse a template: {column} is filled in, {{ and }} are braces."""
        if not isinstance(source, str) or not source.strip():
            raise BadLabeler(f"labeler {name!r}: {option} is a text; got {source!r}", labeler=name, option=(option,))
        texts, columns = [""], []
        try:
            for text, column, rest, _ in Formatter().parse(source):
                texts[-1] += text
                if column is not None:
                    columns.append(f"{column}:{rest}".rstrip(":").strip())
                    texts.append("")
            if "" in columns:
                raise ValueError("a pair of braces names no column")
        except ValueError as error:
            remedy = "columns are written {text}, braces themselves {{ and }}"
            message = f"labeler {name!r}: {option}: {error}; {remedy}"
            raise BadLabeler(message, labeler=name, option=(option,)) from error
        return cls(tuple(texts), tuple(columns))

    def fill(self, chunk: Chunk, on: str | None) -> list[str | None]:
        """The text for each row, None if the row lacks a column. `on` is the column that {text} means."""
        filled: list[str | None] = [self.texts[0]] * len(chunk)
        for column, after in zip(self.columns, self.texts[1:], strict=True):
            cells = _texts(chunk, column, on)
            filled = [
                None if before is None or cell is None else f"{before}{cell}{after}"
                for before, cell in zip(filled, cells, strict=True)
            ]
        return filled


def _texts(chunk: Chunk, column: str, on: str | None) -> Sequence[str | None]:
    """A column as texts, None for missing values."""
    values = column_values(chunk, column, on)
    if all(value.__class__ is str for value in values):
        return values
    for row, value in enumerate(values, chunk.start):
        if not isinstance(value, (str, int, float)) and not is_missing(value):
            kind = type(value).__name__
            message = f"column {column!r} of row {row} holds {kind}, not text or a number"
            raise BadRows(message, row=row, column=column)
    return [None if is_missing(value) else str(value) for value in values]


def column_values(chunk: Chunk, column: str, on: str | None) -> Sequence[Any]:
    """A column. {text} is the column `on`, the only one of text, or the row itself, if no column is called "text"."""
    if column == "text" and "text" not in chunk.columns:
        return chunk.text(on).to_list()
    if chunk.frame is not None and chunk.frame.schema.get(column) == pl.String:
        return chunk.text(column).to_list()  # a missing text is none here, not an empty one
    return chunk.values(column)


@dataclass(frozen=True, eq=False)
class PromptLabeler(Labeler):
    """A prompt as a labeler. Made by `ask()` and `choose()`."""

    name: str
    template: Template
    map: AnswerMap
    model: Model
    margin: float = 0.0
    widen: bool = False
    calibrate: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)  # as it was written: its record, less the model
    unnamed: bool = False  # whether the user set no name
    on: str | None = None  # the column that {text} means
    kept: Path | None = None  # the file of scores
    offsets: tuple[float, ...] | None = None  # the mean scores that calibration subtracts
    ready: bool = False  # whether the model was asked about all rows, so that voting is reading

    @property
    def says(self) -> Said:  # type: ignore[override]
        return self.map.says(self.widen)

    def __repr__(self) -> str:
        answers = zip(self.map.choices, self.map.meanings, strict=True)
        shown = ", ".join(f"{choice!r} → {as_written(m) if m else 'abstain'}" for choice, m in answers)
        return f"<labeler {self.name}: {shown}; asks {self.model.id}>"

    def record(self) -> dict[str, Any]:
        """Its settings, but for the model."""
        return dict(self.settings)

    def fingerprint_parts(self) -> Parts:
        data = [{**self.settings, "on": self.on}, self.model.id, self.map.choices, self.offsets]
        return Parts(data, (self.model,) if self.model.is_code else ())

    def on_text(self, column: str) -> PromptLabeler:
        return replace(self, on=column) if self.on is None else self

    def with_default_name(self, variable: str) -> PromptLabeler:
        return replace(self, name=variable, settings={**self.settings, "name": variable}) if self.unnamed else self

    def bind_to_project(self, hidden: Path, encoder: str | None = None) -> PromptLabeler:  # noqa: ARG002
        return replace(self, kept=hidden / SCORES_FILE) if self.model.kept is None else self

    def prepare(self, rows: AllRows) -> PromptLabeler:
        """Ask about all rows whose scores are not stored; from then on, voting is reading."""
        ready = replace(self, kept=self.scores_file, ready=True)
        chunks, count = rows.read()
        ready._ask(chunks, count, rows.tell)
        mean = mean_scores([ready.scores(chunk) for chunk in rows.read()[0]]) if self.calibrate else None
        return ready if mean is None else replace(ready, offsets=tuple(float(one) for one in mean))

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot = Ballot(codebook)
        rows = ballot.read(columns.chunk, self._asked, raise_errors=columns.raise_errors)
        missing = np.full(len(self.map.choices), np.nan)
        scores = rows if isinstance(rows, np.ndarray) else np.array([missing if row is None else row for row in rows])
        codes = np.array([0, *(codebook.resolve(answer) for answer in self.says)], codebook.dtype)
        ballot.codes = codes[self.decide(scores)]
        return ballot

    # -- scores ----------------------------------------------------------------------------------------

    @property
    def scores_file(self) -> Path:
        if self.kept is not None:
            return self.kept
        return temporary_scores(os.getpid()) if self.model.kept is None else Path(self.model.kept)

    @property
    def store(self) -> ScoreStore:
        return open_scores(self.scores_file)

    def prompts(self, chunk: Chunk) -> list[str | None]:
        """The prompt of each row; None if a column is missing."""
        return self.template.fill(chunk, self.on)

    def scores(self, chunk: Chunk) -> Floats:
        """(rows, choices): the stored scores, NaN where there are none. Nothing is asked."""
        key = prompt_keys(self.model.id, self.map.choices)
        keys = [b"" if prompt is None else key(prompt) for prompt in self.prompts(chunk)]
        return self.store.read(keys, len(self.map.choices))

    def _asked(self, chunk: Chunk) -> Floats:
        """(rows, choices): the scores; those that are not stored are asked for."""
        if self.calibrate and not self.ready:
            raise BadLabeler(
                f"labeler {self.name!r} is to be calibrated, which needs all rows: give them as a list or a table",
                labeler=self.name, option=("calibrate",),
            )  # fmt: skip
        if not self.ready:
            self._ask([chunk])
        return self.scores(chunk)

    def _ask(self, chunks: Iterable[Chunk], count: int | None = None, tell: Tell | None = None) -> None:
        asking = Asking(self.name, self.model, self.map.choices, self.store, count, tell)
        asking.ask(self.prompts(chunk) for chunk in chunks)

    def decide(self, scores: Floats) -> Any:
        """(rows,): the place of the answer in `says`, from 1; 0 abstains."""
        offsets = None if self.offsets is None else np.array(self.offsets)
        return self.map.decide(scores, self.margin, self.widen, offsets)


@labeler_kind("ask")
def ask(
    question: str,
    yes: Any = None,
    no: Any = None,
    *,
    model: Any,
    margin: float = 0.0,
    calibrate: bool = False,
    on: str | None = None,
    name: str | None = None,
) -> PromptLabeler:
    """A yes/no question to a language model as a labeler: `yes` where the model says yes, `no` where it says no.

    question    a template: {column} is filled in, and {text} is the row's text. "Answer yes or no:" is put below it
    yes, no     shortlists; without one of them, that answer abstains
    model       a language model (`shortlist.models`)
    margin      how much likelier the answer must be than the other, from 0 to below 1; else it abstains
    calibrate   take each answer's mean score over all rows off first
    on          the column that {text} means, where it is not the only one
    """
    label = name or _short(question)
    if yes is None and no is None:
        raise BadLabeler(f"labeler {label!r} says nothing: give yes=…, no=…, or both", labeler=label)
    options = {"margin": margin, "calibrate": calibrate}
    record = {"kind": "ask", "name": label, "question": question, "yes": yes, "no": no}
    made = _prompt_labeler(record, "question", {" yes": yes, " no": no}, model, options, on, unnamed=not name)
    *texts, last = made.template.texts
    return replace(made, template=replace(made.template, texts=(*texts, f"{last}\nAnswer yes or no:")))


@labeler_kind("choose")
def choose(
    prompt: str,
    answers: Mapping[str, Any],
    *,
    model: Any,
    margin: float = 0.0,
    widen: bool = False,
    calibrate: bool = False,
    on: str | None = None,
    name: str | None = None,
) -> PromptLabeler:
    """A choice of a language model as a labeler: the shortlist of the choice that is likeliest to follow the prompt.

    prompt      a template: {column} is filled in, and {text} is the row's text
    answers     choice → shortlist, or None where that choice abstains. Choices usually begin with a blank
    model       a language model (`shortlist.models`)
    margin      how much likelier the best answer must be than the next, from 0 to below 1; else it abstains
    widen       say the two best shortlists together instead, where the best does not lead by the margin
    calibrate   take each choice's mean score over all rows off first
    on          the column that {text} means, where it is not the only one
    """
    label = name or _short(prompt)
    options = {"margin": margin, "widen": widen, "calibrate": calibrate}
    record = {"kind": "choose", "name": label, "prompt": prompt, "answers": answers}
    return _prompt_labeler(record, "prompt", answers, model, options, on, unnamed=not name)


def _short(template: Any) -> str:
    """A name for a labeler without one: the beginning of its prompt."""
    return " ".join(str(template).split())[:60]


def _prompt_labeler(
    record: Mapping[str, Any],
    option: str,
    answers: Any,
    model: Any,
    options: Mapping[str, Any],
    on: str | None,
    *,
    unnamed: bool,
) -> PromptLabeler:
    """Check the settings of a labeler, whose template is under the name `option` of its record."""
    name = record["name"]
    template, answer_map = Template.parse(record[option], name, option), AnswerMap.of(answers, name)
    model = model_from_record(model) if isinstance(model, Mapping) else as_model(model)
    if not template.columns:
        problem = f"labeler {name!r}: the {option} never shows the row, so all rows would get the same vote"
        raise BadLabeler(
            f"{problem}: add {{text}}, or the name of another column in braces", labeler=name, option=(option,)
        )
    options = {**options, "margin": checked_margin(options["margin"], name)}
    changed = {key: value for key, value in options.items() if value not in (0.0, False, None)}
    settings = {**{key: _plain(value) for key, value in record.items() if value is not None}, **changed}
    return PromptLabeler(name, template, answer_map, model, **options, settings=settings, on=on, unnamed=unnamed)


def _plain(value: Any) -> Any:
    """Answers as plain data; a text as it is."""
    if isinstance(value, Mapping):
        return {key: None if answer is None else plain_answer(names_in(answer)) for key, answer in value.items()}
    return value if isinstance(value, str) else plain_answer(names_in(value))
