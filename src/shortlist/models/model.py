"""LanguageModel: what can be asked how likely it is to go on from a prompt with each of some choices.

A model of your own has an `id` and `scores`; nothing else is needed:

    class Coin:
        id = "coin"
        def scores(self, prompts, choices):
            return np.full((len(prompts), len(choices)), np.log(1 / len(choices)))
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from shortlist.arrays import Floats
from shortlist.errors import BadLabeler, ModelFailed
from shortlist.models.cost import Budget, Price

BATCH = 32  # prompts that a model without servers or threads is given at a time


class Prompt(str):
    """A text for a model, perhaps with a picture (the bytes of its file)."""

    image: bytes | None
    __slots__ = ("image",)

    def __new__(cls, text: str, image: bytes | None = None) -> Prompt:
        made = super().__new__(cls, text)
        made.image = image
        return made


@runtime_checkable
class LanguageModel(Protocol):
    """The protocol: an id that changes when answers may change, and scores."""

    @property
    def id(self) -> str:
        """One line that stands for the model and all that its answers depend on."""

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> npt.ArrayLike:
        """(n, c): the log-probability of each choice after each prompt; NaN for no answer."""


@dataclass(frozen=True)
class Answer:
    """What came back for one prompt.

    scores   (c,): log-probabilities of the choices; NaN throughout where there is no answer
    why      why there is none: "refused", "outside" (the choices), "too long", or "failed" (after all retries)
    how      how it was asked: "whole strings", "first token", "constrained", "free text"
    detail   the last error, where it failed
    """

    scores: Floats
    why: str = ""
    how: str = ""
    calls: int = 1
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    detail: str = ""


def no_answer(choices: Sequence[str], why: str, **facts: Any) -> Answer:
    """An answer that says why there is none."""
    return Answer(np.full(len(choices), np.nan), why, **facts)


Answers = list[tuple[int, Answer]]  # (the number of a prompt, what came back)


class Model(ABC):
    """The protocol, with what a model may say about itself besides. Own models subclass it, yours may.

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
    takes_images: ClassVar[bool] = False

    @abstractmethod
    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> npt.ArrayLike:
        """(n, c): the log-probability of each choice after each prompt; NaN for no answer."""

    def answers(self, prompts: Iterable[Prompt], choices: Sequence[str]) -> Iterator[Answers]:
        """What comes back, as it comes. Prompts are drawn when there is room for them, never ahead of time."""
        source = enumerate(prompts)
        while batch := list(islice(source, BATCH)):
            found = self._checked(self.scores([prompt for _, prompt in batch], choices), len(batch), len(choices))
            yield [(number, scored(row, choices)) for (number, _), row in zip(batch, found, strict=True)]

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:  # noqa: ARG002
        """What the model writes after a prompt."""
        raise ModelFailed(f"model {self.id!r} only scores choices: it has no write(prompt, max_tokens)", model=self.id)

    def ways(self) -> tuple[str, ...]:
        """How it can be asked, the best way first; nothing where that is not known before it is asked."""
        return ()

    def plain_ways(self) -> list[Any]:
        """The same as JSON holds it, to be kept."""
        return []

    def know_ways(self, plain: Sequence[Sequence[Any]]) -> None:  # noqa: B027  there may be nothing to know
        """What it can do is known from before."""

    def trials(self) -> int:
        """How many requests it may take to find out how it can be asked; 0 where that is known."""
        return 0

    def remarks(self) -> list[str]:
        """What was noticed while it was asked."""
        return []

    def record(self) -> dict[str, Any] | None:
        """The model as plain data for a file, without keys. None where it is Python code."""
        return None

    def _checked(self, found: npt.ArrayLike, n: int, c: int) -> Floats:
        scores = np.asarray(found, np.float64)
        if scores.shape != (n, c):
            raise ModelFailed(
                f"model {self.id!r} gave scores of shape {scores.shape} for {n} prompts and {c} choices", model=self.id
            )
        return scores


def scored(scores: Floats, choices: Sequence[str]) -> Answer:
    """The answer that a row of scores stands for."""
    return no_answer(choices, "outside") if np.isnan(scores).all() else Answer(scores)


class Wrapped(Model):
    """A model of somebody else's class, with defaults for what it does not say."""

    def __init__(self, model: LanguageModel) -> None:
        self.model, self.id = model, model.id
        for name in ("kept", "price", "budget", "max_failed"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def scores(self, prompts: Sequence[str], choices: Sequence[str]) -> npt.ArrayLike:
        return self.model.scores(prompts, choices)

    def write(self, prompt: str, *, max_tokens: int = 400) -> str:
        own = getattr(self.model, "write", None)
        return str(own(prompt, max_tokens=max_tokens)) if own else super().write(prompt)


def as_model(given: Any) -> Model:
    """The model that was given, or its class's own in our terms."""
    named = isinstance(getattr(given, "id", None), str)
    if isinstance(given, Model) and named:
        return given
    if not named or not callable(getattr(given, "scores", None)):
        raise BadLabeler(
            f"{given!r} is no language model: one has an id (a text) and scores(prompts, choices)", option=("model",)
        )
    return Wrapped(given)
