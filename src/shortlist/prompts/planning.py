"""plan(): the cost of asking, before anything is sent. preview(): the answers of a labeler about a few rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from shortlist.errors import BadLabeler
from shortlist.labelers import Labeler
from shortlist.labelspace import as_written
from shortlist.prompts.asking import expected_cost
from shortlist.prompts.prompt_labeler import PromptLabeler
from shortlist.prompts.score_store import prompt_keys
from shortlist.rows import Chunk, chunks
from shortlist.wording import number_of, text_table


@dataclass(frozen=True)
class PlanLine:
    """The cost of one labeler.

    rows      of all rows
    skipped   rows that lack a column of the prompt: they are not asked, and abstain
    known     rows whose score is stored already
    calls     requests to send; rows with the same prompt are asked once. Retries come on top
    tokens    of prompts and answers, by what the model used before, or else at 4 characters a token
    money     by the prices of the model; None where it has none
    seconds   by the time that the model took before; None where it was not asked yet
    """

    labeler: str
    model: str
    rows: int
    skipped: int
    known: int
    calls: int
    tokens: int
    money: float | None
    seconds: float | None


@dataclass(frozen=True)
class Plan:
    """The cost of labelers, one line each. Nothing was sent to compute it."""

    lines: tuple[PlanLine, ...]

    @property
    def calls(self) -> int:
        return sum(line.calls for line in self.lines)

    @property
    def tokens(self) -> int:
        return sum(line.tokens for line in self.lines)

    @property
    def money(self) -> float | None:
        """The cost in money; None if no model has a price."""
        priced = [line.money for line in self.lines if line.money is not None]
        return sum(priced) if priced else None

    @property
    def seconds(self) -> float | None:
        """The time; None if it is not known of some model."""
        times = [line.seconds for line in self.lines if line.calls]
        return None if None in times else sum(filter(None, times))

    @property
    def known(self) -> float:
        """The share of rows to be asked about whose scores are stored already."""
        rows = sum(line.rows - line.skipped for line in self.lines)
        return sum(line.known for line in self.lines) / rows if rows else 1.0

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        named = ("calls", "tokens", "money", "seconds", "known")
        totals = {name: getattr(self, name) for name in named}
        return {**totals, "labelers": [asdict(line) for line in self.lines]}

    @property
    def head(self) -> str:
        """The total, in words."""
        cost = "" if self.money is None else f", about {self.money:.4f} of money"
        time = "time not known yet" if self.seconds is None else f"about {duration(self.seconds)}"
        skipped = " to be asked about" if any(line.skipped for line in self.lines) else ""
        known = f"{self.known:.1%} of the rows{skipped} are known"
        return f"{number_of(self.calls, 'call')}, about {self.tokens:,} tokens{cost}, {time}; {known}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Headers and lines; columns that are empty for every labeler are left out."""
        lines, priced = self.lines, self.money is not None
        columns: dict[str, list[str]] = {
            "labeler": [line.labeler for line in lines],
            "rows": [f"{line.rows:,}" for line in lines],
            "skipped": [f"{line.skipped:,}" for line in lines if any(one.skipped for one in lines)],
            "known": [f"{line.known:,}" for line in lines],
            "calls": [f"{line.calls:,}" for line in lines],
            "tokens": [f"{line.tokens:,}" for line in lines],
            "money": ["–" if line.money is None else f"{line.money:.4f}" for line in lines if priced],
            "time": ["–" if line.seconds is None else duration(line.seconds) for line in lines],
            "model": [line.model for line in lines],
        }
        shown = {header: cells for header, cells in columns.items() if cells}
        return list(shown), [list(row) for row in zip(*shown.values(), strict=True)]

    def __str__(self) -> str:
        return f"{text_table(*self.table())}\n{self.head}"


def duration(seconds: float) -> str:
    """`40 s`, `3 min` or `2.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def plan(labelers: Labeler | Iterable[Any], rows: Any, *, text: str | None = None) -> Plan:
    """Compute the cost of asking about these rows. Labelers that ask no model cost nothing, and are left out.

    text   the column of text, as in `apply`
    """
    listed = [labelers] if isinstance(labelers, Labeler) else list(labelers)
    asking = [one.on_text(text) if text else one for one in listed if isinstance(one, PromptLabeler)]
    parts = list(chunks(rows)[0])
    return Plan(tuple(plan_line(one, parts) for one in asking))


def plan_line(labeler: PromptLabeler, parts: Iterable[Chunk]) -> PlanLine:
    """Compute the cost of one labeler."""
    store, model, key = labeler.store, labeler.model, prompt_keys(labeler.model.id, labeler.map.choices)
    rows = skipped = known = 0
    new: dict[bytes, int] = {}  # key → characters of the prompt
    for chunk in parts:
        prompts = {i: prompt for i, prompt in enumerate(labeler.prompts(chunk)) if prompt is not None}
        asked = {i: key(prompt) for i, prompt in prompts.items()}
        stored = store.reasons(list(asked.values()), len(labeler.map.choices))
        rows, skipped = rows + len(chunk), skipped + len(chunk) - len(prompts)
        known += sum(one in stored for one in asked.values())
        new |= {one: len(prompts[i]) for i, one in asked.items() if one not in stored}
    spent = store.spent_on(model.id)
    cost = expected_cost(model, spent, len(new), sum(new.values()))
    money = None if model.price is None else cost.money
    seconds = len(new) * spent.seconds / spent.calls if spent.calls else None if new else 0.0
    return PlanLine(labeler.name, model.id, rows, skipped, known, len(new), cost.tokens, money, seconds)


def preview(labeler: Labeler, rows: Any, *, text: str | None = None) -> pl.DataFrame:
    """Show the answers of a prompt labeler about a few rows: prompt, probability of each choice, answer.

    The model is asked for scores that are not stored. Calibration is left out: it takes all rows.
    """
    if not isinstance(labeler, PromptLabeler):
        raise BadLabeler(f"labeler {labeler.name!r} asks no model: apply([labeler], rows) shows its votes")
    labeler = labeler.on_text(text) if text else labeler
    parts = list(chunks(rows)[0])
    return pl.concat([_previewed(labeler, chunk) for chunk in parts]) if parts else pl.DataFrame()


def _previewed(labeler: PromptLabeler, chunk: Chunk) -> pl.DataFrame:
    plain = replace(labeler, calibrate=False)
    scores = plain._asked(chunk)
    outcomes = plain.map.shares(scores)
    said = plain.decide(scores)
    columns: dict[str, Any] = {
        "row": list(range(chunk.start, chunk.start + len(chunk))),
        "prompt": [None if prompt is None else str(prompt) for prompt in plain.prompts(chunk)],
    }
    for place, outcome in enumerate(plain.map.outcomes):
        columns[as_written(outcome) if outcome is not None else "abstain"] = outcomes[:, place]
    columns["said"] = [as_written(plain.says[place - 1]) if place else None for place in said]
    return pl.DataFrame(columns, schema_overrides={"said": pl.String, "prompt": pl.String}).fill_nan(None)
