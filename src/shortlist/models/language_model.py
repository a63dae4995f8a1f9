"""Language models: what can be asked how likely it is to go on from a prompt with each of some choices.

A model of your own has an `id` and `scores`; nothing else is needed:

    class Coin(Model):
        id = "coin"
        def scores(self, prompts, choices):
            return np.full((len(prompts), len(choices)), np.log(1 / len(choices)))
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler, ModelFailed
from shortlist.progress import still_wanted
from shortlist.registry import make_from_record


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


@dataclass(frozen=True)
class Answer:
    """The answer to one prompt.

    scores   (c,): log-probabilities of the choices; NaN throughout where there is no answer
    why      why there is none: "refused", "outside" (the choices), "too long", or "failed" (after all retries)
    how      how it was asked: "first token", "free text"
    detail   the last error, where it failed
    """

    scores: Floats
    why: str = ""
    how: str = ""
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    detail: str = ""


def no_answer(choices: Sequence[str], why: str, **facts: Any) -> Answer:
    """An answer that says why there is none."""
    return Answer(np.full(len(choices), np.nan), why, **facts)


Answers = list[tuple[int, Answer]]  # (the number of a prompt, what came back)


class Model(ABC):
    """Base class of language models, with defaults for everything but `id` and `scores`.

    kept         the SQLite file that scores are kept in; without one, until Python ends
    price        what tokens cost; without it, money is not counted
    budget       what may be spent in all
    max_failed   the share of prompts without an answer above which it is an error
    """

    id: str
    kept: str | os.PathLike[str] | None = None
    price: Price | None = None
    budget: Budget | None = None
    max_failed: float = 0.2
    is_code: ClassVar[bool] = True  # whether answers depend on Python code of users, and not on its id only
    settled: bool = True  # whether it is known how to ask it

    @abstractmethod
    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> npt.ArrayLike:
        """(n, c): the log-probability of each choice after each prompt; NaN for no answer."""

    def answers(self, prompts: Iterable[str], choices: Sequence[str]) -> Iterator[Answers]:
        """Yield answers as they arrive. A prompt is drawn when there is room for it, never ahead of time."""
        source = enumerate(prompts)
        while batch := list(islice(source, 32)):
            still_wanted.get()()
            scores = np.asarray(self.scores([prompt for _, prompt in batch], choices), np.float64)
            if scores.shape != (len(batch), len(choices)):
                shapes = f"{scores.shape} for {len(batch)} prompts and {len(choices)} choices"
                raise ModelFailed(f"model {self.id!r} gave scores of shape {shapes}", model=self.id)
            yield [
                (number, no_answer(choices, "outside") if np.isnan(row).all() else Answer(row))
                for (number, _), row in zip(batch, scores, strict=True)
            ]

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:  # noqa: ARG002
        """The text that the model writes after a prompt."""
        raise ModelFailed(f"model {self.id!r} only scores choices: it has no write(prompt, max_tokens)", model=self.id)

    def remarks(self) -> list[str]:
        """Warnings about the answers so far."""
        return []


def as_model(model: Any) -> Model:
    """Check a language model."""
    if not isinstance(model, Model) or not isinstance(getattr(model, "id", None), str):
        message = f"{model!r} is no language model: one is a subclass of Model with an id (a text) and scores"
        raise BadLabeler(message, option=("model",))
    return model


def checked_price(price: Any) -> Price | None:
    """Check a Price, or make one from a mapping."""
    made: Price | None = _checked(Price, "price", price, "what a million tokens cost: {'input': 0.4, 'output': 1.6}")
    return made


def checked_budget(budget: Any, price: Price | None) -> Budget | None:
    """Check a Budget, or make one from a mapping."""
    made: Budget | None = _checked(Budget, "budget", budget, "what may be spent: {'calls': 1000} or {'money': 5.0}")
    if made is not None and not made.limits:
        raise BadLabeler("the budget sets no limit: give calls, tokens or money", option=("budget",))
    if made is not None and made.money is not None and price is None:
        raise BadLabeler("a budget of money needs a price: price = {input = …, output = …}", option=("budget",))
    return made


def _checked(kind: Any, name: str, value: Any, meaning: str) -> Any:
    amounts = asdict(value) if isinstance(value, kind) else value
    if amounts is None:
        return None
    try:
        made = kind(**amounts)
    except TypeError:  # no mapping, or one of other names
        raise BadLabeler(f"{name} is {meaning}; got {value!r}", option=(name,)) from None
    for key, amount in asdict(made).items():
        number = isinstance(amount, (int, float)) and not isinstance(amount, bool) and 0 <= amount < float("inf")
        if amount is not None and not number:
            raise BadLabeler(f"{name}.{key} is a number from 0; got {amount!r}", option=(name,))
    return made


Maker = TypeVar("Maker", bound=Callable[..., Any])
_MODEL_KINDS: dict[str, Callable[..., Any]] = {}


def model_kind(name: str) -> Callable[[Maker], Maker]:
    """Register a class or a function that makes a language model as a kind that files can hold."""

    def register(make: Maker) -> Maker:
        _MODEL_KINDS[name] = make
        return make

    return register


def model_from_record(record: Mapping[str, Any]) -> Model:
    """Make a model from plain data: `[models.NAME]` of shortlist.toml. `error.option` names a wrong setting."""
    return as_model(make_from_record(record, _MODEL_KINDS, "model"))
