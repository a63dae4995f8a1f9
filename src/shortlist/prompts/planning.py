"""plan(): what asking would cost, before anything is sent. preview(): what a labeler says about a few rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from shortlist.errors import BadLabeler
from shortlist.labelers import Labeler
from shortlist.labelers.answers import show_answer
from shortlist.prompts.asking import SpendingLimit
from shortlist.prompts.prompt_labeler import PromptLabeler
from shortlist.prompts.score_store import Keys
from shortlist.rows import Chunk, chunks


@dataclass(frozen=True)
class PlanLine:
    """What one labeler would ask.

    rows     of all rows
    skipped  rows that lack a column of the prompt: they are not asked, and abstain
    known    rows whose score is kept already
    calls    requests to send; rows with the same prompt are asked once. Retries come on top
    tokens   of prompts and answers, by what the model used before, or else at 4 characters a token
    money    by the prices of the model; None where it has none
    ways     how the model can be asked, the best way first; nothing where that was not tried yet
    trials   how many requests come on top, at most, to try that; once for each model
    """

    labeler: str
    model: str
    rows: int
    skipped: int
    known: int
    calls: int
    tokens: int
    money: float | None
    ways: tuple[str, ...] = ()
    trials: int = 0


@dataclass(frozen=True)
class Plan:
    """What labelers would ask, one line each. Nothing was sent to find it out."""

    lines: tuple[PlanLine, ...]

    @property
    def calls(self) -> int:
        return sum(line.calls for line in self.lines)

    @property
    def trials(self) -> int:
        """How many requests come on top, at most, to find out how models can be asked."""
        return sum({line.model: line.trials for line in self.lines if line.calls}.values())

    @property
    def tokens(self) -> int:
        return sum(line.tokens for line in self.lines)

    @property
    def money(self) -> float | None:
        """None where no model has a price."""
        priced = [line.money for line in self.lines if line.money is not None]
        return sum(priced) if priced else None

    @property
    def known(self) -> float:
        """The share of rows to be asked about whose scores are kept already."""
        rows = sum(line.rows - line.skipped for line in self.lines)
        return sum(line.known for line in self.lines) / rows if rows else 1.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        lines = [asdict(line) for line in self.lines]
        named = ("calls", "trials", "tokens", "money", "known")
        return {**{name: getattr(self, name) for name in named}, "labelers": lines}

    @property
    def head(self) -> str:
        """All lines together, in words."""
        cost = "" if self.money is None else f", about {self.money:.4f} of money"
        more = f" (and at most {self.trials} to find out how to ask)" if self.trials else ""
        skipped = " to be asked about" if any(line.skipped for line in self.lines) else ""
        known = f"{self.known:.1%} of the rows{skipped} are known"
        return f"{_calls(self.calls)}{more}, about {self.tokens:,} tokens{cost}; {known}"

    def __str__(self) -> str:
        return "\n".join([self.head, *(_shown(line) for line in self.lines)])


def _calls(count: int) -> str:
    return f"{count:,} call{'' if count == 1 else 's'}"


def _shown(line: PlanLine) -> str:
    cost = "" if line.money is None else f", about {line.money:.4f}"
    ways = f" ({line.ways[0]})" if line.ways else ""
    calls = f"{_calls(line.calls)}, about {line.tokens:,} tokens{cost}"
    skipped = f" ({line.skipped:,} more not asked: a column is empty)" if line.skipped else ""
    known = f"{line.known:,} of {line.rows - line.skipped:,} rows known{skipped}"
    return f"  {line.labeler}: {calls}; {known}; asks {line.model}{ways}"


def plan(labelers: Labeler | Iterable[Any], rows: Any) -> Plan:
    """What asking about these rows would cost. Labelers that ask no model cost nothing, and are left out."""
    listed = [labelers] if isinstance(labelers, Labeler) else list(labelers)
    parts = list(chunks(rows)[0])
    return Plan(tuple(plan_line(one, parts) for one in listed if isinstance(one, PromptLabeler)))


def plan_line(labeler: PromptLabeler, parts: Iterable[Chunk]) -> PlanLine:
    """What one labeler would ask about some rows."""
    store, model, keys = labeler.store, labeler.model, Keys(labeler.model.id, labeler.map.choices)
    rows = skipped = known = characters = 0
    new: set[bytes] = set()
    for chunk in parts:
        prompts = [prompt for prompt in labeler.prompts(chunk) if prompt is not None]
        asked = [keys.of(prompt) for prompt in prompts]
        _, whys = store.read(asked, len(labeler.map.choices))
        rows, skipped = rows + len(chunk), skipped + len(chunk) - len(prompts)
        known += sum(why is not None for why in whys)
        for key, prompt, why in zip(asked, prompts, whys, strict=True):
            if why is None and key not in new:
                new.add(key)
                characters += len(prompt)
    cost = SpendingLimit(model, store.spent(model.id)).expected(len(new), characters)
    if not model.protocols():
        model.restore_protocols(store.protocols(model.id))
    money = None if model.price is None else cost.money
    counts = (rows, skipped, known, len(new), cost.tokens)
    return PlanLine(labeler.name, model.id, *counts, money, model.protocols(), model.trials() if new else 0)


def preview(labeler: Labeler, rows: Any) -> pl.DataFrame:
    """What a prompt labeler says about a few rows: the prompt, the probability of each choice, the answer.

    The model is asked where a score is not kept. Calibration is left out: it takes all rows.
    """
    if not isinstance(labeler, PromptLabeler):
        raise BadLabeler(f"labeler {labeler.name!r} asks no model: apply([labeler], rows) shows its votes")
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
        columns[show_answer(outcome) if outcome is not None else "abstain"] = outcomes[:, place]
    columns["said"] = [_said(plain, int(place)) for place in said]
    return pl.DataFrame(columns, schema_overrides={"said": pl.String, "prompt": pl.String}).fill_nan(None)


def _said(labeler: PromptLabeler, place: int) -> str | None:
    return show_answer(labeler.says[place - 1]) if place else None
