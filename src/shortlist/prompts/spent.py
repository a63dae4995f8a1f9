"""Spent: what asking a model has cost; Purse: whether more may be spent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from shortlist.errors import BudgetSpent
from shortlist.models.cost import Price
from shortlist.models.model import Answer, Model

CHARACTERS = 4.0  # of a token, where nothing better is known
WRITTEN = 1.0  # tokens of an answer, where nothing better is known


@dataclass
class Spent:
    """Calls, tokens and money, and what came of the prompts, for one model and one labeler."""

    model: str
    labeler: str
    calls: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    characters: int = 0  # of the prompts, to know how many of them make a token
    money: float = 0.0
    answered: int = 0
    refused: int = 0
    outside: int = 0
    too_long: int = 0
    failed: int = 0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def add(self, prompt: str, answer: Answer, price: Price | None) -> None:
        """One more answer."""
        self.calls += answer.calls
        self.retries += answer.retries
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out
        self.characters += len(prompt) if answer.tokens_in else 0
        self.money += price.of(answer.tokens_in, answer.tokens_out) if price else 0.0
        what = answer.why.replace(" ", "_") or "answered"
        setattr(self, what, getattr(self, what) + 1)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


COUNTS = tuple(field.name for field in fields(Spent) if field.name not in ("model", "labeler"))


def total(parts: Iterable[Spent], model: str = "", labeler: str = "") -> Spent:
    """All of it together."""
    found = Spent(model, labeler)
    for part in parts:
        for name in COUNTS:
            setattr(found, name, getattr(found, name) + getattr(part, name))
    return found


class Purse:
    """What was spent on a model before and now, and what is under way, against its budget."""

    def __init__(self, model: Model, before: Iterable[Spent]) -> None:
        self.model, self.spent = model, total(before, model.id)
        self._prompts = 0  # that are under way
        self._characters = 0

    def expected(self, prompts: int, characters: int) -> Spent:
        """What prompts are expected to cost, by what others did cost."""
        per_token = self.spent.characters / self.spent.tokens_in if self.spent.tokens_in else CHARACTERS
        asked = self.spent.answered + self.spent.outside + self.spent.refused
        written = self.spent.tokens_out / asked if asked and self.spent.tokens_out else WRITTEN
        tokens_in, tokens_out = characters / per_token, prompts * written
        price = self.model.price
        money = price.of(tokens_in, tokens_out) if price else 0.0
        return Spent(self.model.id, "", prompts, 0, round(tokens_in), round(tokens_out), characters, money)

    def takes(self, prompt: str) -> str | None:
        """Set something aside for one more prompt; or the limit that it would break."""
        budget = self.model.budget
        if budget is not None:
            more = self.expected(self._prompts + 1, self._characters + len(prompt))
            for name, limit in budget.limits.items():
                if getattr(self.spent, name) + getattr(more, name) > limit:
                    return name
        self._prompts += 1
        self._characters += len(prompt)
        return None

    def pay(self, prompt: str, answer: Answer) -> None:
        """A prompt is answered."""
        self._prompts -= 1
        self._characters -= len(prompt)
        self.spent.add(prompt, answer, self.model.price)

    def empty(self, limit: str, left: str) -> BudgetSpent:
        """The error that the budget is spent."""
        assert self.model.budget is not None
        most, used = self.model.budget.limits[limit], getattr(self.spent, limit)
        return BudgetSpent(
            f"the budget of model {self.model.id!r} is spent: {used:,.6g} of {most:,.6g} {limit}. {left} All answers "
            f"so far are kept: raise budget.{limit} and run again to go on",
            model=self.model.id, option=("budget", limit),
        )  # fmt: skip
