"""Cost: what tokens cost, and how much may be spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from shortlist.errors import BadLabeler
from shortlist.wording import did_you_mean

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, in any currency: of prompts (`input`) and of answers (`output`)."""

    input: float
    output: float = 0.0

    def of(self, tokens_in: float, tokens_out: float) -> float:
        """What so many tokens cost."""
        return (self.input * tokens_in + self.output * tokens_out) / MILLION


@dataclass(frozen=True)
class Budget:
    """What may be spent on a model in all, over every run that keeps its scores in the same place.

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


def checked_price(given: Any) -> Price | None:
    """A Price, as it was given or from a mapping."""
    found: Price | None = _made(
        Price, given, "price", "what a million tokens cost, such as {'input': 0.4, 'output': 1.6}"
    )
    if found is not None:
        _check_amounts("price", asdict(found))
    return found


def checked_budget(given: Any, price: Price | None) -> Budget | None:
    """A Budget, as it was given or from a mapping."""
    found: Budget | None = _made(
        Budget, given, "budget", "what may be spent, such as {'calls': 1000} or {'money': 5.0}"
    )
    if found is None:
        return None
    _check_amounts("budget", found.limits)
    if not found.limits:
        raise BadLabeler("the budget sets no limit: give calls, tokens or money", option=("budget",))
    if found.money is not None and price is None:
        raise BadLabeler("a budget of money needs a price: price = {input = …, output = …}", option=("budget",))
    return found


def _made(kind: Any, given: Any, name: str, meaning: str) -> Any:
    if given is None or isinstance(given, kind):
        return given
    known = [field.name for field in fields(kind)]
    if not isinstance(given, Mapping):
        raise BadLabeler(f"{name} is {meaning}; got {given!r}", option=(name,))
    for key in given:
        if key not in known:
            hint = f"{did_you_mean(key, known)} It has {', '.join(known)}"
            raise BadLabeler(f"{name} has no {key!r}.{hint}", option=(name,))
    try:
        return kind(**given)
    except TypeError:
        raise BadLabeler(f"{name} is {meaning}; got {dict(given)!r}", option=(name,)) from None


def _check_amounts(name: str, amounts: Mapping[str, Any]) -> None:
    for key, amount in amounts.items():
        if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not 0 <= amount < float("inf"):
            raise BadLabeler(f"{name}.{key} is a number from 0; got {amount!r}", option=(name,))
