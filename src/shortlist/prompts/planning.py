"""plan(): the cost of asking, before anything is sent. preview(): the answers of a labeler about a few rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import polars as pl

from shortlist.errors import BadLabeler
from shortlist.labelers import Labeler
from shortlist.labelers.answers import show_answer
from shortlist.prompts.asking import expected_cost
from shortlist.prompts.prompt_labeler import PromptLabeler
from shortlist.prompts.score_store import Keys, total_spent
from shortlist.rows import Chunk, chunks


@dataclass(frozen=True)
class PlanLine:
    """The cost of one labeler.

    rows     of all rows
    skipped  rows that lack a column of the prompt: they are not asked, and abstain
    known    rows whose score is stored already
    calls    requests to send; rows with the same prompt are asked once. Retries come on top
    tokens   of prompts and answers, by what the model used before, or else at 4 characters a token
    money    by the prices of the model; None where it has none
    ways     the protocols that the model supports, the best first; empty until that was tried
    trials   the most requests that come on top to try that, once for each model
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
    """The cost of labelers, one line each. Nothing was sent to compute it."""

    lines: tuple[PlanLine, ...]

    @property
    def calls(self) -> int:
        return sum(line.calls for line in self.lines)

    @property
    def trials(self) -> int:
        """The most requests that come on top to find out which protocols models support."""
        return sum({line.model: line.trials for line in self.lines if line.calls}.values())

    @property
    def tokens(self) -> int:
        return sum(line.tokens for line in self.lines)

    @property
    def money(self) -> float | None:
        """The cost in money; None if no model has a price."""
        priced = [line.money for line in self.lines if line.money is not None]
        return sum(priced) if priced else None

    @property
    def known(self) -> float:
        """The share of rows to be asked about whose scores are stored already."""
        rows = sum(line.rows - line.skipped for line in self.lines)
        return sum(line.known for line in self.lines) / rows if rows else 1.0

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        lines = [asdict(line) for line in self.lines]
        named = ("calls", "trials", "tokens", "money", "known")
        return {**{name: getattr(self, name) for name in named}, "labelers": lines}

    @property
    def head(self) -> str:
        """The total, in words."""
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
    """Compute the cost of asking about these rows. Labelers that ask no model cost nothing, and are left out."""
    listed = [labelers] if isinstance(labelers, Labeler) else list(labelers)
    parts = list(chunks(rows)[0])
    return Plan(tuple(plan_line(one, parts) for one in listed if isinstance(one, PromptLabeler)))


def plan_line(labeler: PromptLabeler, parts: Iterable[Chunk]) -> PlanLine:
    """Compute the cost of one labeler."""
    store, model, keys = labeler.store, labeler.model, Keys(labeler.model.id, labeler.map.choices)
    rows = skipped = known = 0
    new: dict[bytes, int] = {}  # key → characters of the prompt
    for chunk in parts:
        prompts = {i: prompt for i, prompt in enumerate(labeler.prompts(chunk)) if prompt is not None}
        asked = {i: keys.of(prompt) for i, prompt in prompts.items()}
        stored = store.reasons(list(asked.values()), len(labeler.map.choices))
        rows, skipped = rows + len(chunk), skipped + len(chunk) - len(prompts)
        known += sum(key in stored for key in asked.values())
        new |= {key: len(prompts[i]) for i, key in asked.items() if key not in stored}
    cost = expected_cost(model, total_spent(store.spent(model.id), model.id), len(new), sum(new.values()))
    if not model.protocols():
        model.restore_protocols(store.protocols(model.id))
    money = None if model.price is None else cost.money
    counts = (rows, skipped, known, len(new), cost.tokens)
    return PlanLine(labeler.name, model.id, *counts, money, model.protocols(), model.trials() if new else 0)


def preview(labeler: Labeler, rows: Any) -> pl.DataFrame:
    """Show the answers of a prompt labeler about a few rows: prompt, probability of each choice, answer.

    The model is asked for scores that are not stored. Calibration is left out: it takes all rows.
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
    columns["said"] = [show_answer(plain.says[place - 1]) if place else None for place in said]
    return pl.DataFrame(columns, schema_overrides={"said": pl.String, "prompt": pl.String}).fill_nan(None)
