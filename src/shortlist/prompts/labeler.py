"""ask() and choose(): a question to a language model as a labeler. Its answers are mapped to shortlists.

    lm = HTTP("http://localhost:8080/v1", "qwen3-4b")
    people = ask("Does it ask for a person?\\n{text}", yes="person", no=Not("person"), model=lm)
    kind = choose("{text}\\nThe answer is a", {" number": "number", " name": {"person", "place"}}, model=lm)

The model is asked for the log-probability of every choice. These scores are kept; votes are decided from them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler, BadRows
from shortlist.labelers import Labeler, Parts, labeler_kind
from shortlist.labelers.all_rows import AllRows
from shortlist.labelers.answers import Codebook, Said, plain_answer, show_answer
from shortlist.labelers.ballot import Ballot
from shortlist.labelers.features import Columns
from shortlist.labelspace import Not, Shortlist, names_in
from shortlist.models import Model, Prompt, as_model, model_from_record
from shortlist.prompts.answer_map import AnswerMap, checked_margin, mean_scores
from shortlist.prompts.asking import Asking
from shortlist.prompts.kept_scores import NAME, KeptScores, Keys, open_kept, until_python_ends
from shortlist.prompts.template import Template, column_values
from shortlist.rows import Chunk
from shortlist.rows.chunk import is_missing

YES, NO = " yes", " no"
ENDING = "\nAnswer yes or no:"


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
    image: str | None = None  # the column of pictures
    settings: Mapping[str, Any] = field(default_factory=dict)  # as it was written: its record, less the model
    unnamed: bool = False  # whether nobody gave it a name
    on: str | None = None  # the column that {text} means
    folder: Path = Path()  # where pictures are, if their names do not say
    kept: Path | None = None  # where scores are kept
    offsets: tuple[float, ...] | None = None  # the mean scores that calibration takes off
    ready: bool = False  # whether the model was asked about all rows, so that voting is reading

    @property
    def says(self) -> Said:  # type: ignore[override]
        return self.map.says(self.widen)

    def __repr__(self) -> str:
        answers = zip(self.map.choices, self.map.meanings, strict=True)
        shown = ", ".join(f"{choice!r} → {show_answer(m) if m else 'abstain'}" for choice, m in answers)
        return f"<labeler {self.name}: {shown}; asks {self.model.id}>"

    # -- as a labeler ----------------------------------------------------------------------------------

    def record(self) -> dict[str, Any] | None:
        model = self.model.record()
        return None if model is None else {**self.settings, "model": model}

    def fingerprint_parts(self) -> Parts:
        data = [{**self.settings, "on": self.on}, self.model.id, self.map.choices, self.offsets]
        return Parts(data, () if self.model.record() is not None else (self.model,))

    def on_text(self, column: str) -> PromptLabeler:
        return replace(self, on=column) if self.on is None else self

    def named_by(self, variable: str) -> PromptLabeler:
        return replace(self, name=variable, settings={**self.settings, "name": variable}) if self.unnamed else self

    def at_home(self, folder: Path, hidden: Path) -> PromptLabeler:
        return replace(self, folder=folder, kept=hidden / NAME if self.model.kept is None else self.kept)

    def before(self, rows: AllRows) -> PromptLabeler:
        """Ask about all rows that are not known yet; from then on, voting is reading."""
        here = replace(self, kept=self.place, ready=True)
        Asking(here, here.store, rows.count, rows.tell).ask(rows.chunks())
        if not self.calibrate:
            return here
        mean = mean_scores([here.scores(chunk) for chunk in rows.chunks()])
        return here if mean is None else replace(here, offsets=tuple(float(one) for one in mean))

    def vote(self, columns: Columns, codebook: Codebook) -> Ballot:
        ballot = Ballot(codebook)
        try:
            scores = self._asked(columns.chunk)
        except BadRows:
            if columns.raise_errors:
                raise
            c = len(self.map.choices)
            found = ballot.row_by_row(columns.chunk, self._asked)
            scores = np.concatenate([np.full((1, c), np.nan) if one is None else one for one in found])
        codes = np.array([0, *(codebook.resolve(answer) for answer in self.says)], codebook.dtype)
        ballot.codes = codes[self.decide(scores)]
        return ballot

    def __call__(self, row: Any) -> Shortlist | Not | None:
        place = int(self.decide(self._asked(Chunk(0, [row])))[0])
        return self.says[place - 1] if place else None

    # -- scores ----------------------------------------------------------------------------------------

    @property
    def place(self) -> Path:
        """The file in which its scores are kept."""
        if self.kept is not None:
            return self.kept
        return until_python_ends(os.getpid()) if self.model.kept is None else Path(self.model.kept)

    @property
    def store(self) -> KeptScores:
        return open_kept(self.place)

    @cached_property
    def _keys(self) -> Keys:
        return Keys(self.model.id, self.map.choices)

    def prompts(self, chunk: Chunk) -> Sequence[str | None]:
        """What the model is asked about each row, with its picture if there is one; None where something is missing."""
        texts = self.template.fill(chunk, self.on)
        if self.image is None:
            return texts
        pairs = zip(texts, self._images(chunk), strict=True)
        return [None if text is None or image is None else Prompt(text, image) for text, image in pairs]

    def _images(self, chunk: Chunk) -> list[bytes | None]:
        assert self.image is not None
        return [_picture(value, self.image, self.folder) for value in column_values(chunk, self.image, self.on)]

    def scores(self, chunk: Chunk) -> Floats:
        """(rows, choices): the scores that are kept, NaN where there are none. Nothing is asked."""
        prompts = self.prompts(chunk)
        keys = [b"" if prompt is None else self._keys.of(prompt) for prompt in prompts]
        return self.store.read(keys, len(self.map.choices))[0]

    def _asked(self, chunk: Chunk) -> Floats:
        """The scores of a chunk; what is not known is asked for."""
        if self.calibrate and not self.ready:
            raise BadLabeler(
                f"labeler {self.name!r} is to be calibrated, which needs all rows: give them as a list or a table",
                labeler=self.name, option=("calibrate",),
            )  # fmt: skip
        if not self.ready:
            Asking(self, self.store).ask([chunk])
        return self.scores(chunk)

    def decide(self, scores: Floats) -> Any:
        """(rows,): the place in `says`, from 1, of what is said; 0 abstains."""
        offsets = None if self.offsets is None else np.array(self.offsets)
        return self.map.decide(scores, self.margin, self.widen, offsets)


def _picture(value: Any, column: str, folder: Path) -> bytes | None:
    """The bytes of a picture: given as such, or in a file of that name."""
    if isinstance(value, bytes) or is_missing(value):
        return None if is_missing(value) else value
    if isinstance(value, (str, os.PathLike)):
        try:
            return (folder / value).read_bytes()
        except OSError as error:
            raise BadRows(f"picture {str(value)!r} cannot be read ({error.strerror})", column=column) from error
    raise BadRows(f"column {column!r} holds {type(value).__name__}, not the name of a picture file or its bytes",
                  column=column)  # fmt: skip


@labeler_kind("ask")
def ask(
    question: str,
    yes: Any = None,
    no: Any = None,
    *,
    model: Any,
    margin: float = 0.0,
    widen: bool = False,
    calibrate: bool = False,
    image: str | None = None,
    on: str | None = None,
    name: str | None = None,
) -> PromptLabeler:
    """A yes/no question to a language model as a labeler: `yes` where the model says yes, `no` where it says no.

    question    a template: {column} is filled in, and {text} is the row's text. "Answer yes or no:" is put below it
    yes, no     shortlists; without one of them, that answer abstains
    model       a language model (`shortlist.models`)
    margin      how much likelier the answer must be than the other, from 0 to below 1; else it abstains
    calibrate   take each answer's mean score over all rows off first
    image       a column of pictures, for models that see
    on          the column that {text} means, where it is not the only one
    """
    unnamed, name = not name, name or _short(question)
    if yes is None and no is None:
        raise BadLabeler(f"labeler {name!r} says nothing: give yes=…, no=…, or both", labeler=name)
    given = {"question": question, "yes": yes, "no": no}
    options = {"margin": margin, "widen": widen, "calibrate": calibrate, "image": image}
    template = Template.parse(question, name, "question")
    ended = replace(template, texts=(*template.texts[:-1], template.texts[-1] + ENDING))
    made = _labeler("ask", name, ended, AnswerMap.of({YES: yes, NO: no}, name), model, given, options, on)
    return replace(made, unnamed=unnamed)


@labeler_kind("choose")
def choose(
    prompt: str,
    answers: Mapping[str, Any],
    *,
    model: Any,
    margin: float = 0.0,
    widen: bool = False,
    calibrate: bool = False,
    image: str | None = None,
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
    image       a column of pictures, for models that see
    on          the column that {text} means, where it is not the only one
    """
    unnamed, name = not name, name or _short(prompt)
    options = {"margin": margin, "widen": widen, "calibrate": calibrate, "image": image}
    template = Template.parse(prompt, name, "prompt")
    given = {"prompt": prompt, "answers": dict(answers) if isinstance(answers, Mapping) else answers}
    made = _labeler("choose", name, template, AnswerMap.of(answers, name), model, given, options, on)
    return replace(made, unnamed=unnamed)


