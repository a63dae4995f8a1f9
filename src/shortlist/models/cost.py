"""Cost: what tokens cost, and how much may be spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from shortlist.errors import BadLabeler
from shortlist.wording import did_you_mean


@dataclass(frozen=True)
class Price:
    """Price of a million tokens, in any currency: of prompts (`input`) and of answers (`output`)."""

    input: float
    output: float = 0.0

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """The cost of a number of tokens."""
        return (self.input * tokens_in + self.output * tokens_out) / 1e6


@dataclass(frozen=True)
class Budget:
    """Limits of what is spent on a model, over all runs that keep its scores in the same file.

    calls    requests, whether they were answered or not
    tokens   of prompts and answers together
    money    in the currency of the prices
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are set."""
        return {name: limit for name, limit in asdict(self).items() if limit is not None}


def checked_price(price: Any) -> Price | None:
    """Check a Price, or make one from a mapping."""
    meaning = "what a million tokens cost, such as {'input': 0.4, 'output': 1.6}"
    checked: Price | None = _checked(Price, price, "price", meaning)
    return checked


def checked_budget(budget: Any, price: Price | None) -> Budget | None:
    """Check a Budget, or make one from a mapping."""
    meaning = "what may be spent, such as {'calls': 1000} or {'money': 5.0}"
    checked: Budget | None = _checked(Budget, budget, "budget", meaning)
    if checked is None:
        return None
    if not checked.limits:
        raise BadLabeler("the budget sets no limit: give calls, tokens or money", option=("budget",))
    if checked.money is not None and price is None:
        raise BadLabeler("a budget of money needs a price: price = {input = …, output = …}", option=("budget",))
    return checked


def _checked(kind: Any, value: Any, name: str, meaning: str) -> Any:
    if value is None:
        return None
    if not isinstance(value, kind | Mapping):
        raise BadLabeler(f"{name} is {meaning}; got {value!r}", option=(name,))
    amounts = asdict(value) if isinstance(value, kind) else dict(value)
    names = [field.name for field in fields(kind)]
    for key, amount in amounts.items():
        if key not in names:
            hint = f"{did_you_mean(key, names)} It has {', '.join(names)}"
            raise BadLabeler(f"{name} has no {key!r}.{hint}", option=(name,))
        if amount is not None and not _is_amount(amount):
            raise BadLabeler(f"{name}.{key} is a number from 0; got {amount!r}", option=(name,))
    try:
        return kind(**amounts)
    except TypeError:
        raise BadLabeler(f"{name} is {meaning}; got {amounts!r}", option=(name,)) from None


def _is_amount(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")