def _short(template: Any) -> str:
    """A name for a labeler that was given none: the beginning of its prompt."""
    return " ".join(str(template).split())[:60]


def _labeler(
    kind: str,
    name: str,
    template: Template,
    answers: AnswerMap,
    model: Any,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
    on: str | None,
) -> PromptLabeler:
    made = model_from_record(model) if isinstance(model, Mapping) else as_model(model)
    image = options["image"]
    if image is None and not template.columns:
        _raise_blind(name, "question" if kind == "ask" else "prompt")
    if image is not None and not made.takes_images:
        raise BadLabeler(f"labeler {name!r}: model {made.id!r} takes no pictures", labeler=name, option=("image",))
    checked = {**options, "margin": checked_margin(options["margin"], name)}
    told = {key: value for key, value in checked.items() if value not in (0.0, False, None)}
    settings = {"kind": kind, "name": name, **{k: _plain(v) for k, v in given.items() if v is not None}, **told}
    return PromptLabeler(name, template, answers, made, **checked, settings=settings, on=on)


def _raise_blind(name: str, option: str) -> NoReturn:
    message = f"labeler {name!r}: the {option} never shows the row, so all rows would get the same vote: add {{text}}"
    raise BadLabeler(f"{message}, or the name of another column in braces", labeler=name, option=(option,))


def _plain(value: Any) -> Any:
    """Answers as plain data; any other value as it is."""
    if isinstance(value, Mapping):
        return {key: None if one is None else _plain_answer(one) for key, one in value.items()}
    return value if isinstance(value, str) else _plain_answer(value)


def _plain_answer(answer: Any) -> Any:
    return plain_answer(names_in(answer))
